import { createHash } from 'node:crypto';
import type { Blobs } from '../../../adapters/blobs/port.ts';
import type { Picture } from './picture.ts';

/** Longest kept text, in bytes: no picture has more. */
const maxBytes = 4 * 2 ** 20;

/**
 * What was read on the pictures of a recording, kept with it until its slides are stored: to read a picture takes far
 * longer than to decode it, so a crash, or a source that breaks off, does not cost more than the pictures in hand. What
 * an attempt that is never made again leaves goes with the revision.
 */
export class KeptReadings {
  private readonly blobs: Blobs;
  private readonly keyOf: (name: string) => string;
  private readonly languages: string;
  private readonly kept = new Set<string>();

  /**
   * @param keyOf key of a blob of the recording's revision
   * @param languages that pictures are read in: in others, other text is read
   */
  constructor(blobs: Blobs, keyOf: (name: string) => string, languages: string) {
    this.blobs = blobs;
    this.keyOf = keyOf;
    this.languages = languages;
  }

  /**
   * The lines of a picture: as they were read before, else as they are read now and then kept. Null is not kept.
   * @param readNow is called with a digest of the picture and of how it is read
   * @throws what reading throws
   */
  async read(picture: Picture, readNow: (digest: string) => Promise<string[] | null>): Promise<string[] | null> {
    const { width, height, points } = picture;
    const digest = createHash('sha256').update(`${this.languages} ${width} ${height} `).update(points).digest('hex');
    const key = this.keyOf(`slide-${digest}.json`);
    const before = await this.before(key);
    if (before !== null) return before;
    const lines = await readNow(digest);
    if (lines === null) return null;
    await this.blobs.write(key, Buffer.from(JSON.stringify(lines)));
    this.kept.add(key);
    return lines;
  }

  /** Removes what is kept: the slides are stored. */
  async remove(): Promise<void> {
    for (const key of this.kept) await this.blobs.remove(key);
  }

  private async before(key: string): Promise<string[] | null> {
    const pieces: Uint8Array[] = [];
    try {
      let bytes = 0;
      for await (const piece of this.blobs.read(key)) {
        bytes += piece.byteLength;
        if (bytes > maxBytes) throw new Error('the text of a picture is longer than any that is kept');
        pieces.push(piece);
      }
    } catch (error) {
      if (error instanceof Error && error.name === 'BlobNotFound') return null;
      throw error;
    }
    this.kept.add(key);
    const parsed: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    if (!Array.isArray(parsed) || !parsed.every((line) => typeof line === 'string'))
      throw new Error('the kept text of a picture is not well formed');
    return parsed;
  }
}
