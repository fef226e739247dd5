import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Runtime } from '../models/runtime.ts';

/** One of the deployment's secret keys, without the key. */
export interface SealingKey {
  /**
   * Identifies the key in reports: eight hex digits derived from it, which do not reveal it.
   */
  id: string;
  /**
   * `current` seals, opens and marks; the others only open and recognise marks: `next` will seal, `former` has sealed.
   */
  use: 'current' | 'next' | 'former';
}

/** The keys that do not seal, 32 bytes each. */
export interface OtherKeys {
  /** During a change of keys, the key that other processes already seal with; null if there is none. */
  next?: Uint8Array | null;
  /** Earlier keys, needed until nothing is sealed with them. */
  former?: readonly Uint8Array[];
}

/** Seals secrets at rest. */
export interface Sealer {
  /** Every key, the current one first. */
  readonly keys: readonly SealingKey[];
  /** Seals a text for a context, such as `asset:<id>:access`. It opens only for the same context. */
  seal(text: string, context: string): string;
  /** @throws SealBroken if the text was changed, or sealed for another context or with an unknown key */
  open(sealed: string, context: string): string;
  /** The key that a text was sealed with; null if no key opens it. */
  keyOf(sealed: string, context: string): SealingKey | null;
  /**
   * HMAC-SHA256 (RFC 2104) of a text under a key derived for this purpose: 32 bytes that only holders of the secret key
   * can compute.
   */
  mark(text: string, purpose: string): Buffer;
  /**
   * The key that made a mark, or the beginning of a mark (at least 16 bytes); null if no key did. Compared in constant
   * time.
   */
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
const minMarkBytes = 16;

/** A key with its public description. */
interface HeldKey extends SealingKey {
  secret: Uint8Array;
  markKeys: Map<string, Buffer>;
}

function derived(secret: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}

/** Eight hex digits that identify a secret key. */
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
  // Only the canonical encoding is accepted, so that every changed character is detected.
  if (content.byteLength < tagBytes || content.toString('base64url') !== parts[2])
    throw new SealBroken('it is of no known form');
  return { nonce: Buffer.from(parts[1] ?? '', 'base64url'), content };
}

/** The text, if this key sealed it for this context; else null. */
function openWith(
  { secret }: HeldKey,
  { nonce, content }: { nonce: Buffer; content: Buffer },
  context: string,
): string | null {
  const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(`v1.${context}`));
  decipher.setAuthTag(content.subarray(content.byteLength - tagBytes));
  try {
    return (
      decipher.update(content.subarray(0, content.byteLength - tagBytes), undefined, 'utf8') + decipher.final('utf8')
    );
  } catch {
    // OpenSSL only reports that the tag does not match.
    return null;
  }
}

/**
 * AES-256-GCM (NIST SP 800-38D) with a random nonce of 96 bits. Sealed form: `v1.<nonce>.<ciphertext and tag>`, both
 * base64url; version and context are authenticated with it. The form does not name the key, which is found by trying
 * each: so versions that support only one key read it too. One key may seal at most 2^32 texts. Keys of marks and the
 * ids of keys are derived with HKDF (RFC 5869).
 * @param current the key that seals, 32 bytes
 */
export function sealer(
  current: Uint8Array,
  runtime: Pick<Runtime, 'secret'>,
  { next = null, former = [] }: OtherKeys = {},
): Sealer {
  const sealing = held(current, 'current');
  const all: readonly HeldKey[] = [
    sealing,
    ...(next === null ? [] : [held(next, 'next')]),
    ...former.map((secret) => held(secret, 'former')),
  ];
  return {
    keys: all.map(({ id, use }) => ({ id, use })),
    seal(text, context) {
      const nonce = runtime.secret(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', current, Buffer.from(nonce, 'base64url'), {
        authTagLength: tagBytes,
      });
      cipher.setAAD(Buffer.from(`v1.${context}`));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${nonce}.${sealed.toString('base64url')}`;
    },
    open(sealed, context) {
      const parts = partsOf(sealed);
      for (const key of all) {
        const text = openWith(key, parts, context);
        if (text !== null) return text;
      }
      throw new SealBroken(
        'it was changed, or sealed for another context or with an unknown key (PLY_FORMER_SECRET_KEYS)',
      );
    },
    keyOf(sealed, context) {
      try {
        const parts = partsOf(sealed);
        const key = all.find((candidate) => openWith(candidate, parts, context) !== null);
        return key === undefined ? null : { id: key.id, use: key.use };
      } catch (error) {
        if (error instanceof SealBroken) return null;
        throw error;
      }
    },
    mark: (text, purpose) => markWith(sealing, text, purpose),
    keyOfMark(mark, text, purpose) {
      if (mark.byteLength < minMarkBytes || mark.byteLength > 32) return null;
      const key = all.find((candidate) =>
        timingSafeEqual(mark, markWith(candidate, text, purpose).subarray(0, mark.byteLength)),
      );
      return key === undefined ? null : { id: key.id, use: key.use };
    },
  };
}
