import { createHash } from 'node:crypto';
import { SourceFailure } from './failure.ts';

/** The digest of a version such as `sha256:<64 hexadecimal digits>`, in lower case; null if the version is an ETag. */
export function digestOfVersion(sourceVersion: string): string | null {
  return /^sha256:/i.test(sourceVersion) ? sourceVersion.slice(7).toLowerCase() : null;
}

/**
 * Compares the ETag of an answer with the registered version exactly (quotes and `W/` included). Versions that are
 * digests are compared at the end.
 * @throws SourceFailure `source_version_changed`
 */
export function checkEtag(sourceVersion: string, etag: string | null): void {
  if (digestOfVersion(sourceVersion) !== null || etag === sourceVersion) return;
  throw new SourceFailure(
    'source_version_changed',
    etag === null ? 'the source sends no ETag to compare the version with' : 'the ETag is not the registered version',
  );
}

/** The count and digest of the bytes of one read. */
export interface Tally {
  add(piece: Uint8Array): void;
  readonly bytes: number;
  /**
   * The SHA-256 in lower-case hexadecimal digits. Compares it with the version; call it once, at the end. @throws
   * SourceFailure
   */
  finish(sourceVersion: string): string;
}

/** Starts to count and digest. */
export function startTally(): Tally {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    add(piece) {
      hash.update(piece);
      bytes += piece.byteLength;
    },
    get bytes() {
      return bytes;
    },
    finish(sourceVersion) {
      const sha256 = hash.digest('hex');
      const expected = digestOfVersion(sourceVersion);
      if (expected !== null && expected !== sha256)
        throw new SourceFailure('source_version_changed', 'the content does not have the registered digest');
      return sha256;
    },
  };
}
