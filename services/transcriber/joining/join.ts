import type { HeardSegment } from '../../../adapters/speech/port.ts';
import type { Segment, SoundChunk } from '../../../models/transcript.ts';
import { joined } from './seam.ts';
import { segmentsOf } from './segments.ts';
import { unitsOf, type Unit } from './units.ts';

/** The transcript of one piece of a recording's sound, with times from the start of the piece. */
export interface HeardChunk {
  chunk: SoundChunk;
  segments: readonly HeardSegment[];
}

/** Units of all pieces, each word once, as soon as no later piece can change them. */
async function* unitsOfAll(heard: AsyncIterable<HeardChunk>): AsyncGenerator<readonly Unit[]> {
  let pending: Unit[] = [];
  let until = 0;
  let index = 0;
  for await (const { chunk, segments } of heard) {
    const piece = { index: index++, start: chunk.start };
    const units = joined(
      pending,
      segments.flatMap((segment) => unitsOf(segment, piece)),
      chunk.start,
      until,
    );
    const firstOfPiece = units.findIndex((unit) => unit.piece === piece.index);
    const settled = firstOfPiece < 0 ? 0 : firstOfPiece;
    yield units.slice(0, settled);
    pending = units.slice(settled);
    until = Math.max(until, chunk.end);
  }
  yield pending;
}

/** Keeps times from decreasing between two pieces of sound: the same word may have slightly different times in both. */
async function* inOrder(batches: AsyncIterable<readonly Unit[]>): AsyncGenerator<readonly Unit[]> {
  let last: Unit | null = null;
  for await (const batch of batches) {
    const ordered: Unit[] = [];
    for (const unit of batch) {
      const start: number = last === null || last.piece === unit.piece ? unit.start : Math.max(unit.start, last.end);
      last = { ...unit, start, end: Math.max(start, unit.end) };
      ordered.push(last);
    }
    yield ordered;
  }
}

/**
 * Joins the transcripts of a recording's pieces, given in order: words in two overlapping pieces occur once, none is
 * lost, and segments are split to a readable length. Keeps two pieces in memory.
 */
export function joinChunks(heard: AsyncIterable<HeardChunk>): AsyncGenerator<Segment> {
  return segmentsOf(inOrder(unitsOfAll(heard)));
}
