import { asHeading, joinWhiteSpace } from './clean.ts';
import { ColumnNames } from './column-names.ts';
import type { Piece } from './docx-piece.ts';

/** The table that is being read. */
interface OpenTable {
  number: number;
  caption: string;
  columns: ColumnNames;
  row: number;
  cells: string[];
}

/**
 * Follows the pieces of a part and returns what describes a table's cells from a piece on: the caption before the
 * table, and the names of its columns once they are known. Null where nothing changes.
 */
export function tableContext(): (piece: Piece) => string | null {
  let caption = '';
  let table: OpenTable | null = null;
  return (piece) => {
    const text = joinWhiteSpace(piece.text);
    if (piece.table === null || piece.row === null) {
      table = null;
      if (text !== '') caption = piece.isCaption === true ? asHeading(text) : '';
      return null;
    }
    if (table?.number !== piece.table) {
      table = { number: piece.table, caption, columns: new ColumnNames(), row: piece.row, cells: [] };
      caption = '';
      if (text !== '') table.cells.push(text);
      return table.caption === '' ? null : table.caption;
    }
    let names: string | null = null;
    if (piece.row !== table.row) {
      if (table.cells.length > 0) names = table.columns.next(table.row, table.cells);
      Object.assign(table, { row: piece.row, cells: [] });
    }
    if (text !== '') table.cells.push(text);
    return names === null ? null : [table.caption, names].filter((part) => part !== '').join('\n');
  };
}
