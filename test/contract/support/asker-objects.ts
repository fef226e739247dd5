import { randomUUID } from 'node:crypto';
import { until } from '../../api/support/client.ts';
import { sendPart } from '../../api/support/storage.ts';
import type { BucketView } from '../../../models/bucket.ts';
import type { ObjectView } from '../../../models/storage-object.ts';
import type { FreshUploadView } from '../../../models/upload.ts';
import type { Asker } from './asker.ts';

/** Objects and uploads: their successes and errors. */
export async function askAboutObjects({ succeed, refused }: Asker): Promise<void> {
  const create = async (settings?: object): Promise<{ bucketId: string }> => {
    const { id: bucketId } = await succeed<BucketView>('createBucket', {
      body: { name: `b-${randomUUID()}`, region: 'in-west', visibility: 'public' },
      headers: { 'Idempotency-Key': randomUUID() },
    });
    await until(
      () => succeed<BucketView>('readBucket', { ids: { bucketId } }),
      ({ state }) => state === 'active',
    );
    if (settings !== undefined) await succeed('changeBucket', { ids: { bucketId }, body: settings });
    return { bucketId };
  };
  const ids = await create({ uploadRules: { allowedTypes: ['text/plain'] } });
  const body = { key: 'a', size: 6, contentType: 'text/plain' };
  const start = async (text: string): Promise<{ uploadId: string }> => {
    const upload = await succeed<FreshUploadView>('startUpload', { ids, body });
    await sendPart(upload.parts[0]?.url, Buffer.from(text));
    return { uploadId: upload.id };
  };
  await refused('startUpload', 'file_type_not_allowed', { ids, body: { ...body, contentType: 'image/png' } });
  const { id: emptyId } = await succeed<FreshUploadView>('startUpload', { ids, body });
  await refused('completeUpload', 'upload_incomplete', { ids: { uploadId: emptyId } });
  const [first, markup, late] = [await start('abcdef'), await start('<html>'), await start('abcdef')];
  await succeed('readUpload', { ids: first });
  await succeed('renewUpload', { ids: first });
  const object = await succeed<ObjectView>('completeUpload', { ids: first });
  await refused('completeUpload', 'file_type_not_allowed', { ids: markup });
  await refused('completeUpload', 'object_exists', { ids: late });
  await refused('startUpload', 'object_exists', { ids, body });
  await succeed('abortUpload', { ids: first });
  await succeed('abortUpload', { ids: late });
  for (const operation of ['renewUpload', 'completeUpload']) await refused(operation, 'upload_not_open', { ids: late });
  const named = { objectId: object.id };
  await succeed('listObjects', { ids, query: '?prefix=a&limit=1' });
  await succeed('readObject', { ids: named });
  await succeed('sign', { body: { ...ids, ...named } });
  await succeed('changeBucket', { ids, body: { visibility: 'private' } });
  await succeed('sign', { body: { ...ids, ...named } });
  await succeed('changeObject', { ids: named, body: { metadata: { a: 'x', b: 1.5, c: null } } });
  await succeed('removeObject', { ids: named });
  await refused('completeUpload', 'object_not_found', { ids: first });
  const kept = await succeed<ObjectView>('completeUpload', { ids: await start('abcdef') });
  const other = await succeed<FreshUploadView>('startUpload', { ids, body: { ...body, key: 'b' } });
  await succeed('removeBucket', { ids });
  await refused('startUpload', 'bucket_not_active', { ids, body });
  for (const operation of ['changeObject', 'removeObject'])
    await refused(operation, 'bucket_not_active', {
      ids: { objectId: kept.id },
      ...(operation === 'changeObject' ? { body: {} } : {}),
    });
  // It is aborted in a moment.
  for (const operation of ['renewUpload', 'completeUpload'])
    await refused(operation, 'bucket_not_active', { ids: { uploadId: other.id } });
}
