/** Sample rate of the sound passed to transcribers, which has one channel of 16 bits. */
export const sampleRate = 16_000;

const pcm = 1;
/** Format code of headers that contain the actual format in an extension. */
const extensible = 0xfffe;

/**
 * The samples of a WAV file (16 kHz, mono, 16 bits, PCM) without its headers. If the length was unknown when the header
 * was written, the samples extend to the end of the file. Format: "Multimedia Programming Interface and Data
 * Specifications 1.0" (IBM, Microsoft, 1991), RIFF WAVE.
 * @throws Error if the file has another format.
 */
export function samplesOf(wav: Uint8Array): Uint8Array {
  const view = new DataView(wav.buffer, wav.byteOffset, wav.byteLength);
  const name = (at: number): string => String.fromCharCode(...wav.subarray(at, at + 4));
  if (wav.byteLength < 12 || name(0) !== 'RIFF' || name(8) !== 'WAVE') throw new Error('the sound is no WAV file');
  let isExpected = false;
  for (let at = 12; at + 8 <= wav.byteLength;) {
    const length = view.getUint32(at + 4, true);
    if (name(at) === 'fmt ' && length >= 16 && at + 24 <= wav.byteLength) {
      const [format, channels, rate, bits] = [
        view.getUint16(at + 8, true),
        view.getUint16(at + 10, true),
        view.getUint32(at + 12, true),
        view.getUint16(at + 22, true),
      ];
      isExpected = (format === pcm || format === extensible) && channels === 1 && rate === sampleRate && bits === 16;
    }
    if (name(at) === 'data') {
      if (!isExpected) throw new Error('the sound is not PCM of 16 kHz, one channel and 16 bits');
      const bytes = Math.min(length, wav.byteLength - at - 8);
      return wav.subarray(at + 8, at + 8 + bytes - (bytes % 2));
    }
    at += 8 + length + (length % 2);
  }
  throw new Error('the WAV file holds no sound');
}

/** Samples as a WAV file. */
export function wavOf(samples: Uint8Array): Uint8Array {
  const header = new DataView(new ArrayBuffer(44));
  const word = (at: number, text: string): void =>
    [...text].forEach((letter, index) => header.setUint8(at + index, letter.charCodeAt(0)));
  word(0, 'RIFF');
  header.setUint32(4, 36 + samples.byteLength, true);
  word(8, 'WAVEfmt ');
  header.setUint32(16, 16, true);
  header.setUint16(20, pcm, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, sampleRate, true);
  header.setUint32(28, sampleRate * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  word(36, 'data');
  header.setUint32(40, samples.byteLength, true);
  return Buffer.concat([new Uint8Array(header.buffer), samples]);
}
