import { createHash } from 'node:crypto';
import { isObject } from './schemas/schema.ts';

/**
 * JSON in the canonical form of RFC 8785: no white space, members in the order of the UTF-16 code units of their names,
 * numbers and texts as ECMAScript writes them. Members that are undefined are left out, as in JSON.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isObject(value)) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      // The default order of texts is that of their code units.
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  const isJson = value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  if (!isJson) throw new Error(`a ${typeof value} is no JSON`);
  return JSON.stringify(value);
}

/** The SHA-256, in hexadecimal, of a text in UTF-8. */
export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
