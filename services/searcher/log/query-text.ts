import { codePoints } from '../../../models/schemas/faults.ts';

/** Maximum characters of a query in the indexes: the maximum length of a prefix. */
const longestPrefix = 200;

/** Normalizes a query for comparison: trimmed, lower case, single spaces, NFC. */
export function normaliseQuery(query: string): string {
  return query.normalize('NFC').toLowerCase().trim().replaceAll(/\s+/gu, ' ');
}

/** The first characters (code points) of a text. */
function firstCharacters(text: string, count: number): string {
  // A character has at most two UTF-16 units.
  return text.length <= count ? text : [...text.slice(0, count * 2)].slice(0, count).join('');
}

/** The part of a query in the indexes from which suggestions are read. */
export function headsOf(query: string): { suggested: string; head2: string; head4?: string } {
  return {
    suggested: firstCharacters(query, longestPrefix),
    head2: firstCharacters(query, 2),
    ...(codePoints(query) >= 4 ? { head4: firstCharacters(query, 4) } : {}),
  };
}

/** The smallest text greater than every text with the prefix, in code point order, by which stores sort. */
export function pastPrefix(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}

/** Compares texts by code points, like the stores. */
export function compareTexts(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
