import { ModelUnavailable, type Embeddings } from './port.ts';

/** Stands where no model is: search goes by words alone. `reason` says why, and what mends it. */
export function absentEmbeddings(reason: string): Embeddings {
  return {
    model: null,
    absence: reason,
    embed: () => Promise.reject(new ModelUnavailable(reason)),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
