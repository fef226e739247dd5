import type { Segment } from '../../../models/transcript.ts';
import type { Unit } from './units.ts';

/** Most that a segment holds, so that it is read at a glance. */
export const segmentLimits = { seconds: 30, words: 60 };
/** How many times as much is held back before it is cut, so that there is a choice where. */
const heldBack = 2;
/** A pause between two pieces of sound that does not part what is said, in seconds. */
const sameBreath = 0.5;
/** What the end of a sentence counts as where a place to cut is sought: a pause of so many seconds. */
const sentencePause = 0.6;
const sentenceEnd = /[.!?…。！？]["'”’»)\]]*\s*$/u;

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Whether a unit goes on with the segment of the one before it: pieces of sound may part in the middle of one. */
function goesOn(before: Unit, next: Unit): boolean {
  if (before.source === next.source) return true;
  const [one, other] = [before.source, next.source];
  return before.piece !== next.piece && next.start - before.end < sameBreath && one.speaker === other.speaker && one.language === other.language && before.isTimed === next.isTimed;
}

function isTooLong(units: readonly Unit[], times = 1): boolean {
  const [first, last] = [units[0], units.at(-1)];
  return units.length > segmentLimits.words * times || (first !== undefined && last !== undefined && last.end - first.start > segmentLimits.seconds * times);
}

/** How many units come before the best place to cut: a long pause or the end of a sentence, rather in the middle. */
function placeToCut(units: readonly Unit[]): number {
  const middle = (units.length - 1) / 2;
  let [best, place] = [-Infinity, 1];
  for (let index = 1; index < units.length; index++) {
    const [before, next] = [units[index - 1], units[index]];
    if (before === undefined || next === undefined) continue;
    const pause = Math.max(0, Math.min(2, next.start - before.end)) + (sentenceEnd.test(before.text) ? sentencePause : 0);
    const score = pause - Math.abs(index - 0.5 - middle) / (middle + 1);
    if (score > best) [best, place] = [score, index];
  }
  return place;
}

function* withinLimits(units: readonly Unit[]): Generator<readonly Unit[]> {
  if (units.length < 2 || !isTooLong(units)) {
    yield units;
    return;
  }
  const place = placeToCut(units);
  yield* withinLimits(units.slice(0, place));
  yield* withinLimits(units.slice(place));
}

/** Text of units: within one source as it stood there, between two of them a space. */
function textOf(units: readonly Unit[]): string {
  return units.map((unit, index) => (index > 0 && units[index - 1]?.source !== unit.source ? ` ${unit.text}` : unit.text)).join('').replace(/\s+/g, ' ').trim();
}

function segmentOf(units: readonly Unit[], id: string): Segment | null {
  const [first, last] = [units[0], units.at(-1)];
  const text = textOf(units);
  if (first === undefined || last === undefined || text === '') return null;
  const { speaker, language } = first.source;
  const words = first.isTimed ? units.map(({ word, start, end, confidence }) => ({ text: word, start: rounded(start), end: rounded(end), confidence })) : [];
  const end = units.reduce((latest, unit) => Math.max(latest, unit.end), first.end);
  return { id, text, start: rounded(first.start), end: rounded(end), speaker, language, words, timingPrecision: first.isTimed ? 'word' : 'segment' };
}

/**
 * Makes segments of units in order: those of the transcriber, going on over the ends of pieces of sound, and cut where
 * they would be too long. Ids count from 1, so the same units give the same ids.
 */
export async function* segmentsOf(batches: AsyncIterable<readonly Unit[]>): AsyncGenerator<Segment> {
  let count = 0;
  let open: Unit[] = [];
  function* close(units: readonly Unit[]): Generator<Segment> {
    for (const part of withinLimits(units)) {
      const segment = segmentOf(part, String(count + 1));
      if (segment === null) continue;
      count++;
      yield segment;
    }
  }
  for await (const batch of batches) {
    for (const unit of batch) {
      const last = open.at(-1);
      if (last !== undefined && !goesOn(last, unit)) {
        yield* close(open);
        open = [];
      } else if (isTooLong(open, heldBack)) {
        const place = placeToCut(open);
        yield* close(open.slice(0, place));
        open = open.slice(place);
      }
      open.push(unit);
    }
  }
  yield* close(open);
}
