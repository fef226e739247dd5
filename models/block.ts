/**
 * The location of a text in its file. Positions count from 1; charStart and charEnd are UTF-16 offsets from the start
 * of the page or file, end exclusive. The API's location table lists the fields of each format.
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
  /** Text without NUL or lone surrogates. White space without meaning in the format is collapsed. */
  text: string;
  location: Location;
  /**
   * Blocks of different groups are never joined into one passage. A group is a page, a sheet, a table, a section under
   * a heading, or a speaker.
   */
  group: string;
  /**
   * Titles of the page, module or sheet that begins with this block, one per line. They are searched with the text but
   * not part of it. Absent if there are none.
   */
  titles?: string;
  /**
   * What describes this block and the following ones of its group, one per line: the names of a table's columns, its
   * caption, the name of its sheet. Each passage of them is searched with it, and it is not part of the text. It holds
   * until the group ends or another one is given; an empty one ends it.
   */
  context?: string;
  /** Present for a part of a table of contents, which ranks below the text that it leads to. */
  isContents?: true;
}
