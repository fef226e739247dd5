import { ExtractionFailure } from '../../../models/extraction-failure.ts';

/** A grey picture: one byte a point, row by row, 0 black to 255 white. */
export interface Picture {
  width: number;
  height: number;
  points: Uint8Array;
}

/** Longest side of the pictures that are taken from a video: enough for the small print of a slide. */
export const pictureSide = 1600;

/** A header is some 15 bytes long. */
const longestHeader = 64;

/**
 * Reads a stream of PGM files (Netpbm's `P5`, 8 bits), one behind the other. @throws ExtractionFailure
 * `media_unreadable` for anything else
 */
export async function* readPictures(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Picture> {
  let header: Uint8Array = new Uint8Array(0);
  let current: Picture | null = null;
  let filled = 0;
  for await (const chunk of bytes) {
    let at = 0;
    while (at < chunk.length) {
      if (current === null) {
        const begun = Buffer.concat([header, chunk.subarray(at, at + longestHeader)]);
        const found = headerOf(begun);
        if (found === null) {
          if (begun.length >= longestHeader) throw new ExtractionFailure('media_unreadable', 'a picture has no header');
          header = begun;
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
