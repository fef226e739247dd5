import { samplesOf } from '../../adapters/speech/wav.ts';
import { numberOf, recordingOf } from './recordings.ts';

it('a made recording is told by its tone', () => {
  for (const number of [0, 1, 17, 50, 99]) {
    const samples = samplesOf(recordingOf(number));
    // A third of it: one tone, and silence.
    expect(numberOf(samples.subarray(0, samples.length / 3))).toBe(number);
  }
  expect(() => recordingOf(100)).toThrow('told from each other');
});
