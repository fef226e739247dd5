import type { AclMode } from './asset.ts';
import { defineCollection } from './collection.ts';
import type { JobErrorCode } from './errors.ts';

/** The fields of a source's file that the library stores. */
export interface SyncedFile {
  externalId: string;
  filename: string;
  sourceUrl: string;
  sourceVersion: string;
  /** Equal for files of equal content within the source; null if the source does not provide it. */
  contentId: string | null;
  aclMode: AclMode;
  /** Who may see the file in mode `restricted`. */
  principals: string[];
  /** Whether the source defines who may see the file. The library then follows it, also over changes by hand. */
  mirrored: boolean;
  extractContentFromVideoFrames: boolean | null;
}

/** What the library has stored of a file from its connector, in the asset's document. */
export interface Synced {
  /** `sortKeyOf` the external id: the order in which a connector's files are compared. */
  place: string;
  /** Digest of everything that the connector reported of the file; empty after a part of it was changed by hand. */
  mark: string;
  /** Digest of who may see it, as the connector reported it. */
  access: string;
  contentId: string | null;
  /** The last sync that wrote it, and the outcome: `<sync id>/<outcome>`. With it a repeated sync counts the same. */
  by: string;
}

/**
 * The outcome of a file in a sync. `returned`: it was missing and is unchanged. `skipped`: its kind cannot be indexed
 * at present.
 */
export type SyncResult =
  'new' | 'changed' | 'reauthorized' | 'returned' | 'moved' | 'removed' | 'unchanged' | 'skipped' | 'failed';

/**
 * The decision of a sync about one file. `present` registers it, or updates what differs: its version, its permissions,
 * or that it was missing. `moved` gives an asset another external id. `missing` records that the source no longer lists
 * it. `waiting` retries a job that waits for access, or failed for a reason outside the file.
 */
export type SyncChange =
  | { change: 'present'; file: SyncedFile; marks: SyncMarks }
  | { change: 'moved'; assetId: string; fromExternalId: string; file: SyncedFile; marks: SyncMarks }
  | { change: 'missing'; assetId: string; externalId: string }
  | { change: 'waiting'; assetId: string; externalId: string };

/** Error codes of jobs that failed because the source could not be read. */
export const sourceErrorCodes: readonly JobErrorCode[] = ['source_unreachable', 'source_access_denied'];

/** Error codes of jobs that failed because of neither the file nor its source. */
export const transientErrorCodes: readonly JobErrorCode[] = [
  'internal_error',
  'worker_lost',
  'store_unavailable',
  'model_unavailable',
];

/** Digests of what a connector reports of a file. */
export interface SyncMarks {
  mark: string;
  access: string;
}

/** The outcome of a change. */
export interface SyncOutcome {
  externalId: string;
  /** `apart`: the file to move is not one moved file any more. The sync then sends one change for each of the two. */
  outcome: SyncResult | 'apart';
  /** The code of the API error where it failed. */
  code: string | null;
}

/** Changes of one connector that are applied together, with the sync's lease token. */
export interface SyncBatch {
  organizationId: string;
  connectorId: string;
  syncId: string;
  /** The owner's token; the batch is refused when another process has taken over the sync. */
  token: number;
  changes: SyncChange[];
}

/** The outcomes of a batch, one for each change; null: the sync has ended, or another process has taken it over. */
export type SyncAnswer = { outcomes: SyncOutcome[] | null };

/**
 * A file that is decided when the whole source has been listed: a new one with the content of a known one, or one that
 * is no longer listed. Two of them with the same content may be one moved file.
 */
export interface SyncCandidate {
  /**
   * `<sync id>/<digest of the content id>/<m or n>/<digest of the external id>`: a sync's candidates are ordered by
   * content.
   */
  _id: string;
  organizationId: string;
  connectorId: string;
  syncId: string;
  contentId: string;
  /** `sortKeyOf` the external id. */
  place: string;
  /** The decision to take. `n`: a new file, with `file`; `m`: a missing one, with `assetId`. */
  fate: { kind: 'n'; file: SyncedFile; marks: SyncMarks } | { kind: 'm'; assetId: string; externalId: string };
}

/** The candidates of all syncs; a sync removes its own when it ends. */
export const syncCandidates = defineCollection<SyncCandidate>({
  name: 'sync_candidates',
  owner: 'organization',
  indexes: [{ name: 'connector', fields: ['organizationId', 'connectorId', 'syncId', 'place'] }],
});

/** The outcome in `by` where this sync wrote it, else null. */
export function outcomeBy(syncId: string, by: string | null | undefined): SyncResult | null {
  if (by === null || by === undefined || !by.startsWith(`${syncId}/`)) return null;
  // Only `byOf` writes it.
  return by.slice(syncId.length + 1) as SyncResult;
}

/** The value of `by` for an outcome of a sync. */
export function byOf(syncId: string, outcome: SyncResult): string {
  return `${syncId}/${outcome}`;
}

/**
 * The sort key of an external id: one character for each byte of its UTF-8. With it sources, stores and JavaScript sort
 * in the same order, although some compare bytes and others UTF-16 units. The key of an ASCII id is the id.
 */
export function sortKeyOf(externalId: string): string {
  // Most ids are ASCII.
  return /^[\u0000-\u007f]*$/.test(externalId) ? externalId : Buffer.from(externalId).toString('latin1');
}
