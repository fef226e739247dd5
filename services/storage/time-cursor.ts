import { invalid } from '../../models/errors.ts';

/**
 * The page of a list that was asked for one document more than it shows, and the cursor of the next one; null at the end.
 * @param found sorted by createdAt, or a field equal to it, and then by id
 */
export function timePage<T extends { _id: string; createdAt: number }, V>(
  found: readonly T[],
  limit: number,
  viewOf: (document: T) => V,
): { items: V[]; nextCursor: string | null } {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const isMore = found.length > page.length && last !== undefined;
  return { items: page.map(viewOf), nextCursor: isMore ? writeTimeCursor(last.createdAt, last._id) : null };
}

/** The cursor behind a document of a list that is sorted by a time and then by id. */
function writeTimeCursor(time: number, id: string): string {
  return Buffer.from(JSON.stringify([time, id])).toString('base64url');
}

/** Time and id that a cursor stands for. @throws Refusal `validation_error` */
export function readTimeCursor(cursor: string): [number, string] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(parsed) && parsed.length === 2 && Number.isInteger(parsed[0]) && typeof parsed[1] === 'string')
      return [Number(parsed[0]), parsed[1]];
  } catch {
    // Not JSON: answered like every other malformed cursor.
  }
  throw invalid(['query', 'cursor'], 'Send the nextCursor of the page before, as it was answered.');
}
