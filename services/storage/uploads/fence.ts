import type { StoredObject } from '../../../models/storage-object.ts';
import type { Upload } from '../../../models/upload.ts';
import { objectsOf, objectWithKey } from '../objects/tools.ts';
import { tooBusy, writeAttempts, type StorageContext } from '../tools.ts';

/**
 * Makes it impossible that earlier requests that completed an upload still write its object. Such a request may have been
 * paused between the check of its claim and its write, for however long. An insert would have an id that is taken here,
 * and a replacement is conditional on a version that is over. Call it with a claim of one's own, and look afterwards
 * whether the object has been written. Idempotent.
 * The ids are taken by traces, as of deleted objects: they are kept for a day.
 * @param writer id that the caller itself gives the object; null if it writes none
 */
export async function fenceOff(
  app: Pick<StorageContext, 'records' | 'runtime'>,
  upload: Upload,
  writer: string | null,
): Promise<void> {
  const earlier = writersOf(upload).filter((id) => id !== writer);
  if (earlier.length === 0) return;
  const objects = objectsOf(app, upload.organizationId);
  const goneAt = app.runtime.now();
  await objects.insertNew(earlier.map((id) => traceOf(upload, id, goneAt)));
  for (let attempt = 0; ; attempt += 1) {
    const present = await objectWithKey(app, upload);
    if (present === null || present.contentId === upload.contentId) return;
    const { _id, version } = present;
    if ((await objects.update(_id, { version }, { increment: { version: 1 } })) !== null) return;
    if (attempt === writeAttempts) throw tooBusy();
  }
}

/** Ids under which requests that completed an upload may still write its object. Former versions used the content's id. */
export function writersOf({ writers, token, contentId }: Upload): string[] {
  return writers ?? (token > 0 ? [contentId] : []);
}

/** Whether an object may have the parts of an upload, now or soon: a completion is in progress, or its end is not known. */
export function mayHaveObject(upload: Upload): boolean {
  return upload.completion !== null || writersOf(upload).length > 0;
}

/** The trace of an object that never existed. */
function traceOf(upload: Upload, _id: string, goneAt: number): StoredObject {
  const { organizationId, bucketId, key, size, contentType, sha256, contentId } = upload;
  return {
    _id,
    organizationId,
    bucketId,
    key,
    size,
    contentType,
    sha256,
    checksumState: 'not_requested',
    etag: '',
    state: 'stored',
    metadata: {},
    content: { id: contentId, form: '' },
    createdAt: goneAt,
    updatedAt: goneAt,
    createdVia: 'plycdn',
    goneAt,
    version: 1,
    outbox: [],
  };
}
