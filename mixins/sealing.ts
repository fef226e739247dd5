import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { Ambient } from '../models/ambient.ts';

/** Seals secrets at rest. */
export interface Sealer {
  /** Seals a text for one place, such as `asset:<id>:access`; it opens for the same place only. */
  seal(text: string, place: string): string;
  /** @throws SealBroken where the text was changed, sealed for another place or with another key */
  open(sealed: string, place: string): string;
  /** HMAC-SHA256 (RFC 2104) of a text under a key that is derived for this purpose alone: 32 bytes that nobody else can make. */
  mark(text: string, purpose: string): Buffer;
}

/** A sealed text does not open. Decide by `name`. */
export class SealBroken extends Error {
  constructor(detail: string) {
    super(`the sealed text does not open: ${detail}`);
    this.name = 'SealBroken';
  }
}

const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM (NIST SP 800-38D) with a random nonce of 96 bits. Sealed form: `v1.<nonce>.<ciphertext and tag>`, both
 * base64url; version and place are authenticated with it. One key seals at most 2^32 texts. Keys of marks are derived with
 * HKDF (RFC 5869).
 * @param secretKey 32 bytes
 */
export function sealer(secretKey: Uint8Array, ambient: Pick<Ambient, 'secret'>): Sealer {
  if (secretKey.byteLength !== 32) throw new Error('a sealing key has 32 bytes');
  const markKeys = new Map<string, Buffer>();
  const markKey = (purpose: string): Buffer => {
    const key = markKeys.get(purpose) ?? Buffer.from(hkdfSync('sha256', secretKey, '', `ply mark: ${purpose}`, 32));
    markKeys.set(purpose, key);
    return key;
  };
  return {
    mark: (text, purpose) => createHmac('sha256', markKey(purpose)).update(text).digest(),
    seal(text, place) {
      const nonce = ambient.secret(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', secretKey, Buffer.from(nonce, 'base64url'), { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(`v1.${place}`));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${nonce}.${sealed.toString('base64url')}`;
    },
    open(sealed, place) {
      const parts = /^v1\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/.exec(sealed);
      if (parts === null) throw new SealBroken('it is of no known form');
      const content = Buffer.from(parts[2] ?? '', 'base64url');
      // Only one spelling of the bytes is taken, so that a changed character never goes unnoticed.
      if (content.byteLength < tagBytes || content.toString('base64url') !== parts[2]) throw new SealBroken('it is of no known form');
      const decipher = createDecipheriv('aes-256-gcm', secretKey, Buffer.from(parts[1] ?? '', 'base64url'), { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(`v1.${place}`));
      decipher.setAuthTag(content.subarray(content.byteLength - tagBytes));
      try {
        return decipher.update(content.subarray(0, content.byteLength - tagBytes), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        // OpenSSL says no more than that the tag does not fit.
        throw new SealBroken('it was changed, or sealed with another key or for another place');
      }
    },
  };
}
