import { defineCollection } from './collection.ts';
import type { Run } from './job.ts';
import type { Synced } from './sync.ts';
import type { UsageMetric } from './usage-event.ts';

/** What an asset's file is registered as; each kind has formats of its own (models/formats.ts). */
export type Kind = 'video' | 'audio' | 'document';
/** Who may find a file: everybody of the organization, or the named principals alone. */
export type AclMode = 'open' | 'restricted';

/** A value of a metadata document: a scalar, or a list of scalars. */
export type MetadataValue = string | number | boolean | (string | number | boolean)[];
/** What an organization keeps with an asset, by keys of its own; search filters by it. */
export type Metadata = { [key: string]: MetadataValue };

/** What is told about an active revision besides that it is there. */
export interface Warning {
  code: string;
  detail: string;
}

/** What reading and indexing a revision found out. It stands on the run while it goes, and on the asset once active. */
export interface RevisionFacts {
  /** Bytes read from the source. */
  bytes: number;
  /** SHA-256 of the content, lower-case hex. */
  sha256: string | null;
  /** Indexed passages. */
  passages: number;
  warnings: Warning[];
  /** Id of an asset of the account that held the same content before; null for the first. */
  duplicateOf: string | null;
  /** Id of the embedding model whose vectors the passages have; null where words alone are indexed. */
  embeddingModel: string | null;
}

/**
 * What an asset owes to other stores. It is written in the same document write as its cause, carried out by
 * idempotent writes with fixed ids, and then removed.
 */
export type OutboxEntry =
  /** Into the ledger's log; the entry's id is the event's id. */
  | { id: string; kind: 'usage'; notBefore: number; metric: UsageMetric; quantity: number; at: number }
  /** A revision that nobody needs any more leaves the index and the blobs. */
  | { id: string; kind: 'discard'; notBefore: number; revision: number }
  /** The index learns of new attributes (permissions, metadata). */
  | { id: string; kind: 'attributes'; notBefore: number }
  /** Collections (by their `_id`) that the asset has joined or left: what counts their members learns of it. */
  | { id: string; kind: 'membership'; notBefore: number; attributesVersion: number; joined: string[]; left: string[] };

/** The file that a revision was read from. */
export interface FileSource {
  filename: string;
  sourceUrl: string;
  sourceVersion: string;
}

/**
 * A registered file. This document is the one truth about the file and about its current run: every change of
 * state is one conditional write of it.
 */
export interface Asset {
  _id: string;
  organizationId: string;
  accountId: string;
  externalId: string;
  /** Equal to externalId while the asset exists; unset by deletion, which frees the externalId. */
  externalKey?: string;
  filename: string;
  kind: Kind;
  sourceUrl: string;
  sourceVersion: string;
  /** SHA-256 (first 32 hex characters) of each sourceVersion ever registered for this asset. */
  registeredVersions: string[];
  language: string;
  audioTrack: number | null;
  metadata: Metadata;
  /** The `_id` of each collection that it belongs to; those of collections that were deleted since may be among them. */
  collections: string[];
  callbackKey: string | null;
  contentSha256: string | null;
  extractContentFromVideoFrames: boolean | null;
  connectorId: string | null;
  /** What was taken over from the connector; absent for other files. */
  synced?: Synced;
  bucketId: string | null;
  /** Address with credentials for reading, sealed; null for public addresses. */
  sealedAccess: string | null;
  aclMode: AclMode;
  /**
   * Who may see a restricted file. For an open file it holds the empty string alone, which no principal can be: so one
   * condition asks for "open, or granted to any of these".
   */
  principals: string[];
  /** Grows with every change of what restricts or describes the file in the passage index. */
  attributesVersion: number;
  activeRevision: number | null;
  /** What the active revision was read from: results show it until the next revision is ready. Absent before the first. */
  activeSource?: FileSource;
  latestRevision: number;
  /** Facts of the active revision. */
  facts: RevisionFacts | null;
  /** Id of the model that the active revision was embedded with; empty for words alone. Absent without an active revision. */
  embeddedWith?: string;
  sourceMissingSince: number | null;
  createdAt: number;
  updatedAt: number;
  deletedAt: number | null;
  /** The latest run. */
  run: Run;
  /** Grows with every write of this document. */
  version: number;
  outbox: OutboxEntry[];
  /** When the first waiting entry of `outbox` may be carried out; absent when it is empty. */
  outboxDue?: number;
}

/** The principals that stand in an open file's document. */
export const openPrincipals: readonly string[] = [''];

/** The assets of all organizations. */
export const assets = defineCollection<Asset>({
  name: 'assets',
  owner: 'organization',
  indexes: [
    { name: 'external_id', fields: ['organizationId', 'externalKey'], unique: true, sparse: true },
    { name: 'job', fields: ['run.jobId'], unique: true },
    { name: 'newest', fields: ['organizationId', 'deletedAt', 'createdAt', '_id'] },
    { name: 'filename', fields: ['organizationId', 'deletedAt', 'filename', '_id'] },
    { name: 'turn', fields: ['run.phase', 'run.stage', 'organizationId', 'run.queuedAt'] },
    { name: 'due', fields: ['run.phase', 'run.dueAt'] },
    { name: 'job_state', fields: ['organizationId', 'deletedAt', 'run.state', 'createdAt', '_id'] },
    { name: 'passages', fields: ['organizationId', 'deletedAt', 'facts.passages', 'createdAt', '_id'] },
    { name: 'source_missing', fields: ['organizationId', 'sourceMissingSince'], sparse: true },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
    { name: 'embedded_with', fields: ['embeddedWith', '_id'] },
    // A sync walks through a connector's files within this index alone.
    { name: 'synced', fields: ['organizationId', 'connectorId', 'synced.place', 'externalKey', 'sourceMissingSince', 'synced.by', '_id', 'synced.mark'], sparse: true },
    { name: 'content', fields: ['organizationId', 'connectorId', 'synced.contentId', 'sourceMissingSince', '_id', 'synced.mark'], sparse: true },
    { name: 'purpose', fields: ['run.purpose', 'run.phase'] },
  ],
});
