import { invalid } from '../../models/errors.ts';

/** The cursor behind a document of a list that is sorted by a time and then by id. */
export function writeTimeCursor(time: number, id: string): string {
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
