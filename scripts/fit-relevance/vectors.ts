import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCodeOf } from '../../models/error-code.ts';
import type { Embeddings } from '../../adapters/embeddings/port.ts';

const digestBytes = 16;
const texts = 64;

function digestOf(text: string): string {
  return createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, digestBytes * 2);
}

function read(file: string, dimensions: number): Map<string, Float32Array> {
  const vectors = new Map<string, Float32Array>();
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return vectors;
    throw error;
  }
  const record = digestBytes + dimensions * 4;
  // A killed fit may have left a partial record at the end.
  if (bytes.length % record !== 0) truncateSync(file, bytes.length - (bytes.length % record));
  for (let at = 0; at + record <= bytes.length; at += record) {
    const vector = new Float32Array(dimensions);
    for (let index = 0; index < dimensions; index += 1) vector[index] = bytes.readFloatLE(at + digestBytes + index * 4);
    vectors.set(bytes.toString('hex', at, at + digestBytes), vector);
  }
  return vectors;
}

/**
 * Vectors of many texts, kept in a file of records (16 bytes of the text's SHA-256, then the floats, little endian), so
 * that an interrupted or repeated fit embeds nothing twice. Use one file for each model.
 */
export class VectorFile {
  private readonly file: string;
  private readonly known: Map<string, Float32Array>;

  constructor(file: string, dimensions: number) {
    mkdirSync(dirname(file), { recursive: true });
    this.file = file;
    this.known = read(file, dimensions);
  }

  /** Embeds the texts without a vector; `progress` receives the number done and the total. */
  async add(
    all: readonly string[],
    embeddings: Embeddings,
    progress: (done: number, of: number) => void,
  ): Promise<void> {
    const missing = [...new Map(all.map((text) => [digestOf(text), text])).values()].filter(
      (text) => !this.known.has(digestOf(text)),
    );
    const output = openSync(this.file, 'a');
    try {
      for (let from = 0; from < missing.length; from += texts) {
        const batch = missing.slice(from, from + texts);
        const vectors = await embeddings.embed(batch, 'passage');
        for (const [index, text] of batch.entries()) {
          const vector = vectors[index];
          if (vector === undefined) throw new Error('the model answered too few vectors');
          const record = Buffer.alloc(digestBytes + vector.length * 4);
          record.write(digestOf(text), 'hex');
          vector.forEach((value, index) => record.writeFloatLE(value, digestBytes + index * 4));
          writeSync(output, record);
          this.known.set(digestOf(text), vector);
        }
        progress(from + batch.length, missing.length);
      }
    } finally {
      closeSync(output);
    }
  }

  /** The vector of a text that was added. */
  of(text: string): Float32Array {
    const vector = this.known.get(digestOf(text));
    if (vector === undefined) throw new Error('a text was not embedded');
    return vector;
  }
}
