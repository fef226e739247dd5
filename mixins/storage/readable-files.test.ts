import { buckets } from '../../models/bucket.ts';
import { systemScope } from '../../models/scope.ts';
import { listKeyOf } from '../../models/storage-key.ts';
import { storedObjects, type StoredObject } from '../../models/storage-object.ts';
import { videos } from '../../models/video.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { testBucket } from '../../test/support/bucket.ts';
import { testVideo } from '../../test/support/video.ts';
import { objectNamed } from './door-lookup.ts';
import { listKeys } from './key-listing.ts';
import { readableObject } from './own-files.ts';

let test: TestApp;
const bucket = testBucket({ kind: 'video' });
beforeAll(async () => {
  test = await testApp();
  const { records } = test.app;
  await records.collection(buckets, systemScope).insert(bucket);
  const { listedAt: _, ...deleted } = testVideo({ _id: 'deleted', libraryId: bucket._id });
  for (const video of [
    testVideo({ _id: 'shown', libraryId: bucket._id }),
    testVideo({ _id: 'down', libraryId: bucket._id, disabledAt: 1 }),
    deleted,
  ]) {
    await records.collection(videos, systemScope).insert(video);
    await put({ key: `videos/${video._id}/master.m3u8`, videoId: video._id });
  }
  await put({ key: 'sources/plain.mp4' });
  await put({ key: 'sources/disabled.mp4', state: 'disabled' });
});
afterAll(() => test.close());

async function put(fields: Pick<StoredObject, 'key'> & Partial<StoredObject>): Promise<void> {
  const { organizationId, _id: bucketId } = bucket;
  const { key } = fields;
  await test.app.records.collection(storedObjects, systemScope).insert({
    _id: key,
    organizationId,
    bucketId,
    liveKey: key,
    listKey: listKeyOf(key),
    size: 1,
    contentType: 'video/mp4',
    sha256: null,
    checksumState: 'not_requested',
    etag: '"e"',
    state: 'stored',
    metadata: {},
    content: { id: key, form: 'parts' },
    contentId: key,
    createdAt: 1,
    updatedAt: 1,
    createdVia: 'plycdn',
    version: 1,
    outbox: [],
    ...fields,
  });
}

const readable = ['sources/plain.mp4', 'videos/shown/master.m3u8'];
const all = [...readable, 'sources/disabled.mp4', 'videos/down/master.m3u8', 'videos/deleted/master.m3u8'];

it.each([objectNamed, readableObject])('%p finds no file of a video that is taken down or deleted', async (find) => {
  const found = await Promise.all(all.map((key) => find(test.app, bucket, key)));
  expect(found.map((object) => object?.key ?? null)).toEqual([...readable, null, null, null]);
});

it('a listing of the doors leaves them out, also where a page is full of them', async () => {
  const query = { organizationId: bucket.organizationId, bucketId: bucket._id, prefix: '', after: '' };
  const keys = async (delimiter: string, limit: number): Promise<string[]> =>
    (await listKeys(test.app, { ...query, delimiter, limit })).listed.map((line) =>
      'object' in line ? line.object.key : line.prefix,
    );
  expect(await keys('', 1000)).toEqual(readable);
  expect(await keys('', 2)).toEqual(readable);
  expect(await keys('/', 1000)).toEqual(['sources/', 'videos/']);
});
