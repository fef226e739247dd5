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

function fieldsOf(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return []; // Told by the caller, as every other text that is no mark.
  }
}
