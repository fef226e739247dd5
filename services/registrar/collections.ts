import { isoTime } from '../../models/runtime.ts';
import type { AssetView, Caller } from '../../models/api.ts';
import type { Asset, Metadata } from '../../models/asset.ts';
import { connectors } from '../../models/connector.ts';
import { Refusal } from '../../models/errors.ts';
import type { CollectionChange, CollectionView, LibraryCollection } from '../../models/library-collection.ts';
import { scopeOf } from '../../models/scope.ts';
import type { Registrar } from './registrar.ts';
import { assetView } from './views.ts';

function unknownCollection(externalId: string, status: 400 | 404): Refusal {
  return new Refusal('collection_not_found', {
    status,
    detail: `There is no collection ${JSON.stringify(externalId)}.`,
  });
}

/**
 * The collections with these externalIds, in the order asked for, each once. @throws Refusal collection_not_found (400)
 * where one does not exist
 */
export async function idsOfCollections(
  registrar: Registrar,
  organizationId: string,
  externalIds: readonly string[],
): Promise<string[]> {
  const wanted = [...new Set(externalIds)];
  if (wanted.length === 0) return [];
  const found = await registrar
    .groups(organizationId)
    .collections.find({ filter: { externalKey: { $in: wanted } }, limit: wanted.length });
  const ids = new Map(found.map(({ _id, externalId }) => [externalId, _id]));
  return wanted.map((externalId) => {
    const id = ids.get(externalId);
    if (id === undefined) throw unknownCollection(externalId, 400);
    return id;
  });
}

/**
 * Assets as the API shows them, with the names of the collections that they belong to, and of the connectors that
 * brought them.
 */
export async function assetViews(
  registrar: Registrar,
  organizationId: string,
  assets: readonly Asset[],
): Promise<AssetView[]> {
  const ids = [...new Set(assets.flatMap((asset) => asset.collections))];
  const known = ids.length === 0 ? [] : await registrar.groups(organizationId).collections.getMany(ids);
  const names = new Map(
    known.flatMap(({ _id, externalKey }) => (externalKey === undefined ? [] : [[_id, externalKey] as const])),
  );
  const connectorNames = await namesOfConnectors(registrar, organizationId, assets);
  return assets.map((asset) =>
    assetView(
      asset,
      asset.collections.flatMap((id) => names.get(id) ?? []),
      connectorNames.get(asset.connectorId) ?? null,
    ),
  );
}

/** Names of the connectors that brought the assets; a deleted one has none. */
async function namesOfConnectors(
  { app }: Registrar,
  organizationId: string,
  assets: readonly Asset[],
): Promise<Map<string | null, string>> {
  const ids = [...new Set(assets.flatMap(({ connectorId }) => connectorId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await app.records
    .collection(connectors, scopeOf(organizationId))
    .pick({ filter: { _id: { $in: ids } }, limit: ids.length }, ['_id', 'name']);
  return new Map(rows.map(([id, name]) => [String(id), String(name)]));
}

/** The collection of this externalId. @throws Refusal collection_not_found */
export async function presentCollection(
  registrar: Registrar,
  organizationId: string,
  externalId: string,
): Promise<LibraryCollection> {
  const [found] = await registrar
    .groups(organizationId)
    .collections.find({ filter: { externalKey: externalId }, limit: 1 });
  if (found === undefined) throw unknownCollection(externalId, 404);
  return found;
}

/** How many assets belong to a collection. */
export function countMembers(registrar: Registrar, { _id, organizationId }: LibraryCollection): Promise<number> {
  return registrar.groups(organizationId).members.count({ collectionId: _id, isMember: true });
}

/** A collection as the API shows it. */
export async function collectionView(registrar: Registrar, collection: LibraryCollection): Promise<CollectionView> {
  const { externalId, name, metadata, createdAt, updatedAt } = collection;
  return {
    externalId,
    name,
    metadata,
    assetCount: await countMembers(registrar, collection),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** A page of the organization's collections, by name; those of one name by age. */
export async function listCollections(
  registrar: Registrar,
  caller: Caller,
  limit: number,
  offset: number,
): Promise<{ items: CollectionView[] }> {
  const page = await registrar.groups(caller.organizationId).collections.find({
    filter: { nameKey: { $exists: true } },
    sort: [
      ['nameKey', 1],
      ['_id', 1],
    ],
    limit,
    skip: offset,
  });
  return { items: await Promise.all(page.map((collection) => collectionView(registrar, collection))) };
}

/** The fields of a new collection. */
export interface NewCollection {
  _id: string;
  externalId: string;
  name: string;
  metadata: Metadata;
}

/** Inserts a new collection; null if its externalId is in use. */
export async function insertCollection(
  registrar: Registrar,
  organizationId: string,
  given: NewCollection,
): Promise<LibraryCollection | null> {
  const now = registrar.app.runtime.now();
  const collection: LibraryCollection = {
    ...given,
    organizationId,
    externalKey: given.externalId,
    nameKey: given.name,
    createdAt: now,
    updatedAt: now,
  };
  const [inserted] = await registrar.groups(organizationId).collections.insertNew([collection]);
  return inserted === undefined ? null : collection;
}

/** Creates the collection of this externalId, or changes its name and metadata. @throws Refusal name_mismatch */
export async function writeCollection(
  registrar: Registrar,
  caller: Caller,
  externalId: string,
  change: CollectionChange,
): Promise<CollectionView> {
  if (change.externalId !== null && change.externalId !== externalId)
    throw new Refusal('name_mismatch', {
      detail: 'The externalId of the body is not that of the path; leave it out, or send the same.',
    });
  const { name, metadata } = change;
  const { organizationId } = caller;
  const { collections } = registrar.groups(organizationId);
  for (;;) {
    const [known] = await collections.find({ filter: { externalKey: externalId }, limit: 1 });
    const set = {
      name,
      nameKey: name,
      ...(metadata === null ? {} : { metadata }),
      updatedAt: registrar.app.runtime.now(),
    };
    const written =
      known === undefined
        ? await insertCollection(registrar, organizationId, {
            _id: registrar.app.runtime.uuid(),
            externalId,
            name,
            metadata: metadata ?? {},
          })
        : await collections.update(known._id, { externalKey: externalId }, { set });
    // Null: it was created or deleted in between.
    if (written !== null) return collectionView(registrar, written);
  }
}

/**
 * Deletes a collection: from the answer on it is unknown, its externalId is free, and its files stay as they are.
 * @throws Refusal collection_not_found
 */
export async function removeCollection(registrar: Registrar, caller: Caller, externalId: string): Promise<null> {
  const { collections } = registrar.groups(caller.organizationId);
  const { _id } = await presentCollection(registrar, caller.organizationId, externalId);
  const deleted = await collections.update(
    _id,
    { externalKey: externalId },
    { set: { deletedAt: registrar.app.runtime.now() }, unset: ['externalKey', 'nameKey'] },
  );
  if (deleted === null) throw unknownCollection(externalId, 404);
  return null;
}
