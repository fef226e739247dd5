import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's own folder. */
export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Everything that is downloaded and can be had again: packages, test servers, the embedding model. */
export const cacheFolder = process.env.PLY_TEST_CACHE_DIR
  ? resolve(process.env.PLY_TEST_CACHE_DIR)
  : join(projectRoot, '.cache');

/** Folders of the local embedding models that the set-up makes, by name. */
export const modelFolders = {
  'all-MiniLM-L6-v2': join(projectRoot, '.cache/models/all-MiniLM-L6-v2'),
  'multilingual-e5-small': join(projectRoot, '.cache/models/multilingual-e5-small'),
};

/** Folder of the local speech model that the set-up makes. */
export const speechModelFolder = join(projectRoot, '.cache/models/whisper-base');

/** Format in which the set-up makes it: `modelFormat` of adapters/speech/whisper/manifest.ts. */
export const speechModelFormat = 2;

/** Folder of the model for English. */
export const modelFolder = modelFolders['all-MiniLM-L6-v2'];
