import { createHmac, timingSafeEqual } from 'node:crypto';
import type { LinkScheme } from '../region.ts';

/** Scheme of links that cover a directory, by the scheme of links that cover one file. */
export const directorySchemes = { pl1: 'pl1d', ps2: 'ps3' } as const satisfies { [S in LinkScheme]: string };

/** Scheme of a link that covers a directory. */
export type DirectoryScheme = (typeof directorySchemes)[LinkScheme];

/** A key that links are signed with, and its id in the links. */
export interface LinkKey {
  keyId: string;
  /** 32 bytes. */
  key: Uint8Array;
}

/** A key as a signing profile shows it: its 32 bytes as base64url without padding. */
export const linkKeyForm = /^[A-Za-z0-9_-]{43}$/;

/** The bytes of a key as a signing profile shows it. @throws Error where it is none */
export function linkKeyBytes(key: string): Uint8Array {
  if (!linkKeyForm.test(key)) throw new Error('a link key is 32 bytes in base64url');
  return Buffer.from(key, 'base64url');
}

/** The text that the token of a link to one file signs. @param query the query before `&token` */
export function fileText(scheme: LinkScheme, path: string, query: string): string {
  return `${scheme}\n${path}\n${query}`;
}

/** What a link to a directory binds. */
export interface DirectoryBinding {
  /** Canonical path that begins and ends with `/`: without the last slash, `/a` would cover `/ab` too. */
  directory: string;
  /** Unix time in seconds, as the link spells it. */
  expires: string;
  keyId: string;
  ip: string | null;
}

/** The text that the token of a link to a directory signs. */
export function directoryText(scheme: DirectoryScheme, { directory, expires, keyId, ip }: DirectoryBinding): string {
  return `${scheme}\n${directory}\n${expires}\n${keyId}\n${ip ?? ''}`;
}

/** The token of a text: base64url without padding of its HMAC-SHA256. */
export function tokenOf(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/**
 * Whether a token is that of a text, in constant time. The texts of the tokens are compared, not their bytes: four
 * spellings of the last character stand for the same bytes, and decoders accept more.
 */
export function isTokenOf(token: string, key: Uint8Array, text: string): boolean {
  const expected = Buffer.from(tokenOf(key, text), 'latin1');
  const given = Buffer.from(token, 'latin1');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
