import type { AclMode } from './asset.ts';

/** A file of a source, as far as the library keeps it. */
export interface SyncedFile {
  externalId: string;
  filename: string;
  sourceUrl: string;
  sourceVersion: string;
  aclMode: AclMode;
  /** Who may see it where it is restricted. */
  principals: string[];
  extractContentFromVideoFrames: boolean | null;
}

/**
 * What a sync decided about one file: `present` registers it, or its new version, or new readers, or lifts the mark of a
 * missing one, whatever differs; `moved` re-points an asset; `missing` marks one whose source does not list it any more.
 */
export type SyncChange =
  | { change: 'present'; file: SyncedFile }
  | { change: 'moved'; assetId: string; fromExternalId: string; file: SyncedFile }
  | { change: 'missing'; assetId: string; externalId: string; at: number };

/** What became of a change. `unchanged`: it had been taken in before, or the library has moved on since. */
export interface SyncOutcome {
  externalId: string;
  outcome: 'new' | 'changed' | 'reauthorized' | 'returned' | 'moved' | 'removed' | 'unchanged' | 'failed';
  /** Why it failed: a code of the API's errors. */
  code: string | null;
}
