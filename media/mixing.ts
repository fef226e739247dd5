import { sampleRate } from './ffmpeg.ts';
import { silenceLevel } from './levels.ts';

/** Sample pairs in a window: half a second. */
const windowPairs = sampleRate / 2;
/** Sample pairs of a crossfade: 10 ms, which avoids a click. */
const fadePairs = sampleRate / 100;
/**
 * Ratio of the power of the difference to that of the sum from which one channel counts as inverted. A wide stereo
 * recording has a ratio of about 1.
 */
const inverted = 10;
/** Power of a sample below which sound counts as silence. */
const silentPower = 32768 ** 2 * 10 ** (silenceLevel / 10);

/**
 * Mixes two interleaved channels to their mean. If one is the inverse of the other, as with a balanced line in a stereo
 * input, the mean would be silent, so half their difference is used. The result does not depend on the size of the
 * portions.
 */
export class StereoMixer {
  private readonly held = new Int16Array(windowPairs * 2);
  private length = 0;
  private isInverted = false;

  /** Mixes more samples; returns the complete windows. */
  push(samples: Int16Array): Int16Array[] {
    const mixed: Int16Array[] = [];
    for (let at = 0; at < samples.length;) {
      const taken = Math.min(samples.length - at, this.held.length - this.length);
      this.held.set(samples.subarray(at, at + taken), this.length);
      this.length += taken;
      at += taken;
      if (this.length === this.held.length) mixed.push(this.mix());
    }
    return mixed;
  }

  /** Ends the input; returns the last samples. */
  finish(): Int16Array {
    return this.mix();
  }

  private mix(): Int16Array {
    const pairs = this.length >> 1;
    const before = this.isInverted ? -1 : 1;
    this.isInverted = this.looksInverted(pairs);
    const now = this.isInverted ? -1 : 1;
    const mixed = new Int16Array(pairs);
    const faded = before === now ? 0 : Math.min(fadePairs, pairs);
    for (let pair = 0; pair < pairs; pair++) {
      const sign = pair < faded ? before + ((now - before) * pair) / fadePairs : now;
      const doubled = (this.held[pair * 2] ?? 0) + sign * (this.held[pair * 2 + 1] ?? 0);
      mixed[pair] = Math.min(32_767, (doubled + 1) >> 1);
    }
    this.length = 0;
    return mixed;
  }

  private looksInverted(pairs: number): boolean {
    let [sum, difference] = [0, 0];
    for (let pair = 0; pair < pairs; pair++) {
      const [left, right] = [this.held[pair * 2] ?? 0, this.held[pair * 2 + 1] ?? 0];
      sum += (left + right) ** 2;
      difference += (left - right) ** 2;
    }
    // A pause has no evidence.
    if (Math.max(sum, difference) <= 4 * silentPower * pairs) return this.isInverted;
    return this.isInverted ? difference >= sum : difference > inverted * sum;
  }
}
