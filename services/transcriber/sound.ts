import type { Blobs } from '../../adapters/blobs/port.ts';
import type { Sound, SoundChunk } from '../../models/transcript.ts';

/** Maximum size of `sound.json`: some dozens of bytes for each half minute of the longest recording. */
const maxBytes = 16 * 2 ** 20;

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function chunkOf(value: unknown): SoundChunk {
  if (typeof value !== 'object' || value === null || !('name' in value && 'start' in value && 'end' in value))
    throw new Error('a piece of sound is not well described');
  const { name, start, end } = value;
  if (typeof name !== 'string' || !/^[A-Za-z0-9._-]+$/.test(name) || !isTime(start) || !isTime(end) || end < start)
    throw new Error('a piece of sound is not well described');
  return { name, start, end };
}

/**
 * Reads the list of pieces of a recording's sound (`sound.json`).
 * @throws BlobNotFound, or Error if it is malformed.
 */
export async function readSound(blobs: Blobs, key: string): Promise<Sound> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of blobs.read(key)) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw new Error('the description of the sound is longer than it may be');
    pieces.push(piece);
  }
  const parsed: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
  if (
    typeof parsed !== 'object' ||
    parsed === null ||
    !('seconds' in parsed && 'chunks' in parsed) ||
    !isTime(parsed.seconds) ||
    !Array.isArray(parsed.chunks)
  )
    throw new Error('the description of the sound is not well formed');
  return { seconds: parsed.seconds, chunks: parsed.chunks.map(chunkOf) };
}
