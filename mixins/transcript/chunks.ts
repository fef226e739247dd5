import type { JobErrorCode } from '../../models/errors.ts';

/** A piece of a recording's sound to transcribe. The sound itself lies in the blobs; so does what comes of it. */
export interface ChunkRequest {
  organizationId: string;
  assetId: string;
  revision: number;
  /** Fixed by the job and its lease: pieces of one recording take turns, and are given up together. */
  recording: string;
  /** Name of the sound among what is derived from the revision. */
  name: string;
  /** Its length. */
  seconds: number;
  /** Primary subtag; null where it is to be found out. */
  language: string | null;
}

/** How it went. `elsewhere`: this process ends its work and did not do it. */
export type ChunkOutcome =
  | { state: 'done' }
  | { state: 'elsewhere' }
  | { state: 'failed'; code: JobErrorCode; outcome: 'definite' | 'temporary'; detail: string };

/** Name of what was heard in a piece of sound, beside it. */
export function heardName(soundName: string): string {
  return `${soundName}.ndjson`;
}
