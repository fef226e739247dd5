import type { AclMode } from './asset.ts';
import { defineCollection } from './collection.ts';
import type { JobErrorCode } from './errors.ts';

/** A file of a source, as far as the library keeps it. */
export interface SyncedFile {
  externalId: string;
  filename: string;
  sourceUrl: string;
  sourceVersion: string;
  /** Equal for files of equal content within the source; null where the source does not tell. */
  contentId: string | null;
  aclMode: AclMode;
  /** Who may see it where it is restricted. */
  principals: string[];
  /** Whether the source itself tells who may see the file: then the library follows it whatever was written there by hand. */
  mirrored: boolean;
  extractContentFromVideoFrames: boolean | null;
}

/** What the library has taken over of a file from its connector. It stands in the asset's document. */
export interface Synced {
  /** `placeOf` its external id: a connector's files are walked through in this order. */
  place: string;
  /** Digest of everything that the connector told of the file; empty once something of it was written by hand. */
  mark: string;
  /** Digest of who may see it, as the connector told it. */
  access: string;
  contentId: string | null;
  /** The sync that wrote last, and what it was: `<sync id>/<outcome>`. So a sync that is repeated counts the same. */
  by: string;
}

/** What became of a file in a sync. `returned`: it was missing, and is the same. `skipped`: its kind cannot be indexed at present. */
export type SyncResult = 'new' | 'changed' | 'reauthorized' | 'returned' | 'moved' | 'removed' | 'unchanged' | 'skipped' | 'failed';

/**
 * What a sync decided about one file: `present` registers it, or its new version, or new readers, or lifts the mark of a
 * missing one, whatever differs; `moved` re-points an asset; `missing` marks one whose source does not list it any more;
 * `waiting` lets a job try again that waits for access, or failed for a reason that does not lie in the file.
 */
export type SyncChange =
  | { change: 'present'; file: SyncedFile; marks: SyncMarks }
  | { change: 'moved'; assetId: string; fromExternalId: string; file: SyncedFile; marks: SyncMarks }
  | { change: 'missing'; assetId: string; externalId: string }
  | { change: 'waiting'; assetId: string; externalId: string };

/** Failures of jobs that lie in how the source could be read then. */
export const faultsOfSource: readonly JobErrorCode[] = ['source_unreachable', 'source_access_denied'];

/** Failures of jobs that lie neither in the file nor in its source. */
export const passingFaults: readonly JobErrorCode[] = ['internal_error', 'worker_lost', 'store_unavailable', 'model_unavailable'];

/** Digests of what a connector tells of a file. */
export interface SyncMarks {
  mark: string;
  access: string;
}

/** What became of a change. */
export interface SyncOutcome {
  externalId: string;
  /** `apart`: what was to be moved is not one file any more; the two are to be told apart. */
  outcome: SyncResult | 'apart';
  /** Why it failed: a code of the API's errors. */
  code: string | null;
}

/** Changes of one connector that are carried out together, and the right to do so. */
export interface SyncBatch {
  organizationId: string;
  connectorId: string;
  syncId: string;
  /** The holder's; the batch is refused when another process has taken the sync over. */
  token: number;
  changes: SyncChange[];
}

/** What became of a batch, a row for each change; null: the sync has ended, or is another process's by now. */
export type SyncAnswer = { outcomes: SyncOutcome[] | null };

/**
 * A file whose fate is decided when the whole source was listed: it is new and has the content of a known one, or it is
 * not listed any more. Two of them with the same content may be one file that was moved.
 */
export interface SyncCandidate {
  /** `<sync id>/<digest of the content id>/<m or n>/<digest of the external id>`: a sync's candidates lie by their content. */
  _id: string;
  organizationId: string;
  connectorId: string;
  syncId: string;
  contentId: string;
  /** `placeOf` its external id. */
  place: string;
  /** `n`: new, with `file`; `m`: not listed any more, with `assetId`. */
  fate: { kind: 'n'; file: SyncedFile; marks: SyncMarks } | { kind: 'm'; assetId: string; externalId: string };
}

/** Candidates of all syncs; a sync removes its own at its end. */
export const syncCandidates = defineCollection<SyncCandidate>({
  name: 'sync_candidates',
  owner: 'organization',
  indexes: [{ name: 'connector', fields: ['organizationId', 'connectorId', 'syncId', 'place'] }],
});

/** What `by` says: the outcome where this sync wrote it, else null. */
export function outcomeBy(syncId: string, by: string | null | undefined): SyncResult | null {
  if (by === null || by === undefined || !by.startsWith(`${syncId}/`)) return null;
  // Only `byOf` writes it.
  return by.slice(syncId.length + 1) as SyncResult;
}

/** What stands in `by` for an outcome of a sync. */
export function byOf(syncId: string, outcome: SyncResult): string {
  return `${syncId}/${outcome}`;
}

/**
 * An external id as syncs sort it: a character for each byte of its UTF-8. So sources, stores and JavaScript sort alike,
 * though some of them compare bytes and others units of UTF-16; ids of plain letters are as they were.
 */
export function placeOf(externalId: string): string {
  // Most ids are ASCII alone.
  return /^[\u0000-\u007f]*$/.test(externalId) ? externalId : Buffer.from(externalId).toString('latin1');
}
