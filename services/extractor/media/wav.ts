import { endianness } from 'node:os';
import { sampleRate } from './ffmpeg.ts';

/** Samples in memory have the processor's byte order; those of files and pipes here begin with the low byte. */
const swaps = endianness() === 'BE';

/** A WAV file (RIFF, PCM, mono, 16 bits, 16 kHz) of the given samples. Format: Microsoft and IBM, Multimedia Programming Interface 1.0. */
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

/** Turns bytes of 16-bit little-endian samples, in portions of any length, into samples. */
export class SampleReader {
  /** The first byte of a sample whose second has not come. */
  private half: Uint8Array = new Uint8Array(0);

  /** The whole samples that are there by now. */
  read(bytes: Uint8Array): Int16Array {
    const samples = new Int16Array((this.half.length + bytes.length) >> 1);
    const target = Buffer.from(samples.buffer);
    target.set(this.half.subarray(0, target.length));
    const taken = Math.max(0, target.length - this.half.length);
    target.set(bytes.subarray(0, taken), this.half.length);
    this.half = target.length === 0 ? Uint8Array.from([...this.half, ...bytes]) : bytes.slice(taken);
    if (swaps) target.swap16();
    return samples;
  }
}
