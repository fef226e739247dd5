import type { Collection } from '../../adapters/records/port.ts';
import { scopeOf } from '../../models/scope.ts';
import { behindPrefix, listKeyOf } from '../../models/storage-key.ts';
import { storedObjects, type StoredObject } from '../../models/storage-object.ts';
import type { AppContext } from '../app-context.ts';
import { hiddenVideos } from './readable-files.ts';

/** One line of a listing: an object, or what the keys of several have in common up to a delimiter. */
export type Listed = { object: StoredObject } | { prefix: string };

/** Which objects to list, by the bytes of their keys. */
export interface KeyQuery {
  organizationId: string;
  bucketId: string;
  prefix: string;
  /** Keys that have it behind the prefix are listed as one prefix, up to and with it. Empty: none. */
  delimiter: string;
  /** Only keys and prefixes behind this one; empty for all. */
  after: string;
  limit: number;
}

/** Documents that are read at a time. */
const batchSize = 500;

/**
 * Lists the stored objects of a bucket (disabled ones are left out, as are files of videos that are taken down) and the
 * prefixes of their keys, in byte order of UTF-8. A prefix costs one read however many keys have it.
 * @returns at most `limit` lines, and whether there are more
 */
export async function listKeys(
  app: Pick<AppContext, 'records'>,
  { organizationId, bucketId, prefix, delimiter, after, limit }: KeyQuery,
): Promise<{ listed: Listed[]; isTruncated: boolean }> {
  const objects = app.records.collection(storedObjects, scopeOf(organizationId));
  const listed: Listed[] = [];
  const common = (key: string): string | null => {
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    return at < 0 ? null : key.slice(0, at + delimiter.length);
  };
  let from = startOf(prefix, after, common);
  while (from !== null) {
    const wanted: number = Math.min(batchSize, limit - listed.length + 1);
    const batch = await readBatch(objects, bucketId, prefix, from, wanted);
    const hidden = await hiddenVideos(app, organizationId, batch);
    let skipped = '';
    for (const object of batch) {
      if (hidden.has(object.videoId ?? '')) continue;
      if (skipped !== '' && object.key.startsWith(skipped)) continue;
      if (listed.length >= limit) return { listed, isTruncated: true };
      const group = common(object.key);
      skipped = group ?? '';
      listed.push(group === null ? { object } : { prefix: group });
    }
    const last = batch.at(-1);
    if (batch.length < wanted || last === undefined) break;
    from = skipped === '' ? { key: last.key, isIncluded: false } : behind(skipped);
  }
  return { listed, isTruncated: false };
}

/** Where a read begins. */
interface Start {
  key: string;
  isIncluded: boolean;
}

/** Where the keys behind all those with a prefix begin; null if there can be none. */
function behind(prefix: string): Start | null {
  const key = behindPrefix(prefix);
  return key === null ? null : { key, isIncluded: true };
}

function startOf(prefix: string, after: string, common: (key: string) => string | null): Start | null {
  if (after === '' || listKeyOf(after) < listKeyOf(prefix)) return { key: prefix, isIncluded: true };
  const group = after.startsWith(prefix) ? common(after) : null;
  return group === null ? { key: after, isIncluded: false } : behind(group);
}

function readBatch(
  objects: Collection<StoredObject>,
  bucketId: string,
  prefix: string,
  { key, isIncluded }: Start,
  limit: number,
): Promise<StoredObject[]> {
  const end = behindPrefix(prefix);
  const from = listKeyOf(key);
  return objects.find({
    filter: {
      bucketId,
      state: 'stored',
      listKey: {
        $exists: true,
        ...(from === '' ? {} : isIncluded ? { $gte: from } : { $gt: from }),
        ...(end === null ? {} : { $lt: listKeyOf(end) }),
      },
    },
    sort: [['listKey', 1]],
    limit,
  });
}
