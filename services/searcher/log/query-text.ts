import { codePoints } from '../../../models/schemas/values.ts';

/** Characters of a query that stand in the indexes: as long as a prefix may be. */
const longestPrefix = 200;

/** A query as queries are compared: trimmed, lower case, inner spaces joined; composed characters and their parts alike. */
export function normaliseQuery(query: string): string {
  return query.normalize('NFC').toLowerCase().trim().replaceAll(/\s+/gu, ' ');
}

/** The first characters (code points) of a text. */
function firstCharacters(text: string, count: number): string {
  // At most two units make a character.
  return text.length <= count ? text : [...text.slice(0, count * 2)].slice(0, count).join('');
}

/** What of a query stands in the indexes that suggestions are read from. */
export function headsOf(query: string): { suggested: string; head2: string; head4?: string } {
  return {
    suggested: firstCharacters(query, longestPrefix),
    head2: firstCharacters(query, 2),
    ...(codePoints(query) >= 4 ? { head4: firstCharacters(query, 4) } : {}),
  };
}

/** The least text that is greater than every text with the prefix, in the order of code points that stores sort by. */
export function pastPrefix(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}

/** Compares texts by their code points, as the stores do. */
export function compareTexts(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
