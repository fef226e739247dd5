import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

/** What a signature is made over (Signature Version 4 of AWS, as S3 uses it: the path is encoded once). */
export interface SignedParts {
  method: string;
  /** The path as sent. */
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  /** Names and values of the signed headers, in the order in which the client lists them. */
  headers: readonly (readonly [name: string, value: string])[];
  /** What stands for the body. */
  payload: string;
}

/** The scope of a key: the day (`YYYYMMDD`) and the region. */
export interface Scope {
  day: string;
  region: string;
}

/** Encodes as the signature does: everything but `A-Z a-z 0-9 - . _ ~`. */
export function encodeForSignature(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The path with each segment decoded and encoded again; nothing is normalised. */
function canonicalPath(path: string): string {
  return path
    .split('/')
    .map((segment) => {
      try {
        return encodeForSignature(decodeURIComponent(segment));
      } catch {
        return segment;
      }
    })
    .join('/');
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The query with encoded names and values, in the order of both. */
function canonicalQuery(query: SignedParts['query']): string {
  return query
    .map(([name, value]) => [encodeForSignature(name), encodeForSignature(value)] as const)
    .sort(([name, value], [otherName, otherValue]) => byCodeUnits(name, otherName) || byCodeUnits(value, otherValue))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** The SHA-256 of no bytes, in hex. */
export const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The text that identifies a request. */
export function canonicalRequest({ method, path, query, headers, payload }: SignedParts): string {
  const lines = headers.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}\n`);
  return [
    method,
    canonicalPath(path),
    canonicalQuery(query),
    lines.join(''),
    headers.map(([name]) => name).join(';'),
    payload,
  ].join('\n');
}

/** The scope as texts to sign have it. */
export function scopeText({ day, region }: Scope): string {
  return `${day}/${region}/s3/aws4_request`;
}

/** The text that the signature of a request signs. @param time `YYYYMMDDThhmmssZ` */
export function stringToSign(time: string, scope: Scope, parts: SignedParts): string {
  return ['AWS4-HMAC-SHA256', time, scopeText(scope), hash('sha256', canonicalRequest(parts), 'hex')].join('\n');
}

function hmac(key: string | Buffer | KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** The key that requests of a day and a region are signed with. */
export function signingKey(secret: string, { day, region }: Scope): KeyObject {
  return createSecretKey(hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), 's3'), 'aws4_request'));
}

/** A signature, in hex. */
export function signatureOf(key: KeyObject, text: string): string {
  return hmac(key, text).toString('hex');
}
