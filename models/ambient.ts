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

/** A time in milliseconds as the API writes it: ISO 8601, UTC, milliseconds, `Z`. Null stays null. */
export function isoTime(milliseconds: number): string;
export function isoTime(milliseconds: number | null): string | null;
export function isoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
