import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Ambient } from '../models/ambient.ts';

/** One of the deployment's secret keys, without the key. */
export interface SealingKey {
  /** Tells keys apart where people read of them: eight hex digits derived from the key, from which it cannot be found. */
  id: string;
  /** `current` seals, opens and marks; the others open and recognise marks alone: `next` will seal, `former` has sealed. */
  use: 'current' | 'next' | 'former';
}

/** Keys beside the one that seals, 32 bytes each. */
export interface OtherKeys {
  /** The one that other processes seal with already, while keys are changed; null where none is announced. */
  next?: Uint8Array | null;
  /** Those that sealed before, until nothing is sealed with them any more. */
  former?: readonly Uint8Array[];
}

/** Seals secrets at rest. */
export interface Sealer {
  /** Every key, the current one first. */
  readonly keys: readonly SealingKey[];
  /** Seals a text for one place, such as `asset:<id>:access`; it opens for the same place only. */
  seal(text: string, place: string): string;
  /** @throws SealBroken where the text was changed, sealed for another place or with a key that is not given */
  open(sealed: string, place: string): string;
  /** The key that a text was sealed with; null where none of them opens it. */
  keyOf(sealed: string, place: string): SealingKey | null;
  /** HMAC-SHA256 (RFC 2104) of a text under a key that is derived for this purpose alone: 32 bytes that nobody else can make. */
  mark(text: string, purpose: string): Buffer;
  /** The key that a mark, or the beginning of one (16 bytes at least), was made with; null where it is none. Compared in constant time. */
  keyOfMark(mark: Uint8Array, text: string, purpose: string): SealingKey | null;
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
const leastMarkBytes = 16;

/** A key in use: what is known of it, and itself. */
interface HeldKey extends SealingKey {
  secret: Uint8Array;
  markKeys: Map<string, Buffer>;
}

function derived(secret: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}

/** Eight hex digits that tell a secret key from others. */
export function keyIdOf(secret: Uint8Array): string {
  return derived(secret, 'ply key id').toString('hex', 0, 4);
}

function held(secret: Uint8Array, use: SealingKey['use']): HeldKey {
  if (secret.byteLength !== 32) throw new Error('a sealing key has 32 bytes');
  return { id: keyIdOf(secret), use, secret, markKeys: new Map() };
}

function markWith({ secret, markKeys }: HeldKey, text: string, purpose: string): Buffer {
  const key = markKeys.get(purpose) ?? derived(secret, `ply mark: ${purpose}`);
  markKeys.set(purpose, key);
  return createHmac('sha256', key).update(text).digest();
}

/** Nonce and content of a sealed text. @throws SealBroken */
function partsOf(sealed: string): { nonce: Buffer; content: Buffer } {
  const parts = /^v1\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/.exec(sealed);
  if (parts === null) throw new SealBroken('it is of no known form');
  const content = Buffer.from(parts[2] ?? '', 'base64url');
  // Only one spelling of the bytes is taken, so that a changed character never goes unnoticed.
  if (content.byteLength < tagBytes || content.toString('base64url') !== parts[2]) throw new SealBroken('it is of no known form');
  return { nonce: Buffer.from(parts[1] ?? '', 'base64url'), content };
}

/** The text, where this key sealed it for this place; else null. */
function openWith({ secret }: HeldKey, { nonce, content }: { nonce: Buffer; content: Buffer }, place: string): string | null {
  const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(`v1.${place}`));
  decipher.setAuthTag(content.subarray(content.byteLength - tagBytes));
  try {
    return decipher.update(content.subarray(0, content.byteLength - tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    // OpenSSL says no more than that the tag does not fit.
    return null;
  }
}

/**
 * AES-256-GCM (NIST SP 800-38D) with a random nonce of 96 bits. Sealed form: `v1.<nonce>.<ciphertext and tag>`, both
 * base64url; version and place are authenticated with it. Which key sealed a text is told by which one opens it: the form is
 * the same for all, so versions that know of one key alone read what this one writes. One key seals at most 2^32 texts. Keys
 * of marks and the ids of keys are derived with HKDF (RFC 5869).
 * @param current the key that seals, 32 bytes
 */
export function sealer(current: Uint8Array, ambient: Pick<Ambient, 'secret'>, { next = null, former = [] }: OtherKeys = {}): Sealer {
  const sealing = held(current, 'current');
  const all: readonly HeldKey[] = [sealing, ...(next === null ? [] : [held(next, 'next')]), ...former.map((secret) => held(secret, 'former'))];
  return {
    keys: all.map(({ id, use }) => ({ id, use })),
    seal(text, place) {
      const nonce = ambient.secret(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', current, Buffer.from(nonce, 'base64url'), { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(`v1.${place}`));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${nonce}.${sealed.toString('base64url')}`;
    },
    open(sealed, place) {
      const parts = partsOf(sealed);
      for (const key of all) {
        const text = openWith(key, parts, place);
        if (text !== null) return text;
      }
      throw new SealBroken('it was changed, or sealed for another place or with a key that is not known here (PLY_FORMER_SECRET_KEYS)');
    },
    keyOf(sealed, place) {
      try {
        const parts = partsOf(sealed);
        const key = all.find((candidate) => openWith(candidate, parts, place) !== null);
        return key === undefined ? null : { id: key.id, use: key.use };
      } catch (error) {
        if (error instanceof SealBroken) return null;
        throw error;
      }
    },
    mark: (text, purpose) => markWith(sealing, text, purpose),
    keyOfMark(mark, text, purpose) {
      if (mark.byteLength < leastMarkBytes || mark.byteLength > 32) return null;
      const key = all.find((candidate) => timingSafeEqual(mark, markWith(candidate, text, purpose).subarray(0, mark.byteLength)));
      return key === undefined ? null : { id: key.id, use: key.use };
    },
  };
}
