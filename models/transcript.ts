import type { Kind } from './asset.ts';
import type { Infer } from './schemas/schema.ts';
import type { segmentEdits, transcriptAnswer } from './schemas/transcripts.ts';

/** A spoken word with its time in the recording. */
export interface SpokenWord {
  text: string;
  /** Seconds from the start of the recording. */
  start: number;
  end: number;
  /** 0 to 1; null if the transcriber reports none. */
  confidence: number | null;
}

/** The precision of a segment's times: for each word, or for the segment only. */
export type TimingPrecision = 'word' | 'segment';

/** A run of speech of one speaker without a long pause: the unit that is shown and corrected. */
export interface Segment {
  /** Stable within a revision. */
  id: string;
  text: string;
  /** Seconds from the start of the recording. */
  start: number;
  end: number;
  /** Name of the speaker; null if the transcriber does not distinguish speakers. */
  speaker: string | null;
  /** Language tag (`en`); null if unknown. */
  language: string | null;
  /** In order of time; empty if `timingPrecision` is `segment`. */
  words: SpokenWord[];
  timingPrecision: TimingPrecision;
}

/**
 * Names of the blobs derived from a revision: a document's blocks (JSON lines of Block), a recording's transcript (JSON
 * lines of Segment) and the text on its screen (JSON lines of Block).
 */
export const derivedNames = {
  blocks: 'blocks.ndjson',
  transcript: 'transcript.ndjson',
  slides: 'slides.ndjson',
  sound: 'sound.json',
  /** The original transcript. It exists only if the transcript was corrected. */
  uncorrected: 'uncorrected.ndjson',
} as const;

/**
 * Names of the blobs with the text of a revision: a document's blocks, or a recording's transcript and then its slides.
 */
export function textNames(kind: Kind): string[] {
  return kind === 'document' ? [derivedNames.blocks] : [derivedNames.transcript, derivedNames.slides];
}

/**
 * Name of the corrected transcript for a run to index. It is written before the run and contains the job's id, so that
 * concurrent corrections do not overwrite each other.
 */
export function correctionName(jobId: string): string {
  return `correction-${jobId}.ndjson`;
}

/** A correction of one segment: its whole new text. */
export type SegmentEdit = Infer<typeof segmentEdits>[number];

/** A transcript as the API shows it. */
export type TranscriptView = Infer<typeof transcriptAnswer>;

/**
 * The location of a transcript. A transcript may be long, so it is streamed from the blobs and not passed between
 * actors.
 */
export interface StoredTranscript extends Pick<TranscriptView, 'revision' | 'warnings'> {
  /** Name of the blob with JSON lines of segments; null if there is no speech. */
  key: string | null;
}

/** A chunk of a recording's audio, cut at silences, which is transcribed separately. */
export interface SoundChunk {
  /** Name of its derived blob: a WAV file, 16 kHz, mono, 16 bits. */
  name: string;
  /** Time of its first sample in the recording, in seconds. */
  start: number;
  /** End of its last sample in the recording, in seconds. Chunks may overlap if there is no silence to cut at. */
  end: number;
}

/** The chunks of a recording's audio: the content of `sound.json`. */
export interface Sound {
  /** Length of the recording in seconds. */
  seconds: number;
  /** In order of time. Silence is in no chunk. */
  chunks: SoundChunk[];
}
