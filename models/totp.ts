import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds of a time step (RFC 6238, 5.2). */
const stepSeconds = 30;
/** Bytes of a secret: the length of SHA-1's output (RFC 4226, 4). */
export const totpSecretBytes = 20;
/** Digits of a code. */
export const totpDigits = 6;
/** Steps that a client's clock may be off. */
const drift = 1;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 without padding (RFC 4648, 6): how authenticator apps take a secret. */
export function base32(bytes: Uint8Array): string {
  let bits = 0;
  let held = 0;
  let text = '';
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet.charAt((held >>> (bits - 5)) & 31);
  }
  return bits === 0 ? text : text + alphabet.charAt((held << (5 - bits)) & 31);
}

/** The code of a counter: HMAC-SHA-1, truncated (RFC 4226, 5.3). */
export function hotp(secret: Uint8Array, counter: number, digits: number = totpDigits): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', secret).update(message).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The time step of a time in milliseconds. */
export function totpStep(at: number): number {
  return Math.floor(at / 1000 / stepSeconds);
}

/**
 * The step whose code this is: that of now, or a neighbour, for clocks that are off. Every candidate is compared, in
 * constant time.
 * @param after the last step that was used; it and earlier ones are not accepted again
 * @returns null if it is the code of none
 */
export function matchingStep(secret: Uint8Array, code: string, now: number, after: number | undefined): number | null {
  const given = Buffer.from(code);
  let matching: number | null = null;
  for (let step = totpStep(now) - drift; step <= totpStep(now) + drift; step += 1) {
    const right = Buffer.from(hotp(secret, step));
    if (given.length === right.length && timingSafeEqual(given, right) && (after === undefined || step > after))
      matching = step;
  }
  return matching;
}

/** The address by which an authenticator app takes a secret (Key Uri Format of Google Authenticator). */
export function totpAddress(secret: Uint8Array, email: string): string {
  const query = `secret=${base32(secret)}&issuer=Ply&algorithm=SHA1&digits=${totpDigits}&period=${stepSeconds}`;
  return `otpauth://totp/Ply:${encodeURIComponent(email)}?${query}`;
}
