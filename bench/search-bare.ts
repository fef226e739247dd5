import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData, Worker } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { WordPiece } from '../adapters/embeddings/local/word-piece.ts';
import { numberOf, openConnection, type Connection } from '../adapters/passages/sqlite/connection.ts';
import { meaningLeg, wordLeg } from '../adapters/passages/sqlite/statements.ts';

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

/** Starts threads that each embed a query and run the two statements of the index. */
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

function statements(
  connection: Connection,
  number: number,
  embeddingModel: string,
  vector: Float32Array,
  { terms, principals, limit }: BareSearch,
): number {
  const query = { model: embeddingModel, vector };
  const retrieval = { principals, filter: {}, terms, vectors: [query], limit };
  let rows = 0;
  for (const leg of [meaningLeg(number, retrieval, query), wordLeg(number, retrieval)])
    if (leg !== null) rows += connection.all(leg.sql, ...leg.values).length;
  return rows;
}

async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  const setup = workerData as BareSetup;
  const connection = openConnection(setup.passages, 'reader');
  const number = numberOf(
    connection.get('select number from organizations where id = ?', setup.organizationId)?.['number'],
  );
  const embed = await embedder(setup.modelFolder);
  const answer = async (search: BareSearch): Promise<void> => {
    const began = performance.now();
    statements(connection, number, setup.embeddingModel, await embed(search.query), search);
    port.postMessage(performance.now() - began);
  };
  port.on('message', (search: BareSearch) => void answer(search));
  port.postMessage('ready');
}

if (parentPort !== null) await serve(parentPort);
