import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { projectRoot } from './setup/paths.mjs';

/**
 * Writes `@ply/client` as JavaScript with declarations, as a package that npm can install.
 * @param folder where to; its parent folders are made
 */
export function buildClient(folder: string): void {
  const source = join(projectRoot, 'packages/client');
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const built = join(folder, 'dist');
  const words = [compiler, '-p', source, '--outDir', built];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The client was not compiled: ${stdout}`);
  mkdirSync(built, { recursive: true });
  // A file of declarations is not compiled, and read by the others.
  copyFileSync(join(source, 'src/schema.d.ts'), join(built, 'schema.d.ts'));
  for (const file of ['package.json', 'README.md']) copyFileSync(join(source, file), join(folder, file));
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('Usage: node scripts/build-client.ts <folder>');
  buildClient(resolve(folder));
}
