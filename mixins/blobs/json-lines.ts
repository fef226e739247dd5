import { StringDecoder } from 'node:string_decoder';
import type { Blobs } from '../../adapters/blobs/port.ts';

/** Approximate size of a chunk that is passed to the store, in UTF-16 code units. */
const pieceLength = 64 * 1024;

async function* pieces(
  values: AsyncIterable<unknown> | Iterable<unknown>,
  longest: number,
): AsyncGenerator<Uint8Array> {
  let piece = '';
  for await (const value of values) {
    const line = JSON.stringify(value);
    if (line.length > longest) throw new Error(`a line of ${line.length} characters is too long to be stored`);
    piece += `${line}\n`;
    if (piece.length < pieceLength) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  if (piece !== '') yield Buffer.from(piece);
}

/**
 * Stores values as JSON lines, all or none. Returns the number of bytes.
 * @param longest maximum length of a line in UTF-16 code units
 * @throws Error for a longer line; then nothing is stored
 */
export async function writeJsonLines(
  blobs: Blobs,
  key: string,
  values: AsyncIterable<unknown> | Iterable<unknown>,
  longest: number,
): Promise<number> {
  return blobs.write(key, pieces(values, longest));
}

/**
 * Reads stored lines in order, several at a time, not parsed. `read` is called with the number of bytes read so far.
 * @throws BlobNotFound, or Error if a line is longer than `longest` UTF-16 code units
 */
export async function* readJsonLines(
  blobs: Pick<Blobs, 'read'>,
  key: string,
  longest: number,
  read?: (bytes: number) => void,
): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let bytes = 0;
  for await (const chunk of blobs.read(key)) {
    bytes += chunk.byteLength;
    read?.(bytes);
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longest) throw new Error('a stored line is too long');
    yield lines.filter((line) => line !== '');
  }
  if (rest !== '') yield [rest];
}
