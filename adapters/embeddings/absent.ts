import { ModelUnavailable, type Embeddings } from './port.ts';

/** Used if no model is installed: searches use words only. `reason` describes the cause and the remedy. */
export function absentEmbeddings(reason: string): Embeddings {
  return {
    model: null,
    absence: reason,
    embed: () => Promise.reject(new ModelUnavailable(reason)),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
