import { sampleRate } from '../wav.ts';
import type { Run } from './speech-runs.ts';

/** What is kept of the sound before and after speech, in samples. */
const margin = 0.25 * sampleRate;

/** Runs of speech with a margin on both sides. A silence that is shorter than both margins is divided between them. */
function withMargins(runs: readonly Run[], length: number): Run[] {
  return runs.map(({ from, to }, index) => {
    const before = runs[index - 1];
    const after = runs[index + 1];
    const first = before === undefined ? 0 : (before.to + from) / 2;
    const last = after === undefined ? length : (to + after.from) / 2;
    return { from: Math.round(Math.max(from - margin, first)), to: Math.round(Math.min(to + margin, last)) };
  });
}

/**
 * Speech packed into parts of at most `longest` samples, without the silence between: an encoder run costs the same
 * however little sound it gets. A run that is longer is divided.
 */
export function packed(runs: readonly Run[], length: number, longest: number): Run[][] {
  const spans = withMargins(runs, length).flatMap(({ from, to }) => {
    const pieces: Run[] = [];
    for (let at = from; at < to; at += longest) pieces.push({ from: at, to: Math.min(to, at + longest) });
    return pieces;
  });
  const parts: Run[][] = [];
  let room = 0;
  for (const span of spans) {
    const size = span.to - span.from;
    if (size > room) {
      parts.push([]);
      room = longest;
    }
    parts.at(-1)?.push(span);
    room -= size;
  }
  return parts;
}

/** The samples of a part, one span after the other. */
export function soundOf(samples: Float32Array, part: readonly Run[]): Float32Array {
  const sound = new Float32Array(part.reduce((sum, { from, to }) => sum + to - from, 0));
  let at = 0;
  for (const { from, to } of part) {
    sound.set(samples.subarray(from, to), at);
    at += to - from;
  }
  return sound;
}

/**
 * The position in the whole sound of a sample of a part. Where two spans meet, an end belongs to the earlier one and a
 * start to the later one.
 */
export function positionOf(part: readonly Run[], sample: number, kind: 'start' | 'end'): number {
  let at = 0;
  for (const [index, { from, to }] of part.entries()) {
    const end = at + to - from;
    if (sample < end || (kind === 'end' && sample === end) || index === part.length - 1)
      return Math.min(to, from + sample - at);
    at = end;
  }
  return 0;
}

/** Samples around a position that are searched for a quieter one, and samples over which loudness is measured. */
const around = { before: 0.3 * sampleRate, after: 0.5 * sampleRate };
const frame = 0.04 * sampleRate;

/** The quietest position near a sample: the middle of the quietest 40 ms, probably between two words. */
export function quietestPosition(sound: Float32Array, sample: number): number {
  const first = Math.max(0, Math.round(sample - around.before));
  const last = Math.min(sound.length, Math.round(sample + around.after));
  let [best, least] = [Math.min(sound.length, Math.round(sample)), Infinity];
  for (let from = first; from + frame <= last; from += frame / 2) {
    const power = sound.subarray(from, from + frame).reduce((sum, value) => sum + value * value, 0);
    if (power < least) [best, least] = [from + frame / 2, power];
  }
  return best;
}
