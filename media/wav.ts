import { endianness } from 'node:os';
import { sampleRate } from './ffmpeg.ts';

/** Samples in memory have the processor's byte order; files and pipes are little-endian. */
const swaps = endianness() === 'BE';

/**
 * A WAV file (RIFF, PCM, mono, 16 bits, 16 kHz) of the given samples. Format: Microsoft and IBM, Multimedia Programming
 * Interface 1.0.
 */
export function wavOf(samples: Int16Array): Uint8Array {
  const file = Buffer.alloc(44 + samples.length * 2);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(36 + samples.length * 2, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(sampleRate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(samples.length * 2, 40);
  file.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), 44);
  if (swaps) file.subarray(44).swap16();
  return file;
}

/** Decodes 16-bit little-endian samples. */
export function samplesOf(bytes: Uint8Array): Int16Array {
  const samples = new Int16Array(bytes.length >> 1);
  const target = Buffer.from(samples.buffer);
  target.set(bytes.subarray(0, target.length));
  if (swaps) target.swap16();
  return samples;
}
