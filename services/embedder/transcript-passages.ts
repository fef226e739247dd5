import { primarySubtag } from '../../models/analyser/analyser.ts';
import type { Block } from '../../models/block.ts';
import type { Passage } from '../../models/passage.ts';
import type { Segment } from '../../models/transcript.ts';
import { joinBlocks } from './block-parts.ts';
import { passageOf, withLanguage, type PassageOptions, type UnnumberedPassage } from './passages.ts';
import { joinSegments } from './speech-parts.ts';

/** The text of a recording, in order of time. */
export interface RecordingText {
  segments: AsyncIterable<Segment>;
  /** Text on the screen. */
  slides: AsyncIterable<Block>;
}

/** The language that the API shows where nothing else names one; null for none. */
function shownLanguage(given: string): string | null {
  return primarySubtag(given) === 'und' ? null : given;
}

async function* speechPassages(segments: AsyncIterable<Segment>, given: string): AsyncGenerator<UnnumberedPassage> {
  const { language: fallback, items } = await withLanguage(segments, given);
  for await (const part of joinSegments(items)) {
    const own = primarySubtag(part.language ?? '');
    const passage = passageOf({
      ...part,
      language: part.language ?? shownLanguage(given),
      analysedAs: own === 'und' ? fallback : own,
    });
    if (passage !== null) yield passage;
  }
}

async function* slidePassages(slides: AsyncIterable<Block>, given: string): AsyncGenerator<UnnumberedPassage> {
  const { language: analysedAs, items } = await withLanguage(slides, given);
  for await (const { text, location } of joinBlocks(items)) {
    const passage = passageOf({
      text,
      location: { ...location, timingPrecision: 'segment' },
      language: shownLanguage(given),
      speaker: null,
      analysedAs,
    });
    if (passage !== null) yield passage;
  }
}

/** Merges two lists by time; of equal times the first list goes first. */
async function* mergedByTime(
  first: AsyncIterator<UnnumberedPassage>,
  second: AsyncIterator<UnnumberedPassage>,
): AsyncGenerator<UnnumberedPassage> {
  const startOf = ({ location }: UnnumberedPassage): number => location.startSeconds ?? 0;
  try {
    let [one, other] = [await first.next(), await second.next()];
    while (one.done !== true || other.done !== true) {
      if (other.done === true || (one.done !== true && startOf(one.value) <= startOf(other.value))) {
        if (one.done === true) return;
        yield one.value;
        one = await first.next();
      } else {
        yield other.value;
        other = await second.next();
      }
    }
  } finally {
    await Promise.all([first.return?.(), second.return?.()]);
  }
}

/**
 * The passages of a recording in order of time: speech, and text on the screen (`location.source` is `slide`). A
 * passage's language, and so its stemmer, is that of its segments, else that of the asset, else it is detected.
 */
export async function* recordingPassages(
  { segments, slides }: RecordingText,
  { language }: PassageOptions,
): AsyncGenerator<Passage> {
  let ordinal = 0;
  for await (const passage of mergedByTime(speechPassages(segments, language), slidePassages(slides, language)))
    yield { ordinal: ordinal++, ...passage };
}
