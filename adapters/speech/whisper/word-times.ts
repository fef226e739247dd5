import { sampleRate } from '../wav.ts';
import type { HeardWord } from './listener.ts';
import type { Run } from './speech-runs.ts';

/** Share of the longest overlap with a run of speech from which an overlap with a later run counts as well. */
const minShare = 0.4;
/** Largest distance in seconds at which a word directly follows another one. */
const adjacent = 0.03;

/** Runs of speech in seconds. */
interface Span {
  from: number;
  to: number;
}

/**
 * The run that a word is spoken in: the last one of those that it overlaps most, because the alignment gives a pause to
 * the word after it. Null if it overlaps none.
 */
function runOf({ start, end }: HeardWord, runs: readonly Span[]): Span | null {
  const overlap = ({ from, to }: Span): number => Math.min(end, to) - Math.max(start, from);
  const touched = runs.filter((run) => overlap(run) > 0);
  const longest = touched.reduce((most, run) => Math.max(most, overlap(run)), 0);
  return touched.findLast((run) => overlap(run) >= minShare * longest) ?? null;
}

/**
 * Words with times within the speech that they overlap, in order and without overlaps. Speech that a word gives up
 * because a pause parts it from the rest belongs to the word before.
 * @param runs runs of speech in samples, parted by short pauses
 */
export function wordsInSpeech(words: readonly HeardWord[], runs: readonly Run[]): HeardWord[] {
  const spans = runs.map(({ from, to }): Span => ({ from: from / sampleRate, to: to / sampleRate }));
  const placed: HeardWord[] = [];
  let first = 0;
  for (const word of words) {
    // Words come in order: the runs before this one are done.
    while (first < spans.length && (spans[first]?.to ?? 0) < word.start - adjacent) first++;
    const near: Span[] = [];
    for (let index = Math.max(0, first - 1); index < spans.length; index++) {
      const span = spans[index];
      if (span === undefined || span.from > word.end) break;
      near.push(span);
    }
    const run = runOf(word, near);
    const before = placed.at(-1);
    if (run === null) {
      placed.push(word);
      continue;
    }
    const left = near.find(({ from, to }) => to < run.from && from <= word.start && word.start < to);
    if (left !== undefined && before !== undefined && word.start - before.end < adjacent)
      before.end = Math.max(before.end, left.to);
    placed.push({ ...word, start: Math.max(word.start, run.from), end: Math.min(word.end, run.to) });
  }
  return inOrder(placed);
}

/** Words whose starts do not decrease and which do not overlap. */
function inOrder(words: readonly HeardWord[]): HeardWord[] {
  let last = 0;
  const ordered = words.map((word) => {
    last = Math.max(last, word.start);
    return { ...word, start: last, end: Math.max(last, word.end) };
  });
  return ordered.map((word, index) => ({ ...word, end: Math.min(word.end, ordered[index + 1]?.start ?? word.end) }));
}
