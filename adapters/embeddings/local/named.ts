import { ModelUnavailable, type Embeddings } from '../port.ts';
import { modelId, readModelFolder } from './manifest.ts';

/**
 * The local model for a process that has to know which one it is, and never embeds.
 * @throws Error where the folder lacks a model or its files are not the ones of its manifest.
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
