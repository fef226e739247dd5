import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './run.mjs';

/**
 * The program of Node 24: the running one where it is new enough, else the one that comes as a package.
 * @param {string} root the project's folder
 * @returns {string} path of the program
 */
export function findNode24(root) {
  if (Number.parseInt(process.versions.node, 10) >= 24) return process.execPath;
  const packaged = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin/node');
  if (existsSync(packaged)) return packaged;
  throw new SetupError(
    `Ply runs on Node 24; this is ${process.version}, and no package carries it for ${process.platform} ${process.arch}.`,
    'npm ci --include=optional, or install Node 24 from https://nodejs.org',
  );
}
