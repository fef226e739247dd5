import { randomUUID } from 'node:crypto';
import { until } from '../../api/support/client.ts';
import { clip } from '../../api/support/clips.ts';
import { sendPart } from '../../api/support/storage.ts';
import type { ObjectView } from '../../../models/storage-object.ts';
import type { LibraryView, NewVideoView, VideoView } from '../../../models/video.ts';
import type { Asker } from './asker.ts';

/** Video libraries and videos: their successes and errors. */
export async function askAboutVideos({ succeed, refused }: Pick<Asker, 'succeed' | 'refused'>): Promise<void> {
  const key = (): { 'Idempotency-Key': string } => ({ 'Idempotency-Key': randomUUID() });
  const name = `l-${randomUUID()}`;
  const first = key();
  const { id } = await succeed<LibraryView>('createLibrary', {
    body: { name, region: 'in-west', delivery: { linkTtlSeconds: 60 }, processing: { ladder: [480, 240] } },
    headers: first,
  });
  await refused('createLibrary', 'idempotency_conflict', { body: { name, region: 'in-west' }, headers: first });
  const ids = { libraryId: id };
  await until(
    () => succeed<LibraryView>('readLibrary', { ids }),
    ({ state }) => state === 'active',
  );
  await refused('createLibrary', 'bucket_name_taken', { body: { name, region: 'in-west' }, headers: key() });
  await refused('createLibrary', 'region_not_available', { body: { name, region: 'moon' }, headers: key() });
  await succeed('listLibraries');
  await succeed('changeLibrary', { ids, body: { processing: null, maxObjectBytes: 5, delivery: {} } });
  const video = await succeed<NewVideoView>('createVideo', {
    ids,
    body: { size: 5, contentType: 'video/mp4', title: 'A', metadata: { a: 1 } },
    headers: first,
  });
  await refused('sign', 'video_not_ready', { body: { bucketId: id, videoId: video.id } });
  await refused('createVideo', 'idempotency_conflict', {
    ids,
    body: { size: 6, contentType: 'video/mp4' },
    headers: first,
  });
  const named = { videoId: video.id };
  await succeed<VideoView>('readVideo', { ids: named });
  await succeed('listVideos', { ids, query: '?status=uploading&limit=1' });
  await succeed('changeVideo', { ids: named, body: { title: 'B', metadata: { b: 'x' } } });
  await succeed('changeBucket', { ids: { bucketId: id }, body: { uploadRules: { maxObjectBytes: 5 } } });
  await sendPart(video.upload.parts[0]?.url, Buffer.from('abcde'));
  const source = await succeed<ObjectView>('completeUpload', { ids: { uploadId: video.upload.id } });
  for (const operation of ['changeObject', 'removeObject'])
    await refused(operation, 'object_managed', {
      ids: { objectId: source.id },
      ...(operation === 'changeObject' ? { body: {} } : {}),
    });
  await succeed('readUpload', { ids: { uploadId: video.upload.id } });
  await succeed('removeVideo', { ids: named });
  await askAboutEncoding({ succeed, refused }, id);
  await succeed('removeLibrary', { ids });
  await refused('changeLibrary', 'bucket_not_active', { ids, body: {} });
  await refused('createVideo', 'bucket_not_active', {
    ids,
    body: { size: 1, contentType: 'video/mp4' },
    headers: key(),
  });
}

/** Videos that were encoded, and may be encoded again. */
async function askAboutEncoding(
  { succeed, refused }: Pick<Asker, 'succeed' | 'refused'>,
  libraryId: string,
): Promise<void> {
  const bytes = await clip({ seconds: 0.2, size: '32x32', sound: false });
  const encoded = async (keepOriginal: boolean): Promise<{ videoId: string }> => {
    await succeed('changeLibrary', {
      ids: { libraryId },
      body: { maxObjectBytes: null, processing: { keepOriginal, thumbnails: false } },
    });
    const { id, upload } = await succeed<NewVideoView>('createVideo', {
      ids: { libraryId },
      body: { size: bytes.length, contentType: 'video/mp4' },
      headers: { 'Idempotency-Key': randomUUID() },
    });
    await refused('reencodeVideo', 'video_not_ready', { ids: { videoId: id } });
    await sendPart(upload.parts[0]?.url, bytes);
    await succeed('completeUpload', { ids: { uploadId: upload.id } });
    await until(
      () => succeed<VideoView>('readVideo', { ids: { videoId: id } }),
      ({ status }) => status === 'ready',
    );
    return { videoId: id };
  };
  await refused('reencodeVideo', 'original_not_kept', { ids: await encoded(false) });
  await succeed('reencodeVideo', { ids: await encoded(true) });
}
