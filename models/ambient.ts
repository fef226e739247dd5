import { randomBytes, randomUUID } from 'node:crypto';

/**
 * What a program takes from its surroundings: time, identity and chance. They are handed in everywhere,
 * so that a test decides what the clock says and which id comes next.
 */
export interface Ambient {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** A new lower-case UUID (version 4). */
  uuid(): string;
  /** A uniform number in [0, 1): jitter and sampling, never secrets. */
  random(): number;
  /** `bytes` random bytes fit for secrets, as base64url without padding. */
  secret(bytes: number): string;
}

/** The real surroundings of a running program. */
export const systemAmbient: Ambient = {
  now: () => Date.now(),
  uuid: () => randomUUID(),
  random: () => Math.random(),
  secret: (bytes) => randomBytes(bytes).toString('base64url'),
};

/**
 * A new lower-case UUID that begins with the time (version 7 of RFC 9562, section 5.7: 48 bits of milliseconds, the rest
 * random): documents with such ids lie in a store's index in the order in which they came, however many there are.
 */
export function timeOrderedUuid(ambient: Pick<Ambient, 'now' | 'uuid'>): string {
  const time = ambient.now().toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${ambient.uuid().slice(15)}`;
}

/** A time in milliseconds as the API writes it: ISO 8601, UTC, milliseconds, `Z`. Null stays null. */
export function isoTime(milliseconds: number): string;
export function isoTime(milliseconds: number | null): string | null;
export function isoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
