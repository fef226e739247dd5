import { ModelUnavailable, type Embeddings } from '../port.ts';
import { modelId, readModelFolder } from './manifest.ts';

/**
 * The local model for a process that needs only its id and never embeds.
 * @throws Error if the folder has no model or its files do not match the manifest.
 */
export async function namedEmbeddings(folder: string): Promise<Embeddings> {
  const manifest = await readModelFolder(folder);
  const { dimensions, languages } = manifest;
  return {
    model: { id: modelId(manifest), dimensions, languages },
    absence: null,
    embed: () => Promise.reject(new ModelUnavailable('no part of this process embeds')),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
