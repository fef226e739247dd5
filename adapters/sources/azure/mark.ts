import { SourceError } from '../port.ts';

/** Where a listing of a container stands. */
export interface Mark {
  /** Azure's own mark of the next page; null for the first. */
  marker: string | null;
  /** The last name that was listed: what follows comes after it. */
  last: string | null;
  /** Pages without a name that came in a row. */
  empty: number;
}

/** Writes where a listing stands as the text that is kept. Azure's marks hold names, no credential. */
export function writeMark({ marker, last, empty }: Mark): string {
  return JSON.stringify([marker, last, empty]);
}

/** Reads what `writeMark` wrote; null is the beginning. @throws SourceError `refused` for anything else */
export function readMark(cursor: string | null): Mark {
  if (cursor === null) return { marker: null, last: null, empty: 0 };
  const fields = fieldsOf(cursor);
  const [marker, last, empty] = fields;
  if (typeof marker !== 'string' || (last !== null && typeof last !== 'string') || typeof empty !== 'number') throw new SourceError('refused', 'the mark of the page is none of this source');
  return { marker, last, empty };
}

/** Writes where a walk through folders stands: the last name that was listed. */
export function writeTreeMark(last: string): string {
  return JSON.stringify([last]);
}

/** Whether a mark is one of a walk through folders. */
export function isTreeMark(cursor: string): boolean {
  return fieldsOf(cursor).length === 1;
}

/** Reads what `writeTreeMark` wrote. @throws SourceError `refused` for anything else */
export function readTreeMark(cursor: string): string {
  const [last] = fieldsOf(cursor);
  if (typeof last !== 'string') throw new SourceError('refused', 'the mark of the page is none of this source');
  return last;
}

function fieldsOf(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return []; // Told by the caller, as every other text that is no mark.
  }
}
