import type { HeardSegment } from '../../../adapters/speech/port.ts';
import type { Segment, SoundChunk } from '../../../models/transcript.ts';
import { joined } from './seam.ts';
import { segmentsOf } from './segments.ts';
import { unitsOf, type Unit } from './units.ts';

/** What was heard in one piece of a recording's sound, with times from the start of the piece. */
export interface HeardChunk {
  chunk: SoundChunk;
  segments: readonly HeardSegment[];
}

/** Units of all pieces, each word once, as soon as the next piece cannot change them any more. */
async function* unitsOfAll(heard: AsyncIterable<HeardChunk>): AsyncGenerator<readonly Unit[]> {
  let held: Unit[] = [];
  let until = 0;
  let index = 0;
  for await (const { chunk, segments } of heard) {
    const piece = { index: index++, start: chunk.start };
    const units = joined(held, segments.flatMap((segment) => unitsOf(segment, piece)), chunk.start, until);
    const firstOfPiece = units.findIndex((unit) => unit.piece === piece.index);
    const settled = firstOfPiece < 0 ? 0 : firstOfPiece;
    yield units.slice(0, settled);
    held = units.slice(settled);
    until = Math.max(until, chunk.end);
  }
  yield held;
}

/** Times never run backwards from one piece of sound to the next: what was heard twice was not heard at quite the same time. */
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
 * Joins what was heard in the pieces of a recording, given in order, to its transcript: words that two overlapping pieces
 * both hold come once, none is lost, and segments are cut to a readable length. Holds two pieces in memory at a time.
 */
export function joinChunks(heard: AsyncIterable<HeardChunk>): AsyncGenerator<Segment> {
  return segmentsOf(inOrder(unitsOfAll(heard)));
}
