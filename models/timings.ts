import type { Passage } from './passage.ts';

/**
 * When the text at an offset of a passage is said, in seconds from the start of the recording. Times between two
 * timings are interpolated linearly; offsets outside of them get the first or last time. Null if the text is not
 * speech.
 * @param offset UTF-16 offset into the passage's text
 */
export function secondsAt(
  { timings, location: { startSeconds } }: Pick<Passage, 'timings' | 'location'>,
  offset: number,
): number | null {
  if (timings === undefined || startSeconds === undefined) return null;
  let [lastOffset = 0, lastTime = 0] = timings;
  for (let at = 0; at + 1 < timings.length; at += 2) {
    const [nextOffset = 0, nextTime = 0] = [timings[at], timings[at + 1]];
    if (nextOffset > offset) {
      const share = nextOffset === lastOffset ? 0 : Math.max(0, offset - lastOffset) / (nextOffset - lastOffset);
      return startSeconds + (lastTime + (nextTime - lastTime) * share) / 100;
    }
    [lastOffset, lastTime] = [nextOffset, nextTime];
  }
  return startSeconds + lastTime / 100;
}
