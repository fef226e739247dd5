import { samplesOf } from '../../adapters/speech/wav.ts';
import { recordingNumberOf, recordingOf } from './recordings.ts';

it('a generated recording is identified by its tone', () => {
  for (const number of [0, 1, 17, 50, 99]) {
    const samples = samplesOf(recordingOf(number));
    // The first chunk: a tone and a silence.
    expect(recordingNumberOf(samples.subarray(0, samples.length / 3))).toBe(number);
  }
  expect(() => recordingOf(100)).toThrow('told apart');
});
