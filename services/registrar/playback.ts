import { call, type ActionCaller } from '../../mixins/actions/call.ts';
import { ownFileOf } from '../../mixins/storage/own-files.ts';
import type { Caller, PlaybackLink } from '../../models/api.ts';
import { Refusal, refusalOf, type ErrorCode } from '../../models/errors.ts';
import { presentTo } from './lists.ts';
import type { Registrar } from './registrar.ts';

/** Why a file cannot be signed although it is in a bucket of the organization, as far as that makes it not playable. */
const unplayable: ReadonlySet<ErrorCode> = new Set([
  'bucket_not_found',
  'bucket_not_active',
  'object_not_found',
  // A bucket that binds its links to addresses: the caller's is not that of the player.
  'validation_error',
]);

/**
 * The link under which a file of the organization's own buckets is delivered. A file that is elsewhere is played from
 * there, so there is none.
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
    const { url, expiresAt } = await call(actions, 'storage.sign', { caller, request: { bucketId: bucket._id, key } });
    return { format: 'file', url, nativeUrl: null, posterUrl: null, expiresAt };
  } catch (error) {
    const refusal = refusalOf(error);
    throw refusal !== null && unplayable.has(refusal.type) ? new Refusal('asset_not_playable') : error;
  }
}
