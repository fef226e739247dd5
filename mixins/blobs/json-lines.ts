import { StringDecoder } from 'node:string_decoder';
import type { Blobs } from '../../adapters/blobs/port.ts';

/** Lines are handed to the store in pieces of about so many UTF-16 units. */
const pieceLength = 64 * 1024;

async function* pieces(values: AsyncIterable<unknown> | Iterable<unknown>, longest: number): AsyncGenerator<Uint8Array> {
  let piece = '';
  for await (const value of values) {
    const line = JSON.stringify(value);
    if (line.length > longest) throw new Error(`a line of ${line.length} characters is longer than may be stored`);
    piece += `${line}\n`;
    if (piece.length < pieceLength) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  if (piece !== '') yield Buffer.from(piece);
}

/**
 * Stores values as JSON, one a line, all or none. Answers the number of bytes.
 * @param longest UTF-16 units that a line may have
 * @throws Error for a longer one; then nothing is stored.
 */
export async function writeJsonLines(blobs: Blobs, key: string, values: AsyncIterable<unknown> | Iterable<unknown>, longest: number): Promise<number> {
  return blobs.write(key, pieces(values, longest));
}

/**
 * Reads stored lines in order, some at a time, each still to be parsed. `read` is told how many bytes have been taken
 * from the store so far.
 * @throws BlobNotFound, or Error where a line is longer than `longest` UTF-16 units.
 */
export async function* readJsonLines(blobs: Pick<Blobs, 'read'>, key: string, longest: number, read?: (bytes: number) => void): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let bytes = 0;
  for await (const chunk of blobs.read(key)) {
    bytes += chunk.byteLength;
    read?.(bytes);
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longest) throw new Error('a stored line is longer than lines may be');
    yield lines.filter((line) => line !== '');
  }
  if (rest !== '') yield [rest];
}
