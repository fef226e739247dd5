import type { components } from '../../api/schema.d.ts';

/** Where in a file a passage stands. */
export type Place = components['schemas']['Location'];

/** What of a file is looked at, as it stands in the address of its page. */
export interface FileAddress {
  /** Second of a recording. */
  t?: number;
  page?: number;
  line?: number;
  row?: number;
  /** Where a passage begins, in UTF-16 units of its page or file: tells passages of one page apart. */
  c?: number;
  /** The place of a passage as `placeKey` writes it, in files whose places are not numbers of pages or lines alone. */
  p?: string;
  /** What was searched: its passages in the file are marked. */
  q?: string;
  /** Principals of the reader that is looked as, separated by commas. */
  as?: string;
}

const numbers = ['t', 'page', 'line', 'row', 'c'] as const;

/** The address in the search of a page; what is invalid is left out. */
export function fileAddress(sent: { readonly [name: string]: unknown }): FileAddress {
  const address: FileAddress = {};
  for (const name of numbers) {
    const value = sent[name];
    if (typeof value === 'number' && value >= 0 && (name === 't' || Number.isInteger(value))) address[name] = value;
  }
  for (const name of ['p', 'q', 'as'] as const) {
    const value = sent[name];
    if (typeof value === 'string' && value !== '') address[name] = value;
    else if (typeof value === 'number') address[name] = String(value);
  }
  return address;
}

/**
 * A place as text, the same for the passage of a search and that of the file; undefined where the place is a page, a
 * line or a second, or none.
 */
export function placeKey({ resource, sheet, slide, block, element, row, column, page }: Place): string | undefined {
  if ([resource, sheet, slide, block, element].every((part) => part === undefined)) return undefined;
  return [resource, sheet, slide, page, block, element, row, column].map((part) => part ?? '').join('|');
}

/** The address of a place. A picture is shown at its second, speech is heard from shortly before it. */
export function addressOf(place: Place): FileAddress {
  const { source, startSeconds, playFromSeconds, page, lineStart, row, charStart } = place;
  const p = placeKey(place);
  const t = source === 'slide' ? startSeconds : (playFromSeconds ?? startSeconds);
  return {
    ...(t !== undefined && { t }),
    ...(page !== undefined && { page }),
    ...(lineStart !== undefined && { line: lineStart }),
    ...(row !== undefined && { row }),
    ...(charStart !== undefined && { c: charStart }),
    ...(p !== undefined && { p }),
  };
}

/** The principals of an address; undefined where it is nobody's in particular. */
export function readersOf(as: string | undefined): string[] | undefined {
  const principals = (as ?? '').split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  return principals.length > 0 ? principals : undefined;
}
