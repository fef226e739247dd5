import type { Passage } from '../../../models/passage.ts';
import type { TextPlace } from '../revision-text.ts';

/** What the thread that cuts is told. A cut is known by a number. */
export type ToThread =
  | { kind: 'cut'; id: number; text: TextPlace; /** Passages in a batch. */ size: number }
  /** The next piece of a blob; null for its end. */
  | { kind: 'piece'; id: number; key: string; bytes: Uint8Array | null }
  /** There is no such blob. */
  | { kind: 'missing'; id: number; key: string }
  /** A batch was taken: another one may come. */
  | { kind: 'taken'; id: number }
  /** Nobody waits for this cut any more. */
  | { kind: 'stop'; id: number }
  /** Ends the thread. */
  | { kind: 'end' };

/** What the thread answers. */
export type FromThread =
  /** It wants the next piece of a blob. */
  | { kind: 'read'; id: number; key: string }
  /** The next passages, and how many bytes have been read so far. The last ones are fewer than a batch, or none. */
  | { kind: 'passages'; id: number; passages: Passage[]; bytes: number; isLast: boolean }
  | { kind: 'failed'; id: number; name: string; message: string };

/** Batches that wait to be taken at a time, and pieces of a blob that wait to be read: neither side waits for the other while both work. */
export const ahead = 2;
