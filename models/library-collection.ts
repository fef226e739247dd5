import type { Metadata, OutboxEntry } from './asset.ts';
import { defineCollection } from './collection.ts';

/**
 * A named group of an organization's files. Assets and the passage index name it by `_id`, which is never used again: so
 * its deletion is one write, and what a later collection of the same externalId holds is its own.
 */
export interface LibraryCollection {
  _id: string;
  organizationId: string;
  externalId: string;
  /** Equal to externalId while the collection exists; unset by deletion, which frees the externalId. */
  externalKey?: string;
  name: string;
  /** Equal to name while the collection exists: what lists are ordered by. */
  nameKey?: string;
  metadata: Metadata;
  createdAt: number;
  updatedAt: number;
  /** When it was deleted: what tells of its members is still to be removed. Absent while it exists. */
  deletedAt?: number;
}

/**
 * Whether an asset belongs to a collection, as its document said at a version of its attributes. It is there to count
 * members without reading assets; the asset's own document is the truth. One that has left stays as a mark, so that
 * what was said earlier and is written later changes nothing.
 */
export interface CollectionMember {
  /** `<collection>/<asset>`. */
  _id: string;
  organizationId: string;
  collectionId: string;
  assetId: string;
  isMember: boolean;
  /** The asset's `attributesVersion` that this is told from. */
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

/** Which assets belong to which collections. */
export const collectionMembers = defineCollection<CollectionMember>({
  name: 'collection_members',
  owner: 'organization',
  indexes: [
    { name: 'members', fields: ['organizationId', 'collectionId', 'isMember'] },
    { name: 'asset', fields: ['organizationId', 'assetId'] },
  ],
});

/** A collection as the API shows it. */
export interface CollectionView {
  externalId: string;
  name: string;
  metadata: Metadata;
  /** Assets in it that were not deleted. */
  assetCount: number;
  createdAt: string;
  updatedAt: string;
}

/** A collection that was made of files, with those that could not be added. */
export interface CreatedCollectionView extends CollectionView {
  unavailable: { assetId: string; code: string }[];
}

/** The outbox entry of a change of collections. */
export type MembershipEntry = Extract<OutboxEntry, { kind: 'membership' }>;

/**
 * An outbox with what a change of an asset's collections owes to the count of their members. It stands for an entry that
 * still waits, so that outboxes do not grow.
 */
export function withMembership(outbox: readonly OutboxEntry[], before: readonly string[], after: readonly string[], attributesVersion: number): OutboxEntry[] {
  const waiting = outbox.filter((entry) => entry.kind === 'membership');
  const joined = new Set([...waiting.flatMap((entry) => entry.joined), ...after.filter((id) => !before.includes(id))].filter((id) => after.includes(id)));
  const left = new Set([...waiting.flatMap((entry) => [...entry.left, ...entry.joined]), ...before].filter((id) => !after.includes(id)));
  const others = outbox.filter((entry) => entry.kind !== 'membership');
  if (joined.size === 0 && left.size === 0) return others;
  return [...others, { id: `membership:${attributesVersion}`, kind: 'membership', notBefore: 0, attributesVersion, joined: [...joined], left: [...left] }];
}
