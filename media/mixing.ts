import { sampleRate } from './ffmpeg.ts';
import { silenceLevel } from './levels.ts';

/** Pairs of samples that are looked at together: half a second. */
const windowPairs = sampleRate / 2;
/** Pairs over which one way to mix goes over into the other: 10 ms, without a click. */
const fadePairs = sampleRate / 100;
/**
 * How much stronger the channels' difference must be than their sum, as power, for one of them to be upside down: a
 * wide recording has about as much of both.
 */
const inverted = 10;
/** Power of a sample in sound that counts as silence. */
const silentPower = 32768 ** 2 * 10 ** (silenceLevel / 10);

/**
 * Mixes two channels (samples in turns) to one: their mean. Where one of them is the other upside down, as a
 * microphone's balanced line makes it in a stereo input, the mean would be silence: there it is half of their
 * difference. The same samples give the same sound, in whatever portions they come.
 */
export class StereoMixer {
  private readonly held = new Int16Array(windowPairs * 2);
  private length = 0;
  private isInverted = false;

  /** The mixed samples that are there by now. */
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

  /** There are no more samples: answers the last ones. */
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
    // A pause gives no evidence.
    if (Math.max(sum, difference) <= 4 * silentPower * pairs) return this.isInverted;
    return this.isInverted ? difference >= sum : difference > inverted * sum;
  }
}
