import type { JobErrorCode } from '../../models/errors.ts';
import type { Segment } from '../../models/transcript.ts';

/** A piece of sound to transcribe. */
export interface HeardSound {
  /** A WAV file: PCM, 16 kHz, mono, 16 bits. */
  wav: Uint8Array;
  /** Its length in seconds: no time of the answer is behind it. */
  seconds: number;
  /** Primary subtag of the language that is spoken; null where the transcriber has to find out. */
  language: string | null;
  /** Ends the work at once. */
  signal: AbortSignal;
}

/** What is said in a piece of sound: a segment whose times are in seconds from the start of the piece. */
export type HeardSegment = Omit<Segment, 'id'>;

/** A transcriber, by what it is able to. */
export interface SpeechModel {
  /** Name for logs and health, such as `pocketsphinx:en-us`. */
  id: string;
  /** Languages (primary subtags) that it knows; null for a model that is declared multilingual. */
  languages: readonly string[] | null;
}

/** What turns speech into text, wherever it runs. It does as many pieces at a time as it is asked for: callers bound them. */
export interface Transcriber {
  /** Null where none is installed: then recordings cannot be indexed. */
  readonly model: SpeechModel | null;
  /** Why there is none and what mends it; null where there is one. */
  readonly absence: string | null;
  /**
   * What is said, in order of time; nothing for silence. A segment's words are in order and inside it.
   * @throws TranscriptionFailure, or the signal's reason.
   */
  transcribe(sound: HeardSound): Promise<HeardSegment[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Sound that was not transcribed. Decide by `code` and `outcome`: whether it may be tried again. */
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
