import { primarySubtag } from '../../../models/analyser/languages.ts';
import type { HeardSegment } from '../port.ts';
import type { HeardWord } from './listener.ts';
import type { PieceTranscript } from './piece-transcriber.ts';

/** Pause in seconds that separates two segments: between two sentences, and within one. */
const pause = { betweenSentences: 0.6, withinSentence: 1.5 };
/** Length in seconds from which a segment ends with a sentence even without a pause. */
const minSentence = 2;
const sentenceEnd = /[.!?…。！？]["'”’»)\]]*$/u;
const outerPunctuation = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Whether a segment ends before a word. */
function endsBefore(segment: readonly HeardWord[], next: HeardWord): boolean {
  const [first, last] = [segment[0], segment.at(-1)];
  if (first === undefined || last === undefined) return false;
  const silence = next.start - last.end;
  if (!sentenceEnd.test(last.text)) return silence >= pause.withinSentence;
  return silence >= pause.betweenSentences || last.end - first.start >= minSentence;
}

/**
 * A transcript as segments, split after sentences and at long pauses. The text is punctuated, words are without the
 * punctuation beside them. Times are within the sound's length.
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
