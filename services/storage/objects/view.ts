import type { Bucket } from '../../../models/bucket.ts';
import { isoTime } from '../../../models/runtime.ts';
import { encodeKey } from '../../../models/storage-key.ts';
import type { ObjectView, StoredObject } from '../../../models/storage-object.ts';
import { defaultHostname } from '../buckets/view.ts';
import type { StorageContext } from '../tools.ts';

/** An object as the API shows it; with its address where it is delivered without a signed link. */
export function objectView(
  app: Pick<StorageContext, 'configuration'>,
  bucket: Pick<Bucket, 'name' | 'state' | 'visibility' | 'suspendedAt'>,
  object: StoredObject,
): ObjectView {
  const { key, createdAt, updatedAt, createdVia } = object;
  const isOpen =
    bucket.state === 'active' &&
    bucket.suspendedAt === null &&
    bucket.visibility === 'public' &&
    object.state === 'stored';
  return {
    id: object._id,
    bucketId: object.bucketId,
    key,
    size: object.size,
    contentType: object.contentType,
    sha256: object.sha256,
    checksumState: object.checksumState,
    etag: object.etag,
    state: object.state,
    metadata: object.metadata,
    ...(isOpen ? { url: `https://${defaultHostname(app, bucket.name)}/${encodeKey(key)}` } : {}),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    createdVia,
  };
}
