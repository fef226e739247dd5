import { setTimeout as pause } from 'node:timers/promises';
import { openMilvusPassages } from '../adapters/passages/milvus/milvus.ts';
import { openMongoRecords } from '../adapters/records/mongo/records.ts';
import { openLocalEmbeddings } from '../adapters/embeddings/local/local-embeddings.ts';
import { systemRuntime } from '../models/runtime.ts';
import { assets as assetsDefinition } from '../models/asset.ts';
import { analyse, analyseQuery } from '../models/analyser/analyser.ts';
import { scopeOf } from '../models/scope.ts';
import { startCluster } from '../scripts/cluster/cluster.ts';
import { modelFolder } from '../scripts/setup/paths.mjs';
import { planQuery } from '../services/searcher/query.ts';
import { candidatesPerLeg } from '../services/searcher/retrieve.ts';
import type { Part } from './figures.ts';
import { HttpClients } from './http-clients.ts';
import { apiHeaders, startProgram } from './program.ts';
import { generatedTexts, startSourceServer } from './source-server.ts';
import { median, milliseconds } from './statistics.ts';

const maxAddedMs = 15;
const root = '/api/content/v1';
const texts = 60;

async function fill(http: HttpClients, sourceUrl: string): Promise<void> {
  const made = Array.from({ length: texts }, (_, index) => ({
    externalId: `text-${index}`,
    sourceUrl: `${sourceUrl}/text/${index}.txt`,
    sourceVersion: `"${index}.txt"`,
    filename: `${index}.txt`,
    kind: 'document',
    language: 'en',
  }));
  for (let at = 0; at < texts; at += 100) {
    const { importId } = JSON.parse(
      await http.ask({
        method: 'POST',
        path: `${root}/imports`,
        body: JSON.stringify({ assets: made.slice(at, at + 100) }),
      }),
    ) as { importId: string };
    const deadline = performance.now() + 600_000;
    for (;;) {
      const { items } = JSON.parse(await http.ask({ method: 'GET', path: `${root}/imports/${importId}` })) as {
        items: { state: string }[];
      };
      if (items.every(({ state }) => state === 'ready')) break;
      if (performance.now() > deadline) throw new Error('the files were not indexed within ten minutes');
      await pause(200);
    }
  }
}

/** The store operations of a search, called directly one after another. Returns milliseconds. */
async function storesAlone(cluster: {
  servers: { mongo: { url: string }; milvus: { url: string } };
  database: string;
  organizationId: string;
}): Promise<{ search(query: string): Promise<number>; close(): Promise<void> }> {
  const records = await openMongoRecords({
    url: cluster.servers.mongo.url,
    database: cluster.database,
    runtime: systemRuntime,
  });
  const passages = await openMilvusPassages({
    url: cluster.servers.milvus.url,
    collectionPrefix: cluster.database,
    runtime: systemRuntime,
    records,
  });
  const embeddings = await openLocalEmbeddings({ folder: modelFolder, threads: 1, log: console });
  const scope = scopeOf(cluster.organizationId);
  const assets = records.collection(assetsDefinition, scope);
  return {
    async search(query) {
      const { terms } = planQuery(analyseQuery(query, ['en']), [analyse(query, 'en')], true);
      const began = performance.now();
      const [vector = null] = await embeddings.embed([query], 'query');
      const { candidates } = await passages.retrieve(scope, {
        principals: null,
        filter: {},
        terms,
        vectors: vector === null ? [] : [{ model: embeddings.model?.id ?? '', vector }],
        limit: candidatesPerLeg,
      });
      await assets.getMany([...new Set(candidates.map(({ assetId }) => assetId))]);
      await passages.fetch(
        scope,
        candidates.slice(0, 10).map(({ assetId, revision, ordinal }) => ({ assetId, revision, ordinal })),
      );
      return performance.now() - began;
    },
    async close() {
      await Promise.all([embeddings.close(), passages.close()]);
      await records.close();
    },
  };
}

/**
 * A search through a cluster on this machine, compared with direct calls to its stores and with the embedded program.
 */
export const part: Part = async ({ full }) => {
  const cluster = await startCluster({
    environment: { PLY_LOG_LEVEL: 'warn' },
    log: (line) => process.stdout.write(`${line}\n`),
  });
  if ('unavailable' in cluster) return { skipped: cluster.unavailable };
  const source = await startSourceServer({ texts, wordsPerText: 200, files: {} });
  const embedded = await startProgram();
  const far = new HttpClients(cluster.apiUrl, apiHeaders(cluster.organizationId, cluster.standardKey), 1);
  const near = embedded.clients(1);
  const stores = await storesAlone(cluster);
  try {
    await Promise.all([fill(far, source.url), fill(near, source.url)]);
    const queries = generatedTexts(50, 5);
    const times: { cluster: number[]; embedded: number[]; stores: number[] } = {
      cluster: [],
      embedded: [],
      stores: [],
    };
    for (let turn = 0; turn <= (full ? 6 : 3); turn++) {
      for (const query of queries) {
        const request = { method: 'POST', path: `${root}/search`, body: JSON.stringify({ query }) } as const;
        const [throughCluster, alone, throughEmbedded] = [
          (await far.run(1, () => request)).times[0] ?? Number.NaN,
          await stores.search(query),
          (await near.run(1, () => request)).times[0] ?? Number.NaN,
        ];
        if (turn === 0) continue;
        times.cluster.push(throughCluster);
        times.stores.push(alone);
        times.embedded.push(throughEmbedded);
      }
    }
    const added = median(times.cluster.map((time, index) => time - (times.stores[index] ?? Number.NaN)));
    return [
      {
        name: 'one search through NATS, MongoDB-compatible records and Milvus, beside its stores',
        measured: `${milliseconds(median(times.cluster))}: ${milliseconds(added)} added`,
        against: `embedding and stores asked directly: ${milliseconds(median(times.stores))}; embedded program: ${milliseconds(median(times.embedded))}`,
        target: `at most ${maxAddedMs} ms added`,
        reached: added <= maxAddedMs,
      },
    ];
  } finally {
    source.stop();
    await Promise.all([far.close(), near.close(), stores.close(), embedded.stop()]);
    await cluster.stop();
  }
};
