/** A paragraph, or the paragraphs of one table cell joined by line breaks. */
export interface Piece {
  text: string;
  isHeading: boolean;
  /** Whether it is the caption of a table or figure. */
  isCaption?: true;
  /** Whether it is part of a table of contents. */
  isContents?: true;
  /** Number of the table in document order, from 1; null outside tables. */
  table: number | null;
  row: number | null;
  column: number | null;
}

/** A piece outside of tables that is no heading. */
export function plainPiece(text: string): Piece {
  return { text, isHeading: false, table: null, row: null, column: null };
}
