import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's own folder. */
export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Everything that is downloaded and can be had again: packages, test servers, the embedding model. */
export const cacheFolder = process.env.PLY_TEST_CACHE_DIR
  ? resolve(process.env.PLY_TEST_CACHE_DIR)
  : join(projectRoot, '.cache');

/** Folder of the local embedding model that the set-up makes. */
export const modelFolder = join(projectRoot, '.cache/models/all-MiniLM-L6-v2');
