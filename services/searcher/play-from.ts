import type { Location } from '../../models/block.ts';
import type { Passage } from '../../models/passage.ts';
import { secondsAt } from '../../models/timings.ts';
import type { MarkedWord } from './highlight.ts';

/** Playing starts so many seconds before the matched word. */
const leadInSeconds = 1.5;

/**
 * A passage's place with where to start playing it: a little before the first word that the query matched, and never
 * before the passage. A passage found by meaning alone is played from its start, as is text that stands on the screen.
 * Places of what is not played stay as they are.
 */
export function withPlayFrom(passage: Pick<Passage, 'location' | 'timings'>, marked: readonly Pick<MarkedWord, 'start'>[]): Location {
  const { location } = passage;
  const { startSeconds, endSeconds, ...others } = location;
  if (startSeconds === undefined || endSeconds === undefined) return location;
  const first = marked.length === 0 ? null : secondsAt(passage, Math.min(...marked.map(({ start }) => start)));
  const playFromSeconds = first === null ? startSeconds : Math.max(startSeconds, Math.round((first - leadInSeconds) * 1000) / 1000);
  return { startSeconds, endSeconds, playFromSeconds, ...others };
}
