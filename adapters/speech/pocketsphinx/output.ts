import type { SpokenWord } from '../../../models/transcript.ts';
import type { HeardSegment } from '../port.ts';

/** A line of `-time yes`: word, start, end and posterior probability (pocketsphinx, continuous.c, print_word_times). */
const wordLine = /^(\S+) (\d+\.\d+) (\d+\.\d+) (\d+\.\d+)$/;
/** Silence, the ends of an utterance, breath and noise: `<sil>`, `<s>`, `[NOISE]`, `++BREATH++`. */
const filler = /^(<.*>|\[.*\]|\+\+.*\+\+)$/;
/** The decoder counts in frames; an end names the last one, which lasts as long. */
const frameSeconds = 0.01;
/** A pause that parts two segments, in seconds. */
const pause = 0.6;
/** The shipped acoustic model and dictionary. */
const language = 'en';

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/**
 * The words of the program's output, in order, fillers left out and alternate pronunciations (`our(3)`) by their word.
 */
export function wordsOf(output: string, seconds: number): SpokenWord[] {
  const words: SpokenWord[] = [];
  for (const line of output.split('\n')) {
    const [, spoken = '', from, to, probability] = wordLine.exec(line.trim()) ?? [];
    if (spoken === '' || filler.test(spoken)) continue;
    const start = Math.max(words.at(-1)?.end ?? 0, Math.min(seconds, Number(from)));
    const end = Math.max(start, Math.min(seconds, Number(to) + frameSeconds));
    words.push({
      text: spoken.replace(/\(\d+\)$/, ''),
      start: rounded(start),
      end: rounded(end),
      confidence: rounded(Math.min(1, Number(probability))),
    });
  }
  return words;
}

/** Words as segments, cut where the speaker pauses. */
export function segmentsOf(words: readonly SpokenWord[]): HeardSegment[] {
  const runs: SpokenWord[][] = [];
  for (const word of words) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run === undefined || last === undefined || word.start - last.end >= pause) runs.push([word]);
    else run.push(word);
  }
  return runs.map((run) => ({
    text: run.map(({ text }) => text).join(' '),
    start: run[0]?.start ?? 0,
    end: run.at(-1)?.end ?? 0,
    speaker: null,
    language,
    words: run,
    timingPrecision: 'word',
  }));
}
