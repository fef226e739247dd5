import { join } from 'node:path';
import { askOperator, withCluster } from '../cli/operator.ts';
import { call, type ActionCaller } from '../mixins/actions/call.ts';
import type { BucketView } from '../models/bucket.ts';
import { readConfiguration } from '../models/configuration/configuration.ts';
import { startCluster, type ClusterOptions } from '../scripts/cluster/cluster.ts';
import { freePort } from '../test/servers/ports.ts';
import { addBucket, base, storeFile } from './delivery/bucket.ts';
import { WatchedEdges, type EdgeAnswer } from './delivery/watched-edges.ts';
import type { Part } from './figures.ts';
import { HttpClients } from './http-clients.ts';
import { apiHeaders } from './program.ts';
import { median, milliseconds, percentile } from './statistics.ts';

const edgeCount = 3;
const maxMs = 1000;
/** Rounds with one account: it may order 60 purges within an hour. */
const roundsOfAccount = 50;

const kinds = ['purge', 'settings', 'suspension', 'end of a suspension', 'deletion'] as const;
type Times = Record<(typeof kinds)[number], number[]>;

/** What a round works with. */
interface Stage {
  edges: WatchedEdges;
  admin: HttpClients;
  operator: ActionCaller;
  bucket: BucketView;
}

/** The processes: one storage, and each edge on a port of its own. */
function layoutOf(ports: readonly number[]): NonNullable<ClusterOptions['layout']> {
  return [
    { name: 'gateway', roles: 'gateway,accounts,registrar,ledger,searcher,scheduler' },
    { name: 'storage', roles: 'storage' },
    ...ports.map((port, index) => ({
      name: `delivery-${index + 1}`,
      roles: 'delivery',
      environment: { PLY_DELIVERY_PORT: String(port) },
    })),
  ];
}

/**
 * Purges, settings, suspensions and deletions, each from the answer to its order until the last of three edges shows it.
 * The edges are processes of their own, behind NATS and MongoDB-compatible records, and hold the file in their caches.
 */
export const part: Part = async ({ full }) => {
  const ports: number[] = [];
  while (ports.length < edgeCount) ports.push(await freePort());
  const cluster = await startCluster({
    environment: {
      PLY_LOG_LEVEL: 'warn',
      PLY_EMBEDDING_THREADS: '0',
      PLY_REQUESTS_PER_MINUTE: '100000000',
      PLY_STORAGE_REQUESTS_PER_MINUTE: '100000000',
    },
    layout: layoutOf(ports),
    log: (line) => process.stdout.write(`${line}\n`),
  });
  if ('unavailable' in cluster) return { skipped: cluster.unavailable };
  const rounds = full ? 250 : 25;
  const times: Times = { purge: [], settings: [], suspension: [], 'end of a suspension': [], deletion: [] };
  const edges = new WatchedEdges(ports);
  try {
    const configuration = readConfiguration({
      ...cluster.environment,
      PLY_DATA_DIR: join(cluster.folder, 'command-line'),
    });
    await withCluster(configuration, 'storage', async (operator) => {
      for (let from = 0; from < rounds; from += roundsOfAccount) {
        const name = `bench-edges-${from}`;
        const { organizationId, adminKey } = await askOperator(configuration, 'account.create', { name });
        const admin = new HttpClients(cluster.apiUrl, apiHeaders(organizationId, adminKey), 1);
        try {
          const bucket = await addBucket(admin, 'public', name);
          await change(admin, bucket, { uploadRules: { allowOverwrite: true } });
          for (let number = from; number < Math.min(rounds, from + roundsOfAccount); number += 1)
            await round({ edges, admin, operator, bucket }, number, times);
        } finally {
          await admin.close();
        }
      }
    });
  } finally {
    await edges.close();
    await cluster.stop();
  }
  return kinds.map((kind) => {
    const [seen, slowest] = [times[kind], Math.max(...times[kind])];
    return {
      name: `${kind}, ${seen.length} times: from the answer until ${edgeCount} edges show it`,
      measured: `p50 ${milliseconds(median(seen))}, p95 ${milliseconds(percentile(seen, 0.95))}, maximum ${milliseconds(slowest)}`,
      against: '',
      target: `maximum below ${maxMs} ms`,
      reached: slowest < maxMs,
    };
  });
};

async function change(admin: HttpClients, bucket: BucketView, settings: object): Promise<void> {
  await admin.ask({ method: 'PATCH', path: `${base}/buckets/${bucket.id}`, body: JSON.stringify(settings) });
}

/** Each kind of change once, to a file of the round's own. */
async function round({ edges, admin, operator, bucket }: Stage, number: number, times: Times): Promise<void> {
  const key = `file-${number}`;
  const shown = (isExpected: (answer: EdgeAnswer) => boolean): Promise<number> =>
    edges.until(bucket.defaultHostname, `/${key}`, isExpected);
  const isCopy = (text: string): Promise<number> =>
    shown(({ status, body, cache }) => status === 200 && body === text && cache === 'HIT');

  await storeFile(admin, bucket.id, key, Buffer.from('old'));
  await isCopy('old');
  const { id } = await storeFile(admin, bucket.id, key, Buffer.from('new'));
  await isCopy('old');
  await admin.ask({
    method: 'POST',
    path: `${base}/buckets/${bucket.id}/purges`,
    body: JSON.stringify({ prefixes: [key] }),
  });
  times.purge.push(await shown(({ body }) => body === 'new'));

  await isCopy('new');
  const browserCacheControl = `public, max-age=${1000 + number}`;
  await change(admin, bucket, { cache: { browserCacheControl } });
  times.settings.push(await shown(({ cacheControl }) => cacheControl === browserCacheControl));

  await isCopy('new');
  await call(operator, 'storage.suspendBucket', { bucketId: bucket.id, isSuspended: true });
  times.suspension.push(await shown(({ status, body }) => status === 403 && body.includes('bucket_suspended')));
  await call(operator, 'storage.suspendBucket', { bucketId: bucket.id, isSuspended: false });
  times['end of a suspension'].push(await shown(({ status, body }) => status === 200 && body === 'new'));

  await isCopy('new');
  await admin.ask({ method: 'DELETE', path: `${base}/objects/${id}` });
  times.deletion.push(await shown(({ status }) => status === 404));
}
