import type { PieceTranscript } from './piece-transcriber.ts';

/** Work for a transcribing process. */
export interface Order {
  id: number;
  /** 16-bit samples at 16 kHz. */
  samples: Int16Array;
  /** Language code; null to detect it. */
  language: string | null;
  /** Language of the recording, assumed unless another one is certain; null if it is unknown. */
  expected: string | null;
}

/** What a transcribing process answers: that it has loaded its model, and the result of each order. */
export type Answer =
  | { kind: 'ready' }
  | { kind: 'unusable'; reason: string }
  | { kind: 'heard'; id: number; transcript: PieceTranscript }
  | { kind: 'failed'; id: number; reason: string };
