import type { Filter, Query } from '../../adapters/records/port.ts';
import type { ActivityQuery, AssetView, Caller } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import { assetViews } from './collections.ts';
import type { Registrar } from './registrar.ts';
import { isVisibleTo } from './views.ts';

/** A page of the organization's assets, newest first. */
export async function listAssets(
  registrar: Registrar,
  caller: Caller,
  limit: number,
  offset: number,
): Promise<{ items: AssetView[]; total: number; limit: number; offset: number }> {
  const { assets } = registrar.of(caller.organizationId);
  const filter: Filter = { deletedAt: null };
  const [items, total] = await Promise.all([
    assets.find({
      filter,
      sort: [
        ['createdAt', -1],
        ['_id', -1],
      ],
      limit,
      skip: offset,
    }),
    assets.count(filter),
  ]);
  return { items: await assetViews(registrar, caller.organizationId, items), total, limit, offset };
}

/**
 * The asset, unless the reader with the given principals may not see it. With neither `asReader` nor principals it is
 * read as the organization that owns it.
 * @throws Refusal asset_not_found, for hidden assets as for unknown ones
 */
export async function presentTo(
  registrar: Registrar,
  caller: Caller,
  assetId: string,
  asReader: boolean,
  principals: readonly string[] | null,
): Promise<Asset> {
  const asset = await registrar.present(caller.organizationId, assetId);
  if ((asReader || principals !== null) && !isVisibleTo(asset, principals ?? [])) throw new Refusal('asset_not_found');
  return asset;
}

/** One asset, as the caller (or the reader with the given principals) may see it. @throws Refusal asset_not_found */
export async function readAsset(
  registrar: Registrar,
  caller: Caller,
  assetId: string,
  asReader: boolean,
  principals: readonly string[] | null,
): Promise<AssetView> {
  const asset = await presentTo(registrar, caller, assetId, asReader, principals);
  const [view] = await assetViews(registrar, caller.organizationId, [asset]);
  if (view === undefined) throw new Error('an asset has no view');
  return { ...view, warnings: asset.facts?.warnings ?? [] };
}

function readCursor(cursor: string): [string, string] {
  const refusal = invalid(['query', 'cursor'], 'Send the nextCursor of the page before, as it was answered.');
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(parsed) && parsed.length === 2 && typeof parsed[0] === 'string' && typeof parsed[1] === 'string')
      return [parsed[0], parsed[1]];
  } catch {
    // Not JSON: answered like every other malformed cursor.
  }
  throw refusal;
}

function activityFilter(query: ActivityQuery): Filter {
  const created = {
    ...(query.createdAfter === null ? {} : { $gte: query.createdAfter }),
    ...(query.createdBefore === null ? {} : { $lt: query.createdBefore }),
  };
  return {
    deletedAt: null,
    ...(query.connectorId === null ? {} : { connectorId: query.connectorId }),
    ...(query.bucketId === null ? {} : { bucketId: query.bucketId }),
    ...(query.kind === null ? {} : { kind: query.kind }),
    ...(query.state === null ? {} : { 'run.state': query.state }),
    ...(query.q === null || query.q === '' ? {} : { filename: { $contains: query.q } }),
    ...(Object.keys(created).length === 0 ? {} : { createdAt: created }),
    ...(query.asReader || query.principals !== null
      ? { principals: { $hasAny: ['', ...(query.principals ?? [])] } }
      : {}),
  };
}

/** Assets with their latest job: newest first by offset, or by file name with a cursor. */
export async function activity(
  registrar: Registrar,
  caller: Caller,
  query: ActivityQuery,
): Promise<{ items: AssetView[]; nextCursor?: string | null }> {
  if (query.cursor !== null && query.order !== 'filename')
    throw invalid(['query', 'cursor'], 'A cursor requires order=filename; pages of order=created use offset.');
  const { assets } = registrar.of(caller.organizationId);
  const filter = activityFilter(query);
  if (query.order === 'created') {
    const page = await assets.find({
      filter,
      sort: [
        ['createdAt', -1],
        ['_id', -1],
      ],
      limit: query.limit,
      skip: query.offset,
    });
    return { items: await assetViews(registrar, caller.organizationId, page) };
  }
  const position: Pick<Query, 'after' | 'skip'> =
    query.cursor === null ? { skip: query.offset } : { after: readCursor(query.cursor) };
  const found = await assets.find({
    filter,
    sort: [
      ['filename', 1],
      ['_id', 1],
    ],
    limit: query.limit + 1,
    ...position,
  });
  const page = found.slice(0, query.limit);
  const last = page.at(-1);
  const nextCursor =
    found.length > page.length && last !== undefined
      ? Buffer.from(JSON.stringify([last.filename, last._id])).toString('base64url')
      : null;
  return { items: await assetViews(registrar, caller.organizationId, page), nextCursor };
}
