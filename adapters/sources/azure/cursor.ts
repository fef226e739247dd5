import { SourceError } from '../port.ts';

/** The position of a flat listing of a container. */
export interface FlatCursor {
  /** Azure's continuation marker of the next page; null for the first. */
  marker: string | null;
  /** The last listed name; the following names sort after it. */
  last: string | null;
  /** Number of consecutive empty pages. */
  empty: number;
}

/** Serializes the position of a flat listing. Azure's markers contain names and no credential. */
export function writeFlatCursor({ marker, last, empty }: FlatCursor): string {
  return JSON.stringify([marker, last, empty]);
}

/** Parses the text of `writeFlatCursor`; null is the start. @throws SourceError `refused` for anything else */
export function readFlatCursor(cursor: string | null): FlatCursor {
  if (cursor === null) return { marker: null, last: null, empty: 0 };
  const fields = fieldsOf(cursor);
  const [marker, last, empty] = fields;
  if (typeof marker !== 'string' || (last !== null && typeof last !== 'string') || typeof empty !== 'number')
    throw new SourceError('refused', 'the cursor does not belong to this source');
  return { marker, last, empty };
}

/** Serializes the position of a walk through folders: the last listed name. */
export function writeTreeCursor(last: string): string {
  return JSON.stringify([last]);
}

/** Whether a cursor belongs to a walk through folders. */
export function isTreeCursor(cursor: string): boolean {
  return fieldsOf(cursor).length === 1;
}

/** Parses the text of `writeTreeCursor`. @throws SourceError `refused` for anything else */
export function readTreeCursor(cursor: string): string {
  const [last] = fieldsOf(cursor);
  if (typeof last !== 'string') throw new SourceError('refused', 'the cursor does not belong to this source');
  return last;
}

function fieldsOf(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return []; // The caller refuses it like any other malformed cursor.
  }
}
