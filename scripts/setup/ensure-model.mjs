import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { modelFolders, projectRoot } from './places.mjs';

/**
 * Makes the local embedding model where it is not there yet and the configuration does not name another.
 * Without it search uses words only, so a failure is reported and does not stop the set-up.
 * @param {string} node path of Node 24, which runs the converter
 */
export function ensureModel(node) {
  const {
    PLY_EMBEDDING_MODEL,
    PLY_EMBEDDINGS_URL,
    PLY_EMBEDDING_THREADS,
    PLY_LOCAL_MODEL = 'all-MiniLM-L6-v2',
  } = process.env;
  if (PLY_EMBEDDING_MODEL || PLY_EMBEDDINGS_URL || PLY_EMBEDDING_THREADS === '0') return;
  const wanted = PLY_LOCAL_MODEL in modelFolders ? [PLY_LOCAL_MODEL] : [];
  const missing = wanted.filter((name) => !existsSync(join(modelFolders[name], 'model.json')));
  if (missing.length === 0) return;
  const { status } = spawnSync(
    node,
    ['--disable-warning=ExperimentalWarning', join(projectRoot, 'scripts/setup/model.ts'), ...missing],
    { stdio: ['ignore', 2, 2] },
  );
  if (status === 0) return;
  console.error('ply: going on without the embedding model; search uses words alone.');
  console.error(
    `  To fix it: ${relative(process.cwd(), node)} scripts/setup/model.ts   (needs Python with pip: apt-get install python3-pip)`,
  );
}
