import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BucketView } from '../../models/bucket.ts';
import type { DomainView } from '../../models/domain.ts';
import type { PurgeView } from '../../models/purge.ts';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { Client, content, until } from '../api/support/client.ts';
import { createBucket, putObject } from '../api/support/storage.ts';
import { startTestDns } from '../servers/dns.ts';
import { freePort } from '../servers/ports.ts';
import { commandLine } from '../support/command-line.ts';
import { get } from '../support/edge.ts';
import { skipWithReason } from '../support/servers.ts';

const deliveryDomain = 'cdn.ply-delivery.net';
const ports = [await freePort(), await freePort(), await freePort()];
const dns = await startTestDns();
const started = await startCluster({
  environment: {
    PLY_EMBEDDING_THREADS: '0',
    PLY_LOG_LEVEL: 'error',
    PLY_DELIVERY_DOMAIN: deliveryDomain,
    PLY_DNS_SERVERS: dns.address,
  },
  layout: [
    { name: 'gateway', roles: 'gateway,accounts,registrar,ledger,searcher,scheduler' },
    { name: 'storage', roles: 'storage' },
    ...ports.map((port, index) => ({
      name: `delivery-${index + 1}`,
      roles: 'delivery',
      environment: { PLY_DELIVERY_PORT: String(port) },
    })),
  ],
});

