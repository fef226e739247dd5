import type { Caller } from '../../models/api.ts';
import type { LibraryCollection, ReadableCollectionsView } from '../../models/library-collection.ts';
import type { Registrar } from './registrar.ts';

/** Members of a collection that are looked at together: few at first, because most collections show one at once. */
const pages = { first: 50, next: 500 };
/** Members of a collection that are looked at, at most. */
const maxMembers = 5000;

/**
 * Whether a reader finds any of a collection's files. Where thousands of members are hidden from them, the rest are not
 * looked at, and the collection counts as hidden.
 */
async function isReadable(
  registrar: Registrar,
  { _id, organizationId }: LibraryCollection,
  principals: readonly string[],
): Promise<boolean> {
  const { members } = registrar.groups(organizationId);
  const { assets } = registrar.of(organizationId);
  const filter = { collectionId: _id, isMember: true };
  for (let skip = 0, limit = pages.first; skip < maxMembers; skip += limit, limit = pages.next) {
    const ids = (await members.pick({ filter, skip, limit }, ['assetId'])).map(([assetId]) => String(assetId));
    if (ids.length === 0) return false;
    const visible = {
      _id: { $in: ids },
      deletedAt: null,
      sourceMissingSince: null,
      activeRevision: { $exists: true },
      principals: { $hasAny: ['', ...principals] },
    };
    if ((await assets.pick({ filter: visible, limit: 1 }, ['_id'])).length > 0) return true;
    if (ids.length < limit) return false;
  }
  return false;
}

/**
 * Those collections of a page, by name, of which a reader finds a file: a name may tell as much as a file.
 * @param asked.principals null: a reader of open files only
 */
export async function readableCollections(
  registrar: Registrar,
  { organizationId }: Caller,
  { principals, limit, offset }: { principals: string[] | null; limit: number; offset: number },
): Promise<ReadableCollectionsView> {
  const page = await registrar.groups(organizationId).collections.find({
    filter: { nameKey: { $exists: true } },
    sort: [
      ['nameKey', 1],
      ['_id', 1],
    ],
    limit,
    skip: offset,
  });
  const readable = await Promise.all(page.map((collection) => isReadable(registrar, collection, principals ?? [])));
  return {
    items: page.flatMap(({ externalId, name, metadata }, index) =>
      readable[index] === true ? [{ externalId, name, metadata }] : [],
    ),
    nextOffset: page.length < limit ? null : offset + limit,
  };
}
