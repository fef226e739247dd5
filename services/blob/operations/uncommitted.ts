import type { KeyQuery, Listed } from '../../../mixins/storage/key-listing.ts';
import { scopeOf } from '../../../models/scope.ts';
import { listKeyOf } from '../../../models/storage-key.ts';
import { blocksKeyOf, uploads, type Upload } from '../../../models/upload.ts';
import type { Door } from '../door.ts';

/** Most uploads that an organization has open, and with them blobs of which there are blocks alone. */
const maxOpen = 1000;

/** A line of a list of blobs: one that is stored, one of which there are blocks alone, or a prefix of names. */
export type BlobLine = Listed | { waiting: Upload };

/** The key of a line, or its prefix. */
export function lineKey(line: BlobLine): string {
  return 'object' in line ? line.object.key : 'waiting' in line ? line.waiting.key : line.prefix;
}

/**
 * Adds blobs of which there are blocks alone to a page of stored ones, in their order.
 * @param page of the stored ones, as `listKeys` answers it
 * @returns at most as many lines as the query wants, and whether there are more
 */
export async function withUncommitted(
  { app }: Door,
  { organizationId, bucketId, prefix, delimiter, after, limit }: KeyQuery,
  page: { listed: Listed[]; isTruncated: boolean },
): Promise<{ listed: BlobLine[]; isTruncated: boolean }> {
  const [first, behind] = [blocksKeyOf(bucketId, ''), `${bucketId}0`];
  const open: Upload[] = await app.records.collection(uploads, scopeOf(organizationId)).find({
    filter: { blocksKey: { $exists: true, $gte: first, $lt: behind } },
    sort: [['blocksKey', 1]],
    limit: maxOpen,
  });
  const end = page.isTruncated ? listKeyOf(page.listed.map(lineKey).at(-1) ?? '') : null;
  const lines = new Map<string, BlobLine>(page.listed.map((line) => [lineKey(line), line]));
  for (const waiting of open) {
    if (!waiting.key.startsWith(prefix) || waiting.expiresAt <= app.runtime.now()) continue;
    const at = delimiter === '' ? -1 : waiting.key.indexOf(delimiter, prefix.length);
    const line: BlobLine = at < 0 ? { waiting } : { prefix: waiting.key.slice(0, at + delimiter.length) };
    const place = listKeyOf(lineKey(line));
    const isBehind = after === '' || place > listKeyOf(after);
    // What is behind the page comes with the next one. A blob that is stored hides its waiting blocks.
    if (isBehind && (end === null || place <= end) && !lines.has(lineKey(line))) lines.set(lineKey(line), line);
  }
  const sorted = [...lines.values()].sort((one, other) =>
    listKeyOf(lineKey(one)) < listKeyOf(lineKey(other)) ? -1 : 1,
  );
  return { listed: sorted.slice(0, limit), isTruncated: page.isTruncated || sorted.length > limit };
}
