import { ListBucketsCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import type { NewCredentialView } from '../../models/storage-credential.ts';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { faultOf as blobFaultOf } from '../api/support/blob.ts';
import { Client, content, until } from '../api/support/client.ts';
import { clientOf, faultOf as s3FaultOf } from '../api/support/s3.ts';
import { ownerEnvironment, signIn } from '../api/support/session.ts';
import { createBucket } from '../api/support/storage.ts';
import { freePort } from '../servers/ports.ts';
import { skipWithReason } from '../support/servers.ts';

/** Within which a revocation holds at every door, in milliseconds. */
const revokedMs = 30_000;

// Away from every other actor, as a Deployment of their own runs them: they have only the stores of their roles.
const doors = await Promise.all(
  ['doors-1', 'doors-2'].map(async (name) => ({ name, s3: await freePort(), blob: await freePort() })),
);
const started = await startCluster({
  environment: { PLY_EMBEDDING_THREADS: '0', PLY_LOG_LEVEL: 'error', ...ownerEnvironment },
  layout: [
    { name: 'gateway', roles: 'gateway' },
    { name: 'accounts', roles: 'accounts' },
    { name: 'ledger', roles: 'ledger' },
    { name: 'storage', roles: 'storage' },
    { name: 'rest', roles: 'registrar,searcher,scheduler' },
    ...doors.map(({ name, s3, blob }) => ({
      name,
      roles: 's3,blob',
      environment: { PLY_S3_PORT: String(s3), PLY_BLOB_PORT: String(blob) },
    })),
  ],
});

if ('unavailable' in started) skipWithReason('doors over a cluster', started.unavailable);
else {
  const cluster = started;
  afterAll(() => cluster.stop(), 60_000);

  it('doors in processes of their own share objects, are counted, and all refuse a revoked credential', async () => {
    const admin = new Client(cluster.apiUrl, cluster.organizationId, cluster.adminKey);
    const session = await signIn({ url: cluster.apiUrl, organizationId: cluster.organizationId });
    const path = `${content}/storage-credentials`;
    await admin.get(201, 'POST', `${content}/storage-account`, { body: { name: 'acme', homeRegion: 'in-west' } });
    const { name: bucket } = await createBucket(admin, {});
    const make = (kind: string): Promise<NewCredentialView> =>
      session.get(201, 'POST', path, { body: { name: kind, kind, permissions: ['read', 'write'] } });
    const [s3Key, blobKey] = [await make('s3'), await make('azure')];
    const s3Clients: S3Client[] = doors.map(({ s3 }) => clientOf(`http://127.0.0.1:${s3}`, s3Key));
    const blobClients = doors.map(
      ({ blob }) =>
        new BlobServiceClient(`http://127.0.0.1:${blob}/acme`, new StorageSharedKeyCredential('acme', blobKey.secret), {
          retryOptions: { maxTries: 1 },
        }),
    );
    /** The status with which each door refuses; null where it lets the client in. */
    const statuses = async (): Promise<unknown[]> => [
      ...(await Promise.all(
        s3Clients.map(async (client) => (await s3FaultOf(client.send(new ListBucketsCommand({}))))[1]),
      )),
      ...(await Promise.all(blobClients.map(async (client) => (await blobFaultOf(client.getAccountInfo())).status))),
    ];
    expect(await statuses()).toEqual([null, null, null, null]);

    for (const [index, writer] of s3Clients.entries()) {
      await writer.send(new PutObjectCommand({ Bucket: bucket, Key: `by-${index}`, Body: `written at door ${index}` }));
      // By the other process.
      const reader = blobClients[1 - index]?.getContainerClient(bucket).getBlobClient(`by-${index}`);
      expect((await reader?.downloadToBuffer())?.toString()).toBe(`written at door ${index}`);
    }

    const written = async (): Promise<number | undefined> => {
      const { metrics } = await admin.get<{ metrics: { metric: string; points: { quantity: number }[] }[] }>(
        200,
        'GET',
        `${content}/usage/daily`,
      );
      return metrics.find(({ metric }) => metric === 'gateway_write_requests_millions')?.points[0]?.quantity;
    };
    // One write at each door, handed over to the ledger by two processes.
    expect(await until(written, (quantity) => (quantity ?? 0) >= 2e-6)).toBe(2e-6);

    for (const { id } of [s3Key, blobKey]) await session.get(200, 'DELETE', `${path}/${id}`);
    const revoked = performance.now();
    const found = await until(statuses, (all) => all.every((status) => status !== null), revokedMs);
    expect(found).toEqual([403, 403, 403, 403]);
    expect(performance.now() - revoked).toBeLessThan(revokedMs);
  }, 60_000);
}
