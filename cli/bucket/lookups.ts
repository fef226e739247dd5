import type { BucketView } from '../../models/bucket.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import { CommandError, type Connection } from '../connection.ts';
import { printable } from '../terminal.ts';

const pageSize = 1000;

/** The organization's bucket with a name. @throws CommandError if there is none */
export async function findBucket(connection: Connection, name: string): Promise<BucketView> {
  const items = (await connection.ask('GET', '/buckets'))['items'] as BucketView[];
  const bucket = items.find((each) => each.name === name);
  if (bucket === undefined)
    throw new CommandError(`There is no bucket ${printable(name)}. npm run ply -- bucket list shows those there are.`);
  return bucket;
}

/** The objects of a bucket whose keys begin with a prefix, in order. @param limit objects of a page */
export async function* objectsBelow(
  connection: Connection,
  bucketId: string,
  prefix: string,
  limit: number = pageSize,
): AsyncGenerator<ObjectView> {
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: URLSearchParams = new URLSearchParams({ prefix, limit: String(limit) });
    if (cursor !== '') query.set('cursor', cursor);
    const page = await connection.ask('GET', `/buckets/${bucketId}/objects?${query.toString()}`);
    yield* page['items'] as ObjectView[];
    if (limit < pageSize) return;
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : null;
  }
}
