import type { BucketView } from '../../models/bucket.ts';
import type { AssetView } from '../../models/api.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import { content, expectRefused, registration, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, putObject } from './support/storage.ts';

/** Files that are registered by the delivery address of a bucket of the organization. */
let program: TestProgram;
let admin: Client;
let client: Client;
let bucket: BucketView;
beforeAll(async () => {
  program = await startTestProgram();
  // An organization that may read from no host of the network.
  const { id } = await program.admin.createOrganization('keepers');
  [admin, client] = [program.admin.as(id), program.standard.as(id)];
  await admin.get(200, 'PATCH', `${content}/settings`, { body: { sourceHosts: ['files.example.com'] } });
  bucket = await createBucket(admin);
});
afterAll(() => program.end());

const addressOf = (key: string, { defaultHostname }: BucketView = bucket): string =>
  `https://${defaultHostname}/${key.split('/').map(encodeURIComponent).join('/')}`;

describe('a file of an own bucket', () => {
  it('is read from the object store, private as it is, and found', async () => {
    const key = 'letters/März 1 & 2.txt';
    const { etag } = await putObject(client, bucket.id, key, Buffer.from('The keeper counts the gulls at noon.'));
    const { assetId } = await client.indexed({ sourceUrl: addressOf(key), sourceVersion: etag });
    expect(await client.asset(assetId)).toMatchObject({ state: 'ready', bucketId: bucket.id });
    const { items } = await client.search({ query: 'gulls at noon' });
    expect(items.map((item) => item.assetId)).toEqual([assetId]);
    const listed = (id: string): Promise<{ items: AssetView[] }> =>
      client.get(200, 'GET', `${content}/activity?bucketId=${id}`);
    expect((await listed(bucket.id)).items.map((item) => item.assetId)).toContain(assetId);
  });

  it('of several parts is read whole', async () => {
    const lines = 9 * 1024;
    const bytes = Buffer.from(`${`${' '.repeat(1023)}\n`.repeat(lines)}the last entry names the cormorant\n`);
    const { etag } = await putObject(client, bucket.id, 'log.txt', bytes);
    const { assetId } = await client.indexed({ sourceUrl: addressOf('log.txt'), sourceVersion: etag });
    const { items } = await client.search({ query: 'cormorant' });
    expect(items[0]).toMatchObject({ assetId, location: { lineEnd: lines + 1 } });
  });

  it('is played by a link as POST /sign makes it, while its object is there', async () => {
    const put = (): Promise<ObjectView> => putObject(client, bucket.id, 'played.txt', Buffer.from('once more'));
    const object = await put();
    const { assetId } = await client.indexed({ sourceUrl: addressOf('played.txt'), sourceVersion: object.etag });
    const path = `${content}/assets/${assetId}/playback`;
    expect(await client.get(200, 'GET', path)).toEqual({
      format: 'file',
      url: expect.stringMatching(/^https:\/\/[^/]+\/played\.txt\?expires=\d+&kid=[\w-]{8}&token=[\w-]{43}$/),
      nativeUrl: null,
      posterUrl: null,
      expiresAt: expect.stringMatching(/^\d{4}-/),
    });
    await client.get(204, 'DELETE', `${content}/objects/${object.id}`);
    expectRefused(await client.ask('GET', path), [409, 'asset_not_playable']);
    await put();
    await admin.get(200, 'PATCH', `${content}/buckets/${bucket.id}`, { body: { delivery: { ipBinding: true } } });
    expectRefused(await client.ask('GET', path), [409, 'asset_not_playable']);
  });

  it('has the version of its ETag', async () => {
    await putObject(client, bucket.id, 'changed.txt', Buffer.from('as it is now'));
    const { jobId } = await client.register({ sourceUrl: addressOf('changed.txt'), sourceVersion: '"as it was"' });
    expect(await client.reaches(jobId, 'failed')).toMatchObject({ errorCode: 'source_version_changed' });
  });

  it('that is not there waits for access', async () => {
    const { jobId } = await client.register({ sourceUrl: addressOf('missing.txt'), sourceVersion: '"1"' });
    expect(await client.reaches(jobId, 'awaiting_source_access')).toMatchObject({
      errorCode: 'source_access_denied',
    });
  });

  it('is no own file in other organizations, whose rules for hosts hold', async () => {
    const { id } = await program.admin.createOrganization('strangers');
    const stranger = program.standard.as(id);
    await program.admin
      .as(id)
      .get(200, 'PATCH', `${content}/settings`, { body: { sourceHosts: ['files.example.com'] } });
    const { etag } = await putObject(client, bucket.id, 'secret.txt', Buffer.from('not for strangers'));
    const body = registration({ sourceUrl: addressOf('secret.txt'), sourceVersion: etag });
    expectRefused(await stranger.ask('POST', `${content}/assets`, { body }), [403, 'source_host_not_allowed']);
  });
});
