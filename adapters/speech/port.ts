import type { JobErrorCode } from '../../models/errors.ts';
import type { Segment } from '../../models/transcript.ts';

/** A piece of sound to transcribe. */
export interface HeardSound {
  /** A WAV file: PCM, 16 kHz, mono, 16 bits. */
  wav: Uint8Array;
  /** Its length in seconds, an upper bound of all times in the result. */
  seconds: number;
  /** Primary subtag of the spoken language; null if the transcriber has to detect it. */
  language: string | null;
  /**
   * Language of the recording that the sound is a piece of, as detected in other pieces; null or absent if unknown. A
   * transcriber that detects languages assumes it unless it is certain of another one.
   */
  expected?: string | null;
  /** Cancels the work immediately. */
  signal: AbortSignal;
}

/** A segment of speech in a piece of sound, with times in seconds from the start of the piece. */
export type HeardSegment = Omit<Segment, 'id'>;

/** The model of a transcriber. */
export interface SpeechModel {
  /** Name for logs and health, such as `pocketsphinx:en-us`. */
  id: string;
  /** Supported languages (primary subtags); null for a multilingual model. */
  languages: readonly string[] | null;
  /** Whether it takes `expected` into account. */
  usesExpectedLanguage?: boolean;
}

/** What reports of health say besides the model. */
export interface SpeechNotice {
  /** `preparing`: the model is being fetched. `substitute`: another one replaces it. */
  state: 'preparing' | 'substitute';
  /** The step under way, or why the model is missing. */
  detail: string;
}

/** Converts speech to text, locally or remotely. It does not limit concurrency; callers do. */
export interface Transcriber {
  /** Null if none is installed; then recordings cannot be indexed. */
  readonly model: SpeechModel | null;
  /** Why there is no transcriber and how to install one; null if there is one. */
  readonly absence: string | null;
  /** Absent or null if there is nothing to report. */
  readonly notice?: SpeechNotice | null;
  /**
   * The spoken segments in order of time; empty for silence. A segment's words are in order and within its times.
   * @throws TranscriptionFailure, or the signal's reason.
   */
  transcribe(sound: HeardSound): Promise<HeardSegment[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A failed transcription. `outcome` determines whether it may be retried. */
export class TranscriptionFailure extends Error {
  readonly code: JobErrorCode;
  readonly outcome: 'definite' | 'temporary';

  constructor(code: JobErrorCode, outcome: 'definite' | 'temporary', detail: string, options?: { cause: unknown }) {
    super(detail, options);
    this.name = 'TranscriptionFailure';
    this.code = code;
    this.outcome = outcome;
  }
}
