import type { Kind, Warning } from './asset.ts';

/** A spoken word with its time in the recording. */
export interface SpokenWord {
  text: string;
  /** Seconds from the start of the recording. */
  start: number;
  end: number;
  /** 0 to 1; null where the transcriber tells none. */
  confidence: number | null;
}

/** How exactly the times of a segment's text are known: of each word, or of the segment alone. */
export type TimingPrecision = 'word' | 'segment';

/** A stretch of speech: what one speaker says without a long pause, as it is shown and corrected. */
export interface Segment {
  /** Stable within a revision. */
  id: string;
  text: string;
  /** Seconds from the start of the recording. */
  start: number;
  end: number;
  /** Name of the speaker where the transcriber tells speakers apart, else null. */
  speaker: string | null;
  /** Language tag (`en`); null where it is not known. */
  language: string | null;
  /** In order of time; empty where `timingPrecision` is `segment`. */
  words: SpokenWord[];
  timingPrecision: TimingPrecision;
}

/**
 * Names of what is derived from a revision: of a document its blocks (one Block a JSON line), of a recording its transcript
 * (one Segment a JSON line) and what stands on its screen (one Block a JSON line).
 */
export const derivedNames = {
  blocks: 'blocks.ndjson',
  transcript: 'transcript.ndjson',
  slides: 'slides.ndjson',
  sound: 'sound.json',
  /** The transcript as it was before anybody corrected it; it stands beside a corrected one alone. */
  uncorrected: 'uncorrected.ndjson',
} as const;

/** Names of what holds the text of a revision: of a document its blocks, of a recording first its transcript, then its slides. */
export function textNames(kind: Kind): string[] {
  return kind === 'document' ? [derivedNames.blocks] : [derivedNames.transcript, derivedNames.slides];
}

/**
 * Name of the corrected transcript that a run is to index. It is written before the run is: it bears the job's id, so that
 * of two corrections at once neither writes over the other's.
 */
export function correctionName(jobId: string): string {
  return `correction-${jobId}.ndjson`;
}

/** A correction of one segment: the whole text that it is to have. */
export interface SegmentEdit {
  id: string;
  text: string;
}

/** A transcript as the API shows it. */
export interface TranscriptView {
  revision: number;
  warnings: Warning[];
  segments: Segment[];
}

/** Where a transcript is kept: it may be long, so it goes from the blobs to whoever asked, and not from actor to actor. */
export interface StoredTranscript extends Pick<TranscriptView, 'revision' | 'warnings'> {
  /** Name of the blob, one segment as JSON a line; null where nothing was heard. */
  key: string | null;
}

/** A piece of a recording's sound, cut at silences, that is transcribed on its own. */
export interface SoundChunk {
  /** Name among what is derived from the revision: a WAV file, 16 kHz, mono, 16 bits. */
  name: string;
  /** Where its first sample stands in the recording, in seconds. */
  start: number;
  /** Where its last sample ends. Chunks may overlap where no silence was found to cut at. */
  end: number;
}

/** What a recording's sound was cut into: the content of `sound.json`. */
export interface Sound {
  /** Length of the recording in seconds. */
  seconds: number;
  /** In order of time. Stretches without a sound above silence are in none. */
  chunks: SoundChunk[];
}
