import { invalid } from './errors.ts';

/** The place behind which a page begins, as text for a client. */
export function writeCursor(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/**
 * The place that a cursor names.
 * @param isPlace whether the values are of the kinds that `writeCursor` got
 * @throws Refusal `validation_error` for anything but a cursor as it was answered
 */
export function readCursor<T extends readonly (string | number)[]>(
  cursor: string,
  isPlace: (place: readonly unknown[]) => place is T,
): T {
  const place = parsed(cursor);
  if (place === null || !isPlace(place) || writeCursor(place) !== cursor)
    throw invalid(['query', 'cursor'], 'query.cursor must be the nextCursor of the page before, as it was answered.');
  return place;
}

function parsed(cursor: string): readonly unknown[] | null {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(place) ? place : null;
  } catch {
    return null;
  }
}
