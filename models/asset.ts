import { defineCollection } from './collection.ts';
import type { Run } from './job.ts';
import type { Synced } from './sync.ts';
import type { UsageMetric } from './usage-metric.ts';

/** The kind that a file is registered as. Each kind has its own formats (models/formats.ts). */
export type Kind = 'video' | 'audio' | 'document';
/** Who may find a file: everybody in the organization, or only the listed principals. */
export type AclMode = 'open' | 'restricted';

/** A value of a metadata document: a scalar, or a list of scalars. */
export type MetadataValue = string | number | boolean | (string | number | boolean)[];
/** An organization's own data about an asset, under keys of its choice. Searches can filter by it. */
export type Metadata = { [key: string]: MetadataValue };

/** A warning about an active revision. */
export interface Warning {
  code: string;
  detail: string;
}

/**
 * Facts about a revision that reading and indexing find. The run holds them; the asset gets them when the revision
 * becomes active.
 */
export interface RevisionFacts {
  /** Bytes read from the source. */
  bytes: number;
  /** SHA-256 of the content, lower-case hex. */
  sha256: string | null;
  /** Length of a recording in milliseconds; absent for documents, and for recordings read by the first version. */
  durationMs?: number;
  /** Whether frames of the recording were read for their text. */
  framesRead?: boolean;
  /** Indexed passages. */
  passages: number;
  /** UTF-8 bytes of the passages' texts; absent for revisions that earlier versions indexed. */
  textBytes?: number;
  warnings: Warning[];
  /** Id of an earlier asset of the account with the same content; null for the first. */
  duplicateOf: string | null;
  /** Id of the embedding model of the passages' vectors; null if only words are indexed. */
  embeddingModel: string | null;
}

/**
 * A pending change of another store. It is written in the same document write as its cause, carried out by idempotent
 * writes with fixed ids, and then removed.
 */
export type OutboxEntry =
  /** Recorded by the ledger; the entry's id is the event's id. */
  | {
      id: string;
      kind: 'usage';
      notBefore: number;
      metric: UsageMetric;
      quantity: number;
      at: number;
      /** Part of the metric that it counts in. */
      dimension?: string;
      /** The asset with the same content that was charged before. */
      duplicateOf?: string;
    }
  /** Removes an unused revision from the index and the blobs. */
  | { id: string; kind: 'discard'; notBefore: number; revision: number }
  /** Sends new attributes (permissions, metadata) to the index. */
  | { id: string; kind: 'attributes'; notBefore: number }
  /** Collections (by `_id`) that the asset has joined or left, for the counts of their members. */
  | { id: string; kind: 'membership'; notBefore: number; attributesVersion: number; joined: string[]; left: string[] };

/** The file that a revision was read from. */
export interface FileSource {
  filename: string;
  sourceUrl: string;
  sourceVersion: string;
}

/**
 * A registered file. This document is the source of truth about the file and its current run: each change of state is
 * one conditional write of it.
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
  /**
   * `versionDigest` of the latest source versions, the current one last; at most `maxRecentVersions`. All versions but
   * the current one are rows of `registered_versions`. Processes of the previous version read only this field, so it
   * stays as long as upgrades from that version are supported.
   */
  registeredVersions: string[];
  language: string;
  audioTrack: number | null;
  metadata: Metadata;
  /**
   * The `_id` of each collection that it belongs to, at most `maxCollectionsOfAsset`. Ids of deleted collections may be
   * among them.
   */
  collections: string[];
  callbackKey: string | null;
  contentSha256: string | null;
  extractContentFromVideoFrames: boolean | null;
  connectorId: string | null;
  /** State from the connector's last sync; absent for other files. */
  synced?: Synced;
  bucketId: string | null;
  /** Address with credentials for reading, sealed; null for public addresses. */
  sealedAccess: string | null;
  aclMode: AclMode;
  /**
   * Who may see a restricted file. An open file holds only the empty string, which is no valid principal, so that one
   * condition matches "open, or granted to any of these".
   */
  principals: string[];
  /** Incremented by each change of the file's attributes in the passage index. */
  attributesVersion: number;
  activeRevision: number | null;
  /**
   * The source of the active revision, which results show until the next revision is active. Absent before the first.
   */
  activeSource?: FileSource;
  latestRevision: number;
  /** Facts of the active revision. */
  facts: RevisionFacts | null;
  /**
   * Id of the model that the active revision was embedded with; empty if only words are indexed. Absent without an
   * active revision.
   */
  embeddedWith?: string;
  sourceMissingSince: number | null;
  createdAt: number;
  updatedAt: number;
  deletedAt: number | null;
  /** The latest run. */
  run: Run;
  /** Incremented by every write of this document. */
  version: number;
  outbox: OutboxEntry[];
  /** When the first entry of `outbox` is due; absent while it is empty. */
  outboxDue?: number;
}

/**
 * With this many outbox entries no new run starts: each run adds some, which would grow the document without bound
 * while a store is unavailable.
 */
export const maxOutboxEntries = 500;

/** Collections that one asset may belong to: the passage index holds a few thousand attribute values of a file. */
export const maxCollectionsOfAsset = 1000;

/** The context that an asset's address with credentials is sealed for. */
export function accessContext(assetId: string): string {
  return `asset:${assetId}:access`;
}

/** The principals of an open file's document. */
export const openPrincipals: readonly string[] = [''];

/** The assets of all organizations. */
export const assets = defineCollection<Asset>({
  name: 'assets',
  owner: 'organization',
  formerIndexes: ['newest'],
  substrings: ['filename'],
  indexes: [
    { name: 'external_id', fields: ['organizationId', 'externalKey'], unique: true, sparse: true },
    { name: 'job', fields: ['run.jobId'], unique: true },
    // Includes the file name, so that a search for a fragment of it reads only the index.
    { name: 'newest_named', fields: ['organizationId', 'deletedAt', 'createdAt', '_id', 'filename'] },
    { name: 'filename', fields: ['organizationId', 'deletedAt', 'filename', '_id'] },
    { name: 'turn', fields: ['run.phase', 'run.stage', 'organizationId', 'run.queuedAt'] },
    { name: 'due', fields: ['run.phase', 'run.dueAt'] },
    { name: 'job_state', fields: ['organizationId', 'deletedAt', 'run.state', 'createdAt', '_id'] },
    { name: 'passages', fields: ['organizationId', 'deletedAt', 'facts.passages', 'createdAt', '_id'] },
    { name: 'source_missing', fields: ['organizationId', 'sourceMissingSince'], sparse: true },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
    { name: 'embedded_with', fields: ['embeddedWith', '_id'] },
    // A sync reads a connector's files from this index alone.
    {
      name: 'synced',
      fields: [
        'organizationId',
        'connectorId',
        'synced.place',
        'externalKey',
        'sourceMissingSince',
        'synced.by',
        '_id',
        'synced.mark',
      ],
      sparse: true,
    },
    {
      name: 'content',
      fields: ['organizationId', 'connectorId', 'synced.contentId', 'sourceMissingSince', '_id', 'synced.mark'],
      sparse: true,
    },
    { name: 'purpose', fields: ['run.purpose', 'run.phase'] },
  ],
});
