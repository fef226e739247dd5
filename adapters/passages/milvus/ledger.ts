import { hash } from 'node:crypto';
import { defineCollection } from '../../../models/collection.ts';
import type { FileAttributes } from '../../../models/passage.ts';
import { systemScope, type OrganizationScope } from '../../../models/scope.ts';
import type { Collection, Records } from '../../records/port.ts';

/** An organization's word statistics and the Milvus collections that contain its rows. */
export interface IndexedOrganization {
  _id: string;
  organizationId: string;
  passages: number;
  words: number;
  /** Passages by the language of their stemmer. */
  languages: { [language: string]: number };
  collections: { [name: string]: boolean };
}

/** The number of an organization's passages that contain a stem. */
export interface StemCount {
  _id: string;
  organizationId: string;
  passages: number;
  stem: string;
  /** Parts of the stem, by which misspelled words find it. */
  parts: string[];
}

/** The latest attributes of a file. */
export interface IndexedFile {
  _id: string;
  organizationId: string;
  version: number;
  attributes: FileAttributes;
}

/** A revision of a file, with the progress of counting its words. */
export interface IndexedRevision {
  _id: string;
  organizationId: string;
  assetId: string;
  revision: number;
  collections: { [name: string]: boolean };
  published: boolean;
  /** Rows with lower ordinals are retrievable. */
  count: number;
  /** Number of counted passages. */
  passages: number;
  /** Rows with lower ordinals are in the statistics. */
  counted: number;
  /** A change of the statistics in progress: its target ordinal, and the number of stems done. */
  countingTo: number;
  countingDone: number;
  /** When the counting worker's lease expires, by the store's clock; 0 if no worker is counting. */
  countingUntil: number;
  /** Token of the latest lease. Absent in documents of the first version. */
  countingToken?: number;
}

const organizations = defineCollection<IndexedOrganization>({
  name: 'passage_organizations',
  owner: 'organization',
  indexes: [],
});
const stems = defineCollection<StemCount>({
  name: 'passage_stems',
  owner: 'organization',
  indexes: [
    { name: 'parts', fields: ['organizationId', 'parts'] },
    { name: 'stem', fields: ['organizationId', 'stem'] },
  ],
});
const files = defineCollection<IndexedFile>({ name: 'passage_files', owner: 'organization', indexes: [] });
const revisions = defineCollection<IndexedRevision>({
  name: 'passage_revisions',
  owner: 'organization',
  indexes: [{ name: 'asset', fields: ['organizationId', 'assetId', 'revision'] }],
});

/** Identifies the index that the ledger belongs to; created with the ledger. */
interface IndexIdentity {
  _id: 'identity';
  identity: string;
}

const identities = defineCollection<IndexIdentity>({ name: 'passage_index', owner: 'deployment', indexes: [] });

/** What Milvus cannot store (counts, and the state of files and revisions), in the records store. */
export interface Ledger {
  organizations(scope: OrganizationScope): Collection<IndexedOrganization>;
  stems(scope: OrganizationScope): Collection<StemCount>;
  files(scope: OrganizationScope): Collection<IndexedFile>;
  revisions(scope: OrganizationScope): Collection<IndexedRevision>;
  /** The identity of the index; stores `proposed` if it has none yet. */
  identity(proposed: string): Promise<string>;
  /** The store's clock. */
  time(): number;
}

/** Prepares the collections of the ledger. */
export async function openLedger(records: Records): Promise<Ledger> {
  await records.prepare([organizations, stems, files, revisions, identities]);
  return {
    organizations: (scope) => records.collection(organizations, scope),
    stems: (scope) => records.collection(stems, scope),
    files: (scope) => records.collection(files, scope),
    revisions: (scope) => records.collection(revisions, scope),
    async identity(proposed) {
      const collection = records.collection(identities, systemScope);
      const known = await collection.get('identity');
      if (known !== null) return known.identity;
      await collection.insertNew([{ _id: 'identity', identity: proposed }]);
      return (await collection.get('identity'))?.identity ?? proposed;
    },
    time: () => records.time(),
  };
}

/** Id of an organization's document. */
export const organizationDocument = (scope: OrganizationScope): string => digest(scope.organizationId);
/** Id of a stem's document. It is a digest: a stem may be longer than an id and contain any character. */
export const stemDocument = (scope: OrganizationScope, stem: string): string => digest(scope.organizationId, stem);
/** Id of a file's document. */
export const fileDocument = (scope: OrganizationScope, assetId: string): string =>
  digest(scope.organizationId, assetId);
/** Id of a revision's document. */
export const revisionDocument = (scope: OrganizationScope, assetId: string, revision: number): string =>
  digest(scope.organizationId, assetId, revision);

function digest(...parts: readonly (string | number)[]): string {
  return hash('sha256', JSON.stringify(parts));
}

/** Documents of the file's revisions, one page of up to `limit`. */
export function revisionsOf(
  ledger: Ledger,
  scope: OrganizationScope,
  assetId: string,
  after: number,
  limit: number,
): Promise<IndexedRevision[]> {
  return ledger
    .revisions(scope)
    .find({ filter: { assetId, revision: { $gt: after } }, sort: [['revision', 1]], limit });
}

/** Adds collections to the organization's document; creates the document if it does not exist. */
export async function addCollections(
  ledger: Ledger,
  scope: OrganizationScope,
  names: readonly string[],
): Promise<void> {
  const _id = organizationDocument(scope);
  const collection = ledger.organizations(scope);
  const known = await collection.get(_id);
  if (known !== null && names.every((name) => known.collections[name] === true)) return;
  if (known === null)
    await collection.insertNew([
      { _id, organizationId: scope.organizationId, passages: 0, words: 0, languages: {}, collections: {} },
    ]);
  if (names.length > 0)
    await collection.update(_id, {}, { set: Object.fromEntries(names.map((name) => [`collections.${name}`, true])) });
}

/** Removes all documents of an organization, in batches. */
export async function removeOrganizationDocuments(ledger: Ledger, scope: OrganizationScope): Promise<void> {
  for (const collection of [
    ledger.stems(scope),
    ledger.files(scope),
    ledger.revisions(scope),
    ledger.organizations(scope),
  ]) {
    while ((await collection.removeMany({}, removalBatch)) === removalBatch);
  }
}

const removalBatch = 1000;

/** Adds collections to the revision's document and returns it; creates the document if it does not exist. */
export async function ensureRevision(
  ledger: Ledger,
  scope: OrganizationScope,
  assetId: string,
  revision: number,
  names: readonly string[],
): Promise<IndexedRevision> {
  const _id = revisionDocument(scope, assetId, revision);
  const collection = ledger.revisions(scope);
  let known = await collection.get(_id);
  if (known === null) {
    const made: IndexedRevision = {
      _id,
      organizationId: scope.organizationId,
      assetId,
      revision,
      collections: {},
      published: false,
      count: 0,
      passages: 0,
      counted: 0,
      countingTo: 0,
      countingDone: 0,
      countingUntil: 0,
    };
    await collection.insertNew([made]);
    known = made;
  }
  const unknown = names.filter((name) => known.collections[name] !== true);
  if (unknown.length === 0) return known;
  return (
    (await collection.update(
      _id,
      {},
      { set: Object.fromEntries(unknown.map((name) => [`collections.${name}`, true])) },
    )) ?? known
  );
}
