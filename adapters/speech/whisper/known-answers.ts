import { sampleRate } from '../wav.ts';
import { Listener } from './listener.ts';

/** A count that the decoder continues over silence; each word is one token of the vocabulary. */
const counting = { words: [' one', ' two', ' three', ' four'], next: ' five' };
/** Results of whisper-base for a rising tone, measured on x64 with 32-bit floats, and the accepted difference. */
const tone = { noSpeech: 0.67, languageProbability: 0.3, tolerance: 0.1 };

/** Three seconds of a tone that rises from 200 Hz. */
function risingTone(): Float32Array {
  return Float32Array.from(
    { length: 3 * sampleRate },
    (_, index) => 0.3 * Math.sin((2 * Math.PI * (200 + index / 40) * index) / sampleRate),
  );
}

/**
 * Checks that whisper-base works on this machine: the decoder continues a count, and encoder and decoder together give
 * the known results for a known sound.
 * @throws Error that says what differs
 */
export async function checkKnownAnswers(folder: string): Promise<void> {
  const listener = await Listener.open(folder);
  const next = await listener.continuation(new Float32Array(sampleRate), counting.words);
  if (next !== counting.next)
    throw new Error(`the speech model continues "${counting.words.join('').trim()}" with "${next.trim()}"`);
  const heard = await listener.listen(risingTone(), { language: null });
  for (const measure of ['noSpeech', 'languageProbability'] as const) {
    if (Math.abs(heard[measure] - tone[measure]) > tone.tolerance)
      throw new Error(
        `the speech model gives another result for a known sound: ${measure} is ${heard[measure].toFixed(3)}`,
      );
  }
}
