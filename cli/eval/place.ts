import type { Location } from '../../models/block.ts';

/** A place in a file at which an answer is expected. */
export type Place =
  | { kind: 'time'; seconds: number }
  | { kind: 'numbered'; unit: Unit; number: number }
  | { kind: 'any'; number: number }
  | { kind: 'sheet'; name: string; row: number | null }
  | { kind: 'heading'; text: string };

const units = ['page', 'row', 'line', 'slide', 'block', 'element'] as const;
type Unit = (typeof units)[number];

/** What a passage shows of its extent. */
export interface ShownPassage {
  location: Location;
  snippet: string;
}

/** The forms of a place, for error messages. */
export const placeForms =
  'use page 3, row 7, line 12, slide 4, block 5, element 6, sheet Prices, sheet Prices row 7, heading Terms, a time such as 12:30 or 1:02:03, or only a number';

/** Seconds by which a time may be outside of its passage: people note the moment, not the first word. */
const timeTolerance = 3;
/** Rows, blocks or elements of one passage, at most: it has up to about 240 words. */
const maxJoined = 240;

/** Parses a place; null for text in no known form. */
export function parsePlace(text: string): Place | null {
  const written = text.trim();
  const time = /^(?:(\d+):)?(\d+):(\d{1,2}(?:\.\d+)?)$/.exec(written);
  if (time !== null) {
    const [, hours = '0', minutes = '0', seconds = '0'] = time;
    return Number(seconds) < 60
      ? { kind: 'time', seconds: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) }
      : null;
  }
  const numbered = /^(?:(page|row|line|slide|block|element)\s+)?(\d{1,9})$/i.exec(written);
  if (numbered !== null) {
    const unit = units.find((each) => each === numbered[1]?.toLowerCase());
    const number = Number(numbered[2]);
    if (number === 0) return null;
    return unit === undefined ? { kind: 'any', number } : { kind: 'numbered', unit, number };
  }
  const sheet = /^sheet\s+(.+?)(?:,?\s+row\s+([1-9]\d{0,8}))?$/i.exec(written);
  if (sheet !== null)
    return { kind: 'sheet', name: sheet[1] ?? '', row: sheet[2] === undefined ? null : Number(sheet[2]) };
  const heading = /^heading\s+(.+)$/i.exec(written);
  return heading === null ? null : { kind: 'heading', text: heading[1] ?? '' };
}

const same = (one: string | undefined, other: string): boolean =>
  one !== undefined && one.localeCompare(other, undefined, { sensitivity: 'base' }) === 0;

/**
 * Whether a number is among those that a passage spans, from its first on; the last is seen only in a whole snippet.
 */
function spans(first: number | undefined, { snippet }: ShownPassage, number: number): boolean {
  if (first === undefined || number < first) return false;
  const isWhole = !snippet.startsWith('…') && !snippet.endsWith('…');
  return number < first + (isWhole ? snippet.split('\n').length : maxJoined);
}

function hasNumber(unit: Unit, passage: ShownPassage, number: number): boolean {
  const { page, slide, row, block, element, lineStart, lineEnd } = passage.location;
  switch (unit) {
    case 'page':
      return page === number;
    case 'slide':
      return slide === number;
    case 'line':
      return lineStart !== undefined && number >= lineStart && number <= (lineEnd ?? lineStart);
    case 'row':
      return spans(row, passage, number);
    case 'block':
      return spans(block, passage, number);
    case 'element':
      return spans(element, passage, number);
  }
}

/** The unit in which a location counts first. */
function unitOf({ page, slide, lineStart, row, element, block }: Location): Unit | null {
  if (page !== undefined) return 'page';
  if (slide !== undefined) return 'slide';
  if (lineStart !== undefined) return 'line';
  if (element !== undefined) return 'element';
  if (block !== undefined) return 'block';
  return row === undefined ? null : 'row';
}

/**
 * Whether a passage is at a place. A passage joins several rows (blocks, elements) and names its first: the place is in
 * it if it is among the lines of its text, or, where the snippet was shortened, not far behind the first.
 */
export function isAt(place: Place, passage: ShownPassage): boolean {
  const { startSeconds, endSeconds, sheet, heading, title } = passage.location;
  switch (place.kind) {
    case 'time':
      return (
        startSeconds !== undefined &&
        place.seconds >= startSeconds - timeTolerance &&
        place.seconds <= (endSeconds ?? startSeconds) + timeTolerance
      );
    case 'numbered':
      return hasNumber(place.unit, passage, place.number);
    case 'any': {
      const unit = unitOf(passage.location);
      return unit !== null && hasNumber(unit, passage, place.number);
    }
    case 'sheet':
      return same(sheet, place.name) && (place.row === null || hasNumber('row', passage, place.row));
    case 'heading':
      return same(heading, place.text) || same(title, place.text);
  }
}