if ('unavailable' in started) {
  await dns.stop();
  skipWithReason('delivery over a cluster', started.unavailable);
} else {
  const cluster = started;
  afterAll(async () => {
    await cluster.stop();
    await dns.stop();
  }, 60_000);
  const admin = new Client(cluster.apiUrl, cluster.organizationId, cluster.adminKey);
  const ply = commandLine({ ...cluster.environment, PLY_DATA_DIR: cluster.folder });

  /** Status and body, or the code of a refusal, at each edge. */
  const atEach = (host: string, target: string): Promise<string[]> =>
    Promise.all(
      ports.map(async (port) => {
        const { status, body, code } = await get(port, host, target);
        return `${status} ${code ?? body.toString()}`;
      }),
    );
  /** Waits until each edge answers so; returns the milliseconds, which must be under a second. */
  async function visibleAt(host: string, target: string, expected: string): Promise<number> {
    const since = performance.now();
    for (;;) {
      const answers = await atEach(host, target);
      const milliseconds = performance.now() - since;
      if (answers.every((answer) => answer === expected)) {
        expect(milliseconds).toBeLessThan(1000);
        return milliseconds;
      }
      if (milliseconds > 10_000) throw new Error(`the edges answer ${answers.join(', ')} instead of ${expected}`);
      await pause(5);
    }
  }
  const patch = (bucket: BucketView, body: object): Promise<BucketView> =>
    admin.get(200, 'PATCH', `${content}/buckets/${bucket.id}`, { body });
  const put = (bucket: BucketView, key: string, text: string) =>
    putObject(admin, bucket.id, key, Buffer.from(text), { contentType: 'text/plain' });

  it('settings, purges, deletions and takedowns are visible at three edges within a second', async () => {
    const bucket = await createBucket(admin, { visibility: 'public' }, { uploadRules: { allowOverwrite: true } });
    const host = bucket.defaultHostname;
    for (let round = 0; round < 5; round += 1) {
      const { id } = await put(bucket, 'a', `text ${round}`);
      await visibleAt(host, '/a', `200 text ${round}`);
      await patch(bucket, { visibility: 'private' });
      await visibleAt(host, '/a', '403 link_required');
      await patch(bucket, { visibility: 'public' });
      await visibleAt(host, '/a', `200 text ${round}`);
      await put(bucket, 'a', `other ${round}`);
      expect(await atEach(host, '/a')).toEqual(ports.map(() => `200 text ${round}`));
      const purge = await admin.get<PurgeView>(202, 'POST', `${content}/buckets/${bucket.id}/purges`, {
        body: { prefixes: ['a'] },
      });
      await visibleAt(host, '/a', `200 other ${round}`);
      const path = `${content}/purges/${purge.id}`;
      await until(
        () => admin.get<PurgeView>(200, 'GET', path),
        ({ state }) => state === 'succeeded',
      );
      await admin.ask('DELETE', `${content}/objects/${id}`);
      await visibleAt(host, '/a', '404 not_found');
      // It is kept for a moment that there is no such file.
      const all = { body: { all: true } };
      if (round < 4) await admin.get(202, 'POST', `${content}/buckets/${bucket.id}/purges`, all);
    }
    const { id } = await put(bucket, 'b', 'taken down');
    await visibleAt(host, '/b', '200 taken down');
    expect(await ply(['bucket', 'suspend', bucket.id])).toMatchObject({ code: 0 });
    await visibleAt(host, '/b', '403 bucket_suspended');
    expect(await ply(['bucket', 'unsuspend', bucket.id])).toMatchObject({ code: 0 });
    await visibleAt(host, '/b', '200 taken down');
    expect(await ply(['object', 'takedown', id])).toMatchObject({ code: 0 });
    await visibleAt(host, '/b', '404 not_found');
  }, 120_000);

  it.each(['in-west', 'eu-central'])(
    'links of a bucket in %s open at each edge until the key is rotated',
    async (region) => {
      const bucket = await createBucket(admin, { region });
      await put(bucket, 'a', 'private');
      const body = { bucketId: bucket.id, key: 'a' };
      const { url } = await admin.get<{ url: string }>(200, 'POST', `${content}/sign`, { body });
      const target = url.slice(bucket.deliveryBaseUrl.length);
      expect(await atEach(bucket.defaultHostname, target)).toEqual(ports.map(() => '200 private'));
      await admin.get(200, 'POST', `${content}/buckets/${bucket.id}/signing-key/rotate`);
      await visibleAt(bucket.defaultHostname, target, '403 link_invalid');
    },
  );

  it('a custom domain becomes active at each edge, and is served no more after its deletion', async () => {
    const bucket = await createBucket(admin, { visibility: 'public' });
    await put(bucket, 'a', 'by domain');
    const hostname = `files.${randomUUID()}.com`;
    expect(await atEach(hostname, '/a')).toEqual(ports.map(() => '404 not_found'));
    const added = await admin.get<DomainView>(202, 'POST', `${content}/domains`, {
      body: { bucketId: bucket.id, hostname },
      headers: { 'Idempotency-Key': hostname },
    });
    const valueOf = (type: string): string => added.records.find((record) => record.type === type)?.value ?? '';
    dns.records.set(`_plycdn.${hostname}`, { TXT: [valueOf('TXT')] });
    dns.records.set(hostname, { CNAME: valueOf('CNAME') });
    await admin.ask('POST', `${content}/domains/${added.id}/check`);
    await until(
      () => admin.get<DomainView>(200, 'GET', `${content}/domains/${added.id}`),
      ({ state }) => state === 'active',
    );
    await visibleAt(hostname, '/a', '200 by domain');
    await admin.ask('DELETE', `${content}/domains/${added.id}`);
    await visibleAt(hostname, '/a', '404 not_found');
  }, 120_000);

  it('what three edges deliver is counted to the byte', async () => {
    const bucket = await createBucket(admin, { visibility: 'public' });
    await put(bucket, 'a', 'x'.repeat(100_000));
    let bytes = 0;
    for (let round = 0; round < 7; round += 1)
      for (const port of ports) bytes += (await get(port, bucket.defaultHostname, '/a')).body.length;
    const today = new Date().toISOString().slice(0, 10);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const { totals } = await until(
      () =>
        admin.get<{ totals: { gb: number; requests: number } }>(
          200,
          'GET',
          `${content}/delivery/analytics?from=${yesterday}&to=${today}&bucketId=${bucket.id}`,
        ),
      (found) => found.totals.requests >= 21,
    );
    expect(totals).toEqual({ requests: 21, gb: Math.round((bytes / 2 ** 30) * 1e6) / 1e6 });
  }, 120_000);
}
