import { sampleRate } from '../wav.ts';
import { Listener } from './listener.ts';

/** What the decoder continues with over silence: each word is a token of the vocabulary. */
const counting = { words: [' one', ' two', ' three', ' four'], next: ' five' };
/** What whisper-base takes a rising tone for, measured on x64 with 32-bit floats, and by how much it may differ. */
const tone = { noSpeech: 0.61, languageProbability: 0.52, tolerance: 0.1 };

/** Three seconds of a tone that rises from 200 Hz. */
function risingTone(): Float32Array {
  return Float32Array.from(
    { length: 3 * sampleRate },
    (_, index) => 0.3 * Math.sin((2 * Math.PI * (200 + index / 40) * index) / sampleRate),
  );
}

/**
 * Checks that whisper-base works on this machine: that the decoder counts on, and that encoder and decoder together
 * answer a known sound as they should.
 * @throws Error that says what differs
 */
export async function checkKnownAnswers(folder: string): Promise<void> {
  const listener = await Listener.open(folder);
  const next = await listener.continuation(new Float32Array(sampleRate), counting.words);
  if (next !== counting.next)
    throw new Error(`the speech model continues "${counting.words.join('').trim()}" with "${next.trim()}"`);
  const heard = await listener.listen(risingTone(), null);
  for (const measure of ['noSpeech', 'languageProbability'] as const) {
    if (Math.abs(heard[measure] - tone[measure]) > tone.tolerance)
      throw new Error(`the speech model takes a tone for something else: ${measure} is ${heard[measure].toFixed(3)}`);
  }
}
