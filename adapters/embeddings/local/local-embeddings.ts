import type { Logger } from 'pino';
import { ModelUnavailable, type Embeddings } from '../port.ts';
import { checkKnownPairs } from './known-pairs.ts';
import { modelId, readModelFolder } from './manifest.ts';
import { ThreadPool } from './thread-pool.ts';

/** Options of the local model. */
export interface LocalEmbeddingsOptions {
  /** Folder with model.onnx, the vocabulary and model.json. */
  folder: string;
  /** Worker threads, at least 1. Each loads the model. */
  threads: number;
  log: Pick<Logger, 'warn' | 'info'>;
  /** Whether to delay loading the model until the first text. */
  loadsLater?: boolean;
}

/**
 * Opens a local embedding model, which runs in worker threads with ONNX Runtime. Resolves once the files
 * are verified; the threads load in the background, and `embed` waits for them. `ping` rejects until the first thread
 * is ready and the check with the known sentences has passed.
 * @throws Error if the folder has no model or its files do not match the manifest.
 */
export async function openLocalEmbeddings({
  folder,
  threads,
  log,
  loadsLater = false,
}: LocalEmbeddingsOptions): Promise<Embeddings> {
  const manifest = await readModelFolder(folder);
  const { dimensions, languages, maxTokens, tokeniser, prefixes } = manifest;
  let opened: ThreadPool | null = null;
  let isClosed = false;
  const open = (): ThreadPool => {
    if (isClosed) throw new ModelUnavailable('the embedding model is closed');
    opened ??= new ThreadPool({ folder, tokeniser, dimensions, maxTokens }, Math.max(1, threads), (message, details) =>
      log.warn(details, message),
    );
    return opened;
  };
  let state: 'loading' | 'ready' | ModelUnavailable = 'loading';
  let checking: Promise<void> | null = null;

  const embed: Embeddings['embed'] = async (texts, purpose, owner) => {
    const prefix = prefixes[purpose];
    return open().embed(prefix === '' ? texts : texts.map((text) => prefix + text), purpose, owner);
  };

  /**
   * Checks the model; concurrent calls share one check. If no thread starts, the next text repeats the check.
   */
  async function check(): Promise<void> {
    checking ??= checkKnownPairs(async (texts) => embed(texts, 'query'), languages === null)
      .then(
        () => {
          state = 'ready';
        },
        (error: unknown) => {
          if (error instanceof Error && error.name === 'ModelUnavailable') return;
          state = new ModelUnavailable(`the embedding model in ${folder} is not usable`, { cause: error });
          log.warn({ err: error }, 'the embedding model did not pass its check');
        },
      )
      .finally(() => {
        checking = null;
      });
    await checking;
  }

  if (!loadsLater) void check();
  return {
    model: { id: modelId(manifest), dimensions, languages },
    absence: null,
    async embed(texts, purpose, owner) {
      if (state === 'loading') await check();
      if (state instanceof ModelUnavailable) throw state;
      return embed(texts, purpose, owner);
    },
    async ping() {
      if (state instanceof ModelUnavailable) throw state;
      if (opened === null && loadsLater) return;
      if (state === 'loading') void check();
      if (state === 'loading' || open().readyThreads === 0)
        throw new ModelUnavailable('the embedding model is loading');
    },
    async close() {
      isClosed = true;
      await opened?.close();
    },
  };
}
