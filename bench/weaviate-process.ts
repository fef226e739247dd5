import { availableParallelism } from 'node:os';
import { openLocalEmbeddings } from '../adapters/embeddings/local/local-embeddings.ts';
import { modelFolder } from '../scripts/setup/paths.mjs';
import { startWeaviate } from '../test/servers/weaviate.ts';
import { openWeaviateClient, type PeerText } from './weaviate-client.ts';

/*
 * A process in a network namespace of its own, with Weaviate and what asks it: its clients, and the threads of the
 * embedding model, as many as the program has.
 */

/** What the process is told: the texts, and then turns of searches. */
export type PeerOrder =
  | { kind: 'fill'; texts: readonly PeerText[] }
  | { kind: 'run'; queries: readonly string[]; clients: number; limit: number };

/** What it answers: that it is filled, the times of a turn, or why it cannot. */
export type PeerReport =
  | { kind: 'filled' }
  | { kind: 'ran'; times: number[]; seconds: number; found: number }
  | { kind: 'failed'; reason: string };

const embeddings = await openLocalEmbeddings({
  folder: modelFolder,
  threads: availableParallelism(),
  log: { warn: () => undefined, info: () => undefined },
});
const weaviate = await startWeaviate();
const client = openWeaviateClient(weaviate);

async function run({ queries, clients, limit }: Extract<PeerOrder, { kind: 'run' }>): Promise<PeerReport> {
  const times: number[] = [];
  let [next, found] = [0, 0];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let index = next++; index < queries.length; index = next++) {
        const query = queries[index] ?? '';
        const asked = performance.now();
        const [vector = new Float32Array()] = await embeddings.embed([query], 'query');
        found += (await client.search(query, vector, limit)).length;
        times.push(performance.now() - asked);
      }
    }),
  );
  return { kind: 'ran', times, seconds: (performance.now() - began) / 1000, found };
}

async function obey(order: PeerOrder): Promise<PeerReport> {
  if (order.kind === 'run') return run(order);
  await client.fill(order.texts);
  return { kind: 'filled' };
}

process.on('message', (order: PeerOrder) => {
  obey(order)
    .catch((error: unknown): PeerReport => ({ kind: 'failed', reason: String(error) }))
    .then((report) => process.send?.(report), process.exit);
});
process.on('disconnect', () => {
  client.close();
  // Removes its data.
  void weaviate.stop().finally(() => process.exit(0));
});
