import type { JobErrorCode } from '../../models/errors.ts';

/** A chunk of a recording's audio to transcribe. The audio and its transcript are stored as blobs. */
export interface ChunkRequest {
  organizationId: string;
  assetId: string;
  revision: number;
  /** Determined by the job and its lease: chunks of one recording share a queue, and are cancelled together. */
  recording: string;
  /** Name of the audio among the files derived from the revision. */
  name: string;
  /** Duration of the audio. */
  seconds: number;
  /** Primary language subtag; null to detect the language. */
  language: string | null;
  /** Language of the recording as detected in other chunks; null or absent if unknown. */
  expected?: string | null;
  /** Transcribes the chunk again where it has a transcript. */
  replaces?: boolean;
}

/** The outcome. `elsewhere`: this process is stopping and did not transcribe the chunk. */
export type ChunkOutcome =
  | { state: 'done' }
  | { state: 'elsewhere' }
  | { state: 'failed'; code: JobErrorCode; outcome: 'definite' | 'temporary'; detail: string };

/** Name of the transcript of a chunk, in the same folder. */
export function chunkTranscriptName(soundName: string): string {
  return `${soundName}.ndjson`;
}
