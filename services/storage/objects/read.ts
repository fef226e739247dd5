import type { Caller } from '../../../models/api.ts';
import { invalid } from '../../../models/errors.ts';
import { behindPrefix, listKeyOf } from '../../../models/storage-key.ts';
import type { ObjectView } from '../../../models/storage-object.ts';
import { findBucket, type Storage } from '../tools.ts';
import { findObject, objectsOf } from './tools.ts';
import { objectView } from './view.ts';

/** One object, disabled or not. @throws Refusal `object_not_found` */
export async function readObject({ app }: Storage, { organizationId }: Caller, objectId: string): Promise<ObjectView> {
  const object = await findObject(app, organizationId, objectId);
  return objectView(app, await findBucket(app, organizationId, object.bucketId), object);
}

/** A page of a bucket's objects, by the bytes of their keys. `cursor` is the `nextCursor` of the page before. */
export interface ObjectsQuery {
  prefix: string;
  cursor?: string;
  limit: number;
}

/**
 * Lists objects whose keys begin with a prefix, disabled ones too, in byte order of the keys in UTF-8.
 * @throws Refusal `bucket_not_found`, `validation_error`
 */
export async function listObjects(
  { app }: Storage,
  { organizationId }: Caller,
  bucketId: string,
  { prefix, cursor, limit }: ObjectsQuery,
): Promise<{ items: ObjectView[]; nextCursor: string | null }> {
  const after = cursor === undefined ? null : readCursor(cursor);
  const bucket = await findBucket(app, organizationId, bucketId);
  const from = listKeyOf(prefix);
  const end = behindPrefix(from);
  const found = await objectsOf(app, organizationId).find({
    filter: {
      bucketId,
      listKey: { $exists: true, ...(from === '' ? {} : { $gte: from, ...(end === null ? {} : { $lt: end }) }) },
    },
    sort: [['listKey', 1]],
    // One more shows whether there is another page.
    limit: limit + 1,
    ...(after === null ? {} : { after: [listKeyOf(after)] }),
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((object) => objectView(app, bucket, object)),
    nextCursor: last !== undefined && found.length > limit ? writeCursor(last.key) : null,
  };
}

const cursorVersion = 'k';

function writeCursor(key: string): string {
  return Buffer.from(`${cursorVersion}${key}`).toString('base64url');
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const key = text.slice(cursorVersion.length);
  if (writeCursor(key) !== cursor || !text.startsWith(cursorVersion) || !text.isWellFormed())
    throw invalid(['query', 'cursor'], 'query.cursor must be the nextCursor of the page before, as it was answered.');
  return key;
}
