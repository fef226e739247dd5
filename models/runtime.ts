import { createHash, randomBytes, randomUUID } from 'node:crypto';

/**
 * Time, ids and randomness. They are injected everywhere, so that tests control the clock and the ids.
 */
export interface Runtime {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** A new lower-case UUID (version 4). */
  uuid(): string;
  /** A uniform number in [0, 1) for jitter and sampling, never for secrets. */
  random(): number;
  /** `bytes` random bytes fit for secrets, as base64url without padding. */
  secret(bytes: number): string;
}

/** The runtime of the running program. */
export const systemRuntime: Runtime = {
  now: () => Date.now(),
  uuid: () => randomUUID(),
  random: () => Math.random(),
  secret: (bytes) => randomBytes(bytes).toString('base64url'),
};

/**
 * A new lower-case UUID that begins with the time (version 7 of RFC 9562, section 5.7: 48 bits of milliseconds, the
 * rest random): documents with such ids are ordered by creation in a store's index.
 */
export function timeOrderedUuid(runtime: Pick<Runtime, 'now' | 'uuid'>): string {
  const time = runtime.now().toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${runtime.uuid().slice(15)}`;
}

/** A UUID made from a text's SHA-256 (version 8 of RFC 9562: custom content). */
export function derivedUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A time in milliseconds as the API writes it: ISO 8601, UTC, milliseconds, `Z`. Null stays null. */
export function isoTime(milliseconds: number): string;
export function isoTime(milliseconds: number | null): string | null;
export function isoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
