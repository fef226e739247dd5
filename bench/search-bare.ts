import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData, Worker } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { WordPiece } from '../adapters/embeddings/local/word-piece.ts';
import { openConnection, type Connection } from '../adapters/passages/sqlite/connection.ts';
import { PermittedCache } from '../adapters/passages/sqlite/permitted.ts';
import { meaningLeg } from '../adapters/passages/sqlite/statements.ts';
import { StatisticsCache } from '../adapters/passages/sqlite/statistics-cache.ts';
import { Versions } from '../adapters/passages/sqlite/versions.ts';
import { WordSearch } from '../adapters/passages/sqlite/word-search.ts';

/** Options of a thread. */
export interface BareSetup {
  modelFolder: string;
  /** The passages' file. */
  passages: string;
  organizationId: string;
  embeddingModel: string;
}

/** The inputs of a search's bare parts. */
export interface BareSearch {
  query: string;
  terms: readonly (readonly string[])[];
  principals: readonly string[];
  limit: number;
}

/** The bare parts of searches in separate threads: no HTTP, checks, grading or texts. */
export interface BareParts {
  /** Returns the milliseconds of the parts, without messages to and from the thread. */
  search(search: BareSearch): Promise<number>;
  close(): Promise<void>;
}

/** Starts threads that each embed a query and run the two legs of the index. */
export async function startBareParts(setup: BareSetup, threads: number): Promise<BareParts> {
  const workers = await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(new URL(import.meta.url), { workerData: setup });
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      return worker;
    }),
  );
  const free = [...workers];
  const waiting: ((worker: Worker) => void)[] = [];
  return {
    async search(search) {
      const worker = free.pop() ?? (await new Promise<Worker>((resolve) => waiting.push(resolve)));
      const milliseconds = await new Promise<number>((resolve, reject) => {
        worker.once('error', reject);
        worker.once('message', (answer: number) => {
          worker.off('error', reject);
          resolve(answer);
        });
        worker.postMessage(search);
      });
      const next = waiting.shift();
      if (next === undefined) free.push(worker);
      else next(worker);
      return milliseconds;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

async function embedder(folder: string): Promise<(text: string) => Promise<Float32Array>> {
  const tokeniser = new WordPiece(readFileSync(join(folder, 'vocab.txt'), 'utf8'));
  const session = await InferenceSession.create(join(folder, 'model.onnx'), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  return async (text) => {
    const ids = tokeniser.encode(text, 256);
    const shape = [1, ids.length];
    const output = await session.run({
      input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
      token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
    });
    const vector = output['sentence_embedding']?.data;
    if (!(vector instanceof Float32Array)) throw new Error('the model answered no vector');
    return vector;
  };
}

/** The two legs of the index: the search for words, and the statement that compares all vectors. */
function legsOf(
  connection: Connection,
  { organizationId, embeddingModel }: BareSetup,
): (vector: Float32Array, search: BareSearch) => void {
  const versions = new Versions(connection);
  const statistics = new StatisticsCache(connection);
  const permitted = new PermittedCache(connection);
  const wordSearch = new WordSearch(connection);
  return (vector, { terms, principals, limit }) => {
    const query = { model: embeddingModel, vector };
    const retrieval = { principals, filter: {}, terms, vectors: [query], limit };
    const now = versions.now();
    const distinct = [...new Set(terms.flat())];
    const { number, passages, words, counts } = statistics.get(organizationId, distinct, now.file);
    wordSearch.best(
      { organization: number, passages, words },
      permitted.get(number, retrieval, null, now.retrievable),
      retrieval,
      distinct.map((stem) => ({ stem, passages: counts.get(stem) ?? 0 })).filter((each) => each.passages > 0),
    );
    const leg = meaningLeg(number, retrieval, query);
    connection.all(leg.sql, ...leg.values);
  };
}

async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  const setup = workerData as BareSetup;
  const connection = openConnection(setup.passages, 'reader');
  const legs = legsOf(connection, setup);
  const embed = await embedder(setup.modelFolder);
  const answer = async (search: BareSearch): Promise<void> => {
    const began = performance.now();
    legs(await embed(search.query), search);
    port.postMessage(performance.now() - began);
  };
  port.on('message', (search: BareSearch) => void answer(search));
  port.postMessage('ready');
}

if (parentPort !== null) await serve(parentPort);
