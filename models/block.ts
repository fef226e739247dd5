/**
 * Where a piece of text stands in its file. Positions count from 1; charStart and charEnd are UTF-16 offsets from
 * the start of the page or file, end exclusive. Which fields a format fills stands in the API's location table.
 */
export interface Location {
  startSeconds?: number;
  endSeconds?: number;
  playFromSeconds?: number;
  timingPrecision?: 'segment' | 'word';
  source?: 'slide';
  page?: number;
  charStart?: number;
  charEnd?: number;
  block?: number;
  heading?: string;
  row?: number;
  column?: number;
  sheet?: string;
  lineStart?: number;
  lineEnd?: number;
  element?: number;
  resource?: string;
  title?: string;
  slide?: number;
}

/** The smallest piece of text that a format yields: a page, a paragraph, a row, a line, a segment. */
export interface Block {
  /** Text without NUL or lone surrogates, white space joined where the format does not mean it. */
  text: string;
  location: Location;
  /**
   * Blocks of unlike groups are never joined into one passage: a page, a sheet, a table, what stands under one
   * heading, one speaker.
   */
  group: string;
  /**
   * Titles of what begins with this block (a page, a module, a sheet), one a line: words that it is found by and that do
   * not stand in its text. Left out where there are none.
   */
  titles?: string;
}
