import { readFileSync } from 'node:fs';
import { isObject } from './schemas/schema.ts';

const packageFile: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Version of the program and of its API. It is in package.json only; `npm run release` raises it. */
export const programVersion = isObject(packageFile) ? String(packageFile['version']) : 'unknown';
