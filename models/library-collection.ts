import type { Metadata, OutboxEntry } from './asset.ts';
import { defineCollection } from './collection.ts';
import type {
  collectionAnswer,
  collectionChange,
  createdCollectionAnswer,
  readableCollectionsAnswer,
} from './schemas/collections.ts';
import type { Infer } from './schemas/schema.ts';

/**
 * A named group of an organization's files. Assets and the passage index refer to it by `_id`, which is never reused: a
 * deletion is one write, and a later collection with the same externalId starts empty.
 */
export interface LibraryCollection {
  _id: string;
  organizationId: string;
  externalId: string;
  /** Equal to externalId while the collection exists; unset by deletion, which frees the externalId. */
  externalKey?: string;
  name: string;
  /** Equal to name while the collection exists: lists are sorted by it. */
  nameKey?: string;
  metadata: Metadata;
  createdAt: number;
  updatedAt: number;
  /** When it was deleted: its member rows are still to be removed. Absent while it exists. */
  deletedAt?: number;
}

/**
 * Whether an asset belongs to a collection, at a version of its attributes. It serves to count members without reading
 * assets; the asset's document is the source of truth. The row of an asset that has left is kept, so that a late write
 * of an earlier version changes nothing.
 */
export interface CollectionMember {
  /** `<collection>/<asset>`. */
  _id: string;
  organizationId: string;
  collectionId: string;
  assetId: string;
  isMember: boolean;
  /** The asset's `attributesVersion` of this state. */
  attributesVersion: number;
}

/** The collections of all organizations. */
export const libraryCollections = defineCollection<LibraryCollection>({
  name: 'library_collections',
  owner: 'organization',
  indexes: [
    { name: 'external_id', fields: ['organizationId', 'externalKey'], unique: true, sparse: true },
    { name: 'by_name', fields: ['organizationId', 'nameKey', '_id'] },
    { name: 'deleted', fields: ['deletedAt'], sparse: true },
  ],
});

/** The members of all collections. */
export const collectionMembers = defineCollection<CollectionMember>({
  name: 'collection_members',
  owner: 'organization',
  indexes: [
    { name: 'members', fields: ['organizationId', 'collectionId', 'isMember'] },
    { name: 'asset', fields: ['organizationId', 'assetId'] },
  ],
});

/** The body of a request that creates or changes a collection; null if not sent: the stored value is kept. */
export type CollectionChange = Infer<typeof collectionChange>;

/** A collection as the API shows it. */
export type CollectionView = Infer<typeof collectionAnswer>;
/** Collections as a reader sees them. */
export type ReadableCollectionsView = Infer<typeof readableCollectionsAnswer>;
/** A new collection, with the files that could not be added. */
export type CreatedCollectionView = Infer<typeof createdCollectionAnswer>;

/** The outbox entry of a change of collections. */
export type MembershipEntry = Extract<OutboxEntry, { kind: 'membership' }>;

/**
 * An outbox with the membership entry for a change of an asset's collections. A pending entry is merged into it, so
 * that outboxes do not grow.
 */
export function withMembership(
  outbox: readonly OutboxEntry[],
  before: readonly string[],
  after: readonly string[],
  attributesVersion: number,
): OutboxEntry[] {
  const waiting = outbox.filter((entry) => entry.kind === 'membership');
  const joined = new Set(
    [...waiting.flatMap((entry) => entry.joined), ...after.filter((id) => !before.includes(id))].filter((id) =>
      after.includes(id),
    ),
  );
  const left = new Set(
    [...waiting.flatMap((entry) => [...entry.left, ...entry.joined]), ...before].filter((id) => !after.includes(id)),
  );
  const others = outbox.filter((entry) => entry.kind !== 'membership');
  if (joined.size === 0 && left.size === 0) return others;
  return [
    ...others,
    {
      id: `membership:${attributesVersion}`,
      kind: 'membership',
      notBefore: 0,
      attributesVersion,
      joined: [...joined],
      left: [...left],
    },
  ];
}
