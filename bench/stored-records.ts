import { openSqliteRecords } from '../adapters/records/sqlite/records.ts';
import { systemRuntime, timeOrderedUuid } from '../models/runtime.ts';
import { scopeOf } from '../models/scope.ts';
import { listKeyOf } from '../models/storage-key.ts';
import { storedObjects, type StoredObject } from '../models/storage-object.ts';

const together = 1000;

/**
 * Writes records of objects, as uploads leave them, into the data folder of a program that is stopped: a fast way to have
 * many. There are no bytes behind them. Ids grow with time, where those of uploads are random: so the indexes of ids grow
 * at their ends, instead of being read and written all over.
 */
export async function addObjects(
  folder: string,
  { organizationId, bucketId }: { organizationId: string; bucketId: string },
  keys: readonly string[],
): Promise<void> {
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  try {
    await records.prepare([storedObjects]);
    const objects = records.collection(storedObjects, scopeOf(organizationId));
    for (let from = 0; from < keys.length; from += together)
      await objects.insertNew(keys.slice(from, from + together).map((key) => objectOf(organizationId, bucketId, key)));
  } finally {
    await records.close();
  }
}

function objectOf(organizationId: string, bucketId: string, key: string): StoredObject {
  const contentId = timeOrderedUuid(systemRuntime);
  return {
    _id: timeOrderedUuid(systemRuntime),
    organizationId,
    bucketId,
    key,
    liveKey: key,
    listKey: listKeyOf(key),
    size: 1000,
    contentType: 'application/octet-stream',
    sha256: null,
    checksumState: 'not_requested',
    etag: `"${contentId.replaceAll('-', '')}"`,
    state: 'stored',
    metadata: {},
    content: { id: contentId, form: 'none' },
    contentId,
    createdAt: 0,
    updatedAt: 0,
    createdVia: 'plycdn',
    version: 1,
    outbox: [],
  };
}
