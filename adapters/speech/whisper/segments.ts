import { primarySubtag } from '../../../models/analyser/languages.ts';
import type { HeardSegment } from '../port.ts';
import type { HeardWord } from './listener.ts';
import type { PieceTranscript } from './piece-transcriber.ts';

/** A pause that parts two segments, in seconds. */
const pause = 0.6;
/** The end of a sentence parts two segments that are at least this long, in seconds. */
const minSentence = 4;
const sentenceEnd = /[.!?…。！？]["'”’»)\]]*$/u;
const outerPunctuation = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Whether a segment ends before a word. */
function endsBefore(segment: readonly HeardWord[], next: HeardWord): boolean {
  const [first, last] = [segment[0], segment.at(-1)];
  if (first === undefined || last === undefined) return false;
  return next.start - last.end >= pause || (last.end - first.start >= minSentence && sentenceEnd.test(last.text));
}

/**
 * A transcript as segments, split at pauses and after sentences. The text is punctuated, words are without the punctuation
 * beside them. Times are within the sound's length.
 */
export function segmentsOf({ words, language }: PieceTranscript, seconds: number): HeardSegment[] {
  const runs: HeardWord[][] = [];
  for (const word of words) {
    const run = runs.at(-1);
    if (run === undefined || endsBefore(run, word)) runs.push([word]);
    else run.push(word);
  }
  const within = (time: number): number => rounded(Math.min(seconds, Math.max(0, time)));
  const tag = language === null ? null : primarySubtag(language);
  return runs.map((run): HeardSegment => {
    const spoken = run.map(({ text, start, end, confidence }) => ({
      text: text.replace(outerPunctuation, ''),
      start: within(start),
      end: within(end),
      confidence: rounded(Math.min(1, confidence)),
    }));
    return {
      text: run
        .map(({ text }) => text)
        .join('')
        .trim(),
      start: spoken[0]?.start ?? 0,
      end: spoken.at(-1)?.end ?? 0,
      speaker: null,
      language: tag === 'und' ? null : tag,
      words: spoken,
      timingPrecision: 'word',
    };
  });
}
