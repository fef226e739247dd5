import { ExtractionFailure } from '../../../models/extraction-failure.ts';

/** A grey picture: one byte per pixel by rows, from 0 (black) to 255 (white). */
export interface Picture {
  width: number;
  height: number;
  points: Uint8Array;
}

/** Maximum side of pictures from a video: enough for small print. */
export const pictureSide = 1600;

/** Maximum size of a header, which usually has 15 bytes. */
const longestHeader = 64;

/**
 * Reads a stream of concatenated PGM files (Netpbm's `P5`, 8 bits).
 * @throws ExtractionFailure `media_unreadable` for anything else
 */
export async function* readPictures(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Picture> {
  let header: Uint8Array = new Uint8Array(0);
  let current: Picture | null = null;
  let filled = 0;
  for await (const chunk of bytes) {
    let at = 0;
    while (at < chunk.length) {
      if (current === null) {
        const rest = Buffer.concat([header, chunk.subarray(at, at + longestHeader)]);
        const found = headerOf(rest);
        if (found === null) {
          if (rest.length >= longestHeader) throw new ExtractionFailure('media_unreadable', 'a picture has no header');
          header = rest;
          break;
        }
        at += found.length - header.length;
        header = new Uint8Array(0);
        current = { width: found.width, height: found.height, points: new Uint8Array(found.width * found.height) };
        filled = 0;
      }
      const piece = chunk.subarray(at, at + current.points.length - filled);
      current.points.set(piece, filled);
      filled += piece.length;
      at += piece.length;
      if (filled < current.points.length) break;
      yield current;
      current = null;
    }
  }
  if (header.length > 0) throw new ExtractionFailure('media_unreadable', 'a picture has no header');
}

function headerOf(bytes: Buffer): { width: number; height: number; length: number } | null {
  const match = /^P5\s+(\d{1,5})\s+(\d{1,5})\s+255\s/.exec(bytes.toString('latin1'));
  if (match === null) return null;
  const [whole, width, height] = match;
  const size = { width: Number(width), height: Number(height) };
  if (size.width === 0 || size.height === 0 || size.width > pictureSide || size.height > pictureSide)
    throw new ExtractionFailure('media_unreadable', `a picture of ${size.width} by ${size.height} points`);
  return { ...size, length: whole.length };
}

/** The picture as a PGM file, which tesseract reads. */
export function pgmOf({ width, height, points }: Picture): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), points]);
}
