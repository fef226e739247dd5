import { call, type ActionCaller } from '../../mixins/actions/call.ts';
import { ownFileOf, type OwnFile } from '../../mixins/storage/own-files.ts';
import type { Caller, PlaybackLink } from '../../models/api.ts';
import { Refusal, refusalOf, type ErrorCode } from '../../models/errors.ts';
import { scopeOf } from '../../models/scope.ts';
import { isSourceKey, videos } from '../../models/video.ts';
import { presentTo } from './lists.ts';
import type { Registrar } from './registrar.ts';

/** Why a file cannot be signed although it is in a bucket of the organization, as far as that makes it not playable. */
const unplayable: ReadonlySet<ErrorCode> = new Set([
  'bucket_not_found',
  'bucket_not_active',
  'object_not_found',
  'video_not_found',
  'video_not_ready',
  // A bucket that binds its links to addresses: the caller's is not that of the player.
  'validation_error',
]);

/**
 * The link under which a file of the organization's own buckets is delivered; the source of a video is played as that
 * video, as long as it plays. A file that is elsewhere is played from there, so there is none.
 * @throws Refusal `asset_not_found`, `asset_not_playable`, `bucket_suspended`
 */
export async function playback(
  registrar: Registrar,
  actions: ActionCaller,
  caller: Caller,
  assetId: string,
  asReader: boolean,
  principals: readonly string[] | null,
): Promise<PlaybackLink> {
  const { sourceUrl, bucketId } = await presentTo(registrar, caller, assetId, asReader, principals);
  const file = bucketId === null ? null : await ownFileOf(registrar.app, caller.organizationId, sourceUrl);
  if (file === null) throw new Refusal('asset_not_playable');
  const { bucket, key } = file;
  try {
    const videoId = await videoOf(registrar, file);
    const request = { bucketId: bucket._id, ...(videoId === null ? { key } : { videoId }) };
    const {
      url,
      expiresAt,
      nativeUrl = null,
      posterUrl = null,
    } = await call(actions, 'storage.sign', { caller, request });
    return { format: videoId === null ? 'file' : 'hls', url, nativeUrl, posterUrl, expiresAt };
  } catch (error) {
    const refusal = refusalOf(error);
    throw refusal !== null && unplayable.has(refusal.type) ? new Refusal('asset_not_playable') : error;
  }
}

/** Id of the video whose source a file of a library is; null for other files. @throws Refusal `video_not_found` */
async function videoOf({ app }: Registrar, { bucket, key }: OwnFile): Promise<string | null> {
  if (bucket.kind !== 'video' || !isSourceKey(key)) return null;
  const [video] = await app.records.collection(videos, scopeOf(bucket.organizationId)).find({
    filter: { libraryId: bucket._id, sourceKey: key, listedAt: { $exists: true } },
    limit: 1,
  });
  if (video === undefined) throw new Refusal('video_not_found');
  return video._id;
}
