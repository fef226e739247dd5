import { primarySubtag } from '../../models/analyser/analyser.ts';
import type { Block } from '../../models/block.ts';
import type { Passage } from '../../models/passage.ts';
import type { Segment } from '../../models/transcript.ts';
import { joinBlocks } from './passage-parts.ts';
import { passageOf, withLanguage, type PassageOptions, type UnplacedPassage } from './passages.ts';
import { joinSegments } from './transcript-parts.ts';

/** What a recording's passages are made of, each in order of time. */
export interface RecordingText {
  segments: AsyncIterable<Segment>;
  /** What stands on its screen. */
  slides: AsyncIterable<Block>;
}

/** The language that clients are told where nothing else names one; null for none. */
function toldLanguage(given: string): string | null {
  return primarySubtag(given) === 'und' ? null : given;
}

async function* speechPassages(segments: AsyncIterable<Segment>, given: string): AsyncGenerator<UnplacedPassage> {
  const { language: fallback, items } = await withLanguage(segments, given);
  for await (const part of joinSegments(items)) {
    const own = primarySubtag(part.language ?? '');
    const passage = passageOf({ ...part, language: part.language ?? toldLanguage(given), analysedAs: own === 'und' ? fallback : own });
    if (passage !== null) yield passage;
  }
}

async function* slidePassages(slides: AsyncIterable<Block>, given: string): AsyncGenerator<UnplacedPassage> {
  const { language: analysedAs, items } = await withLanguage(slides, given);
  for await (const { text, location } of joinBlocks(items)) {
    const passage = passageOf({ text, location: { ...location, timingPrecision: 'segment' }, language: toldLanguage(given), speaker: null, analysedAs });
    if (passage !== null) yield passage;
  }
}

/** Two lists in order of time as one; where both begin at the same second the first goes before. */
async function* inOrderOfTime(first: AsyncIterator<UnplacedPassage>, second: AsyncIterator<UnplacedPassage>): AsyncGenerator<UnplacedPassage> {
  const startOf = ({ location }: UnplacedPassage): number => location.startSeconds ?? 0;
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
 * The passages of a recording in order of time: what is said, and what stands on its screen (`location.source` is
 * `slide`). Each has the language of its segments, which also chooses its stemmer; where they name none it is that of the
 * asset, and where that names none either a stemmer is chosen by the text.
 */
export async function* recordingPassages({ segments, slides }: RecordingText, { language }: PassageOptions): AsyncGenerator<Passage> {
  let ordinal = 0;
  for await (const passage of inOrderOfTime(speechPassages(segments, language), slidePassages(slides, language))) yield { ordinal: ordinal++, ...passage };
}
