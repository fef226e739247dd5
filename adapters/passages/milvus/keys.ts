import { hash } from 'node:crypto';

/** A 63-bit integer in decimal digits, the Milvus client's representation of Int64. */
export type Key = string;

/** The first 63 bits of a digest in hexadecimal. */
export function keyOfDigest(digest: string): Key {
  return (BigInt(`0x${digest.slice(0, 16)}`) >> 1n).toString();
}

/** A key derived from parts by SHA-256, so that filters contain only numbers and need no escaping. */
function key(...parts: readonly (string | number)[]): Key {
  return keyOfDigest(hash('sha256', JSON.stringify(parts)));
}

/** Partition key of an organization. */
export const organizationKey = (organizationId: string): Key => key('organization', organizationId);
/** A file of an organization. */
export const fileKey = (organizationId: string, assetId: string): Key => key('file', organizationId, assetId);
/** Primary key of a passage. */
export const rowKey = (organizationId: string, assetId: string, revision: number, ordinal: number): Key =>
  key('row', organizationId, assetId, revision, ordinal);
/** An external id, a speaker or a language that filters compare. */
export const valueKey = (sort: 'external' | 'speaker' | 'language' | 'kind', value: string): Key => key(sort, value);
/** The key of a passage without a value; no value has this key. */
export const noValue: Key = '-1';

/**
 * Which of two array fields contains a key: an array field has at most 4,096 values, and a file may have 5,000
 * principals.
 */
export function half(of: Key): 0 | 1 {
  return Number(of.at(-1)) % 2 === 0 ? 0 : 1;
}
