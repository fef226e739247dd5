import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { modelFolders, projectRoot } from './paths.mjs';

/**
 * Makes the local embedding models that are not there yet and that the configuration names.
 * Without any, search uses words only; without one, it does so in the languages of that one. So a failure is reported
 * and does not stop the set-up.
 * @param {string} node path of Node 24, which runs the converter
 */
export function ensureModel(node) {
  const { PLY_EMBEDDING_MODEL, PLY_EMBEDDINGS_URL, PLY_EMBEDDING_THREADS, PLY_LOCAL_MODEL } = process.env;
  if (PLY_EMBEDDING_MODEL || PLY_EMBEDDINGS_URL || PLY_EMBEDDING_THREADS === '0') return;
  const wanted = PLY_LOCAL_MODEL in modelFolders ? [PLY_LOCAL_MODEL] : Object.keys(modelFolders);
  const isMissing = (name) => !existsSync(join(modelFolders[name], 'model.json'));
  const missing = wanted.filter(isMissing);
  if (missing.length === 0) return;
  const { status } = spawnSync(
    node,
    ['--disable-warning=ExperimentalWarning', join(projectRoot, 'scripts/setup/model.ts'), ...missing],
    { stdio: ['ignore', 2, 2] },
  );
  if (status === 0) return;
  console.error(
    wanted.every(isMissing)
      ? 'ply: going on without an embedding model; search uses words alone.'
      : `ply: going on without ${missing.filter(isMissing).join(' and ')}; in its languages, search uses words alone.`,
  );
  console.error(
    `  To fix it: ${relative(process.cwd(), node)} scripts/setup/model.ts   (needs Python with pip: apt-get install python3-pip)`,
  );
}
