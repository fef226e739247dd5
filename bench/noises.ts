import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleRate, wavOf } from '../adapters/speech/wav.ts';
import { randomNumbers } from './vocabulary.ts';

const seconds = 30;

/** Sounds without speech, as amplitudes between -1 and 1 by sample. */
function sounds(): { name: string; at: (sample: number) => number }[] {
  const random = randomNumbers(31);
  const white = (): number => random() * 2 - 1;
  // Noise of equal power in each octave, as a sum of noises that change every second, fourth, eighth ... sample.
  const octaves = Array.from({ length: 12 }, () => 0);
  const pink = (sample: number): number => {
    octaves.forEach((_, index) => {
      if (sample % 2 ** index === 0) octaves[index] = white();
    });
    return octaves.reduce((sum, value) => sum + value, 0) / octaves.length;
  };
  const strings = (sample: number): number => {
    const time = sample / sampleRate;
    const since = time % 0.7;
    const hertz = 110 * 2 ** ((Math.floor(time / 0.7) % 5) / 6);
    return (
      Math.exp(-3 * since) *
      [1, 2, 3].reduce((sum, over) => sum + Math.sin(2 * Math.PI * hertz * over * since) / over, 0)
    );
  };
  return [
    { name: 'silence.wav', at: () => 0 },
    { name: 'white noise.wav', at: white },
    { name: 'pink noise.wav', at: pink },
    { name: 'a tone.wav', at: (sample) => Math.sin((2 * Math.PI * 440 * sample) / sampleRate) },
    { name: 'strings.wav', at: strings },
  ];
}

/** Writes the sounds as WAV files. */
export function makeNoises(folder: string): { name: string; path: string }[] {
  return sounds().map(({ name, at }) => {
    const samples = Int16Array.from({ length: seconds * sampleRate }, (_, sample) => Math.round(at(sample) * 8000));
    const path = join(folder, name.replaceAll(' ', '-'));
    writeFileSync(path, wavOf(new Uint8Array(samples.buffer)));
    return { name: name.replaceAll(' ', '-'), path };
  });
}
