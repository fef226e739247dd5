import { createHash } from 'node:crypto';
import type { Blobs } from '../../../adapters/blobs/port.ts';
import type { Picture } from './picture.ts';

/** Maximum size of a stored text, in bytes. */
const maxBytes = 4 * 2 ** 20;

/**
 * Texts of the pictures of a recording, stored until its slides are: reading a picture takes far longer than decoding
 * it, so an interruption only costs the pictures in progress. Texts of an attempt that is not repeated are removed with
 * the revision.
 */
export class KeptReadings {
  private readonly blobs: Blobs;
  private readonly keyOf: (name: string) => string;
  private readonly languages: string;
  private readonly kept = new Set<string>();

  /**
   * @param keyOf the key of a blob of the recording's revision
   * @param languages the languages of the texts, which depend on them
   */
  constructor(blobs: Blobs, keyOf: (name: string) => string, languages: string) {
    this.blobs = blobs;
    this.keyOf = keyOf;
    this.languages = languages;
  }

  /**
   * The lines of a picture: stored ones, otherwise read now and stored. Null is not stored.
   * @param readNow called with a digest of the picture and its settings
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

  /** Removes all stored texts. */
  async remove(): Promise<void> {
    for (const key of this.kept) await this.blobs.remove(key);
  }

  private async before(key: string): Promise<string[] | null> {
    const pieces: Uint8Array[] = [];
    try {
      let bytes = 0;
      for await (const piece of this.blobs.read(key)) {
        bytes += piece.byteLength;
        if (bytes > maxBytes) throw new Error('the text of a picture is too long');
        pieces.push(piece);
      }
    } catch (error) {
      if (error instanceof Error && error.name === 'BlobNotFound') return null;
      throw error;
    }
    this.kept.add(key);
    const parsed: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    if (!Array.isArray(parsed) || !parsed.every((line) => typeof line === 'string'))
      throw new Error('the stored text of a picture is invalid');
    return parsed;
  }
}
