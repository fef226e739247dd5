import type { Segment } from '../../../models/transcript.ts';
import type { Unit } from './units.ts';

/** Limits of a segment, which keep it readable at a glance. */
export const segmentLimits = { seconds: 30, words: 60 };
/** Multiple of the limits that is collected before a split, so that there is a choice of positions. */
const splitFactor = 2;
/** Maximum pause in seconds over which a segment continues in the next piece of sound. */
const maxContinuedPause = 0.5;
/** The end of a sentence counts as a pause of this many seconds. */
const sentencePause = 0.6;
const sentenceEnd = /[.!?…。！？]["'”’»)\]]*\s*$/u;

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Whether a unit continues the segment of the previous unit; a piece of sound may end within a segment. */
function continues(before: Unit, next: Unit): boolean {
  if (before.source === next.source) return true;
  const [one, other] = [before.source, next.source];
  return (
    before.piece !== next.piece &&
    next.start - before.end < maxContinuedPause &&
    one.speaker === other.speaker &&
    one.language === other.language &&
    before.isTimed === next.isTimed
  );
}

function isTooLong(units: readonly Unit[], times = 1): boolean {
  const [first, last] = [units[0], units.at(-1)];
  return (
    units.length > segmentLimits.words * times ||
    (first !== undefined && last !== undefined && last.end - first.start > segmentLimits.seconds * times)
  );
}

/** The index of the best split: at a long pause or the end of a sentence, preferably near the middle. */
function splitIndex(units: readonly Unit[]): number {
  const middle = (units.length - 1) / 2;
  let [best, split] = [-Infinity, 1];
  for (let index = 1; index < units.length; index++) {
    const [before, next] = [units[index - 1], units[index]];
    if (before === undefined || next === undefined) continue;
    const pause =
      Math.max(0, Math.min(2, next.start - before.end)) + (sentenceEnd.test(before.text) ? sentencePause : 0);
    const score = pause - Math.abs(index - 0.5 - middle) / (middle + 1);
    if (score > best) [best, split] = [score, index];
  }
  return split;
}

function* withinLimits(units: readonly Unit[]): Generator<readonly Unit[]> {
  if (units.length < 2 || !isTooLong(units)) {
    yield units;
    return;
  }
  const split = splitIndex(units);
  yield* withinLimits(units.slice(0, split));
  yield* withinLimits(units.slice(split));
}

/** The text of units: unchanged within one source, with a space between two sources. */
function textOf(units: readonly Unit[]): string {
  return units
    .map((unit, index) => (index > 0 && units[index - 1]?.source !== unit.source ? ` ${unit.text}` : unit.text))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

function segmentOf(units: readonly Unit[], id: string): Segment | null {
  const [first, last] = [units[0], units.at(-1)];
  const text = textOf(units);
  if (first === undefined || last === undefined || text === '') return null;
  const { speaker, language } = first.source;
  const words = first.isTimed
    ? units.map(({ word, start, end, confidence }) => ({
        text: word,
        start: rounded(start),
        end: rounded(end),
        confidence,
      }))
    : [];
  const end = units.reduce((latest, unit) => Math.max(latest, unit.end), first.end);
  return {
    id,
    text,
    start: rounded(first.start),
    end: rounded(end),
    speaker,
    language,
    words,
    timingPrecision: first.isTimed ? 'word' : 'segment',
  };
}

/**
 * Creates segments from units in order: the transcriber's segments, continued across pieces of sound, and split if they
 * are too long. Ids count from 1, so the same units have the same ids.
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
      if (last !== undefined && !continues(last, unit)) {
        yield* close(open);
        open = [];
      } else if (isTooLong(open, splitFactor)) {
        const split = splitIndex(open);
        yield* close(open.slice(0, split));
        open = open.slice(split);
      }
      open.push(unit);
    }
  }
  yield* close(open);
}
