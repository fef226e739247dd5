import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '../client.ts';
import type { ChaosBucket, StoredFile, StoredFiles } from './stored-files.ts';

const content = '/api/content/v1';
/** Time for background work to catch up after the last kill, in milliseconds. */
const maxWaitMs = 120_000;

/** Creates two public buckets for each organization, one whose edges keep copies and one whose edges keep none. */
export async function createBuckets(owners: readonly ApiClient[]): Promise<ChaosBucket[]> {
  const buckets: ChaosBucket[] = [];
  for (const [index, owner] of owners.entries())
    for (const isCached of [false, true]) {
      const name = `chaos-${index}-${isCached ? 'cached' : 'fresh'}`;
      const { body } = await owner.askUntilAnswered(
        'POST',
        `${content}/buckets`,
        { name, region: 'in-west', visibility: 'public' },
        { 'Idempotency-Key': name },
      );
      const id = String(body['id']);
      await until(() =>
        owner.askUntilAnswered('GET', `${content}/buckets/${id}`).then(({ body }) => body['state'] === 'active'),
      );
      const cache = isCached ? {} : { cache: { edgeTtlSeconds: 0 } };
      await owner.askUntilAnswered('PATCH', `${content}/buckets/${id}`, {
        uploadRules: { allowOverwrite: true },
        ...cache,
      });
      buckets.push({ id, hostname: String(body['defaultHostname']), owner, isCached });
    }
  return buckets;
}

/** Compares all buckets with the answers, by the API and at each edge, once nothing is changed any more. */
export async function checkBuckets(
  library: StoredFiles,
  owners: readonly ApiClient[],
  edgePorts: readonly number[],
): Promise<void> {
  const buckets = new Set(library.files.map(({ bucket }) => bucket));
  for (const bucket of buckets) await checkBucket(library, bucket, owners);
  for (const file of library.files) for (const port of edgePorts) await checkDelivered(library, file, port);
}

async function checkBucket(library: StoredFiles, bucket: ChaosBucket, owners: readonly ApiClient[]): Promise<void> {
  const { owner, id } = bucket;
  const stored = library.files.filter((file) => file.bucket === bucket && file.current !== null);
  const { body } = await owner.askUntilAnswered('GET', `${content}/buckets/${id}/objects?limit=1000`);
  const listed = Array.isArray(body['items']) ? (body['items'] as { id: string; key: string; size: number }[]) : [];
  const listOf = (items: readonly { id: string | null; key: string; size: number }[]): string =>
    items
      .map((item) => `${item.key} ${item.id} ${item.size}`)
      .sort()
      .join('\n');
  const expected = stored.map(({ objectId, key, current }) => ({ id: objectId, key, size: current?.size ?? 0 }));
  if (listOf(listed) !== listOf(expected))
    library.fault(`${id} holds\n${listOf(listed)}\ninstead of\n${listOf(expected)}`);
  const total = expected.reduce((sum, { size }) => sum + size, 0);
  const counted = await until(async () => {
    const bucketNow = (await owner.askUntilAnswered('GET', `${content}/buckets/${id}`)).body;
    return bucketNow['storedBytes'] === total && bucketNow['objectCount'] === expected.length;
  });
  if (!counted) library.fault(`${id} does not count ${expected.length} objects with ${total} bytes`);
  for (const file of stored) await checkObject(library, file, owners);
  // Copies of what was overwritten may be delivered until then.
  const purge = await owner.askUntilAnswered('POST', `${content}/buckets/${id}/purges`, { all: true });
  const purged = await until(
    async () =>
      (await owner.askUntilAnswered('GET', `${content}/purges/${String(purge.body['id'])}`)).body['state'] ===
      'succeeded',
  );
  if (!purged) library.fault(`the purge of ${id} did not succeed: ${purge.status}`);
}

async function checkObject(
  library: StoredFiles,
  { bucket, objectId, current, key }: StoredFile,
  owners: readonly ApiClient[],
): Promise<void> {
  const path = `${content}/objects/${objectId}`;
  const wanted = current?.isDeclared === true ? 'verified' : 'not_requested';
  const isChecked = await until(async () => {
    const { body } = await bucket.owner.askUntilAnswered('GET', path);
    return body['checksumState'] === wanted && body['state'] === 'stored';
  });
  if (!isChecked) library.fault(`${key} did not become ${wanted}`);
  for (const other of owners)
    if (other !== bucket.owner && (await other.askUntilAnswered('GET', path)).status !== 404)
      library.fault(`another organization sees ${key}`);
}

async function checkDelivered(library: StoredFiles, file: StoredFile, port: number): Promise<void> {
  const { status, sha256 } = await library.downloadOne(file, null, port);
  const expected = file.current === null ? '404' : `200 ${file.current.sha256}`;
  if ((status === 200 ? `200 ${sha256}` : String(status)) !== expected)
    library.fault(
      `${file.bucket.id} ${file.key} is delivered as ${status} ${sha256} at the end, expected: ${expected}`,
    );
}

/** Asks until the answer is true; false if it is not in time. */
export async function until(isTrue: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + maxWaitMs;
  while (!(await isTrue())) {
    if (Date.now() > deadline) return false;
    await pause(200);
  }
  return true;
}
