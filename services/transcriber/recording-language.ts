import type { HeardSegment } from '../../adapters/speech/port.ts';
import type { SoundChunk } from '../../models/transcript.ts';

/** Pieces whose languages are counted. */
const voters = 5;

/** The longest pieces of a recording, in order of time: their languages decide on that of the recording. */
export function votersOf(chunks: readonly SoundChunk[]): SoundChunk[] {
  const longest = chunks.toSorted((one, other) => other.end - other.start - (one.end - one.start)).slice(0, voters);
  return chunks.filter((chunk) => longest.includes(chunk));
}

/** The language with the most seconds of speech, of those that are certain; null if none is. */
export function languageOfMost(segments: Iterable<HeardSegment>): string | null {
  const seconds = new Map<string, number>();
  for (const { language, start, end } of segments)
    if (language !== null) seconds.set(language, (seconds.get(language) ?? 0) + end - start);
  return [...seconds].reduce<readonly [string | null, number]>(
    (most, entry) => (entry[1] > most[1] ? entry : most),
    [null, 0],
  )[0];
}
