/** The longest name of a column, and of all names of a table together (UTF-16 code units). */
const [longestName, longestNames] = [60, 2000];
/** Rows below a first row of texts after which it counts as names although all rows are texts. */
const rowsOfTexts = 3;

/** A number, an amount, a date, a time or a code without letters. */
const value = /^[^\p{L}]*\d[^\p{L}]*$/u;
const isoTime = /^\d{4}-\d\d-\d\dT[\d:.Z+-]+$/;

function isValue(cell: string): boolean {
  return value.test(cell) || isoTime.test(cell);
}

/** Whether a row may name columns: two distinct short texts or more, none of them a value. */
function mayName(cells: readonly string[]): boolean {
  return (
    cells.length > 1 &&
    cells.every((cell) => cell.length <= longestName && /\p{L}/u.test(cell) && !/[@\n]|:\/\//.test(cell)) &&
    new Set(cells.map((cell) => cell.toLowerCase())).size === cells.length
  );
}

/**
 * Finds the row that names the columns of a table, from its rows in order: the first row of several cells, if it has
 * short texts alone that no row below repeats, and either values stand below or three rows of texts. In a sheet with
 * several tables, rows after a gap begin another one.
 */
export class ColumnNames {
  #names: ReadonlySet<string> = new Set();
  #candidate: { names: ReadonlySet<string>; rowsBelow: number } | null = null;
  #lastRow: number | null = null;
  /** Most cells of a row of this table so far. */
  #widest = 0;

  /**
   * Takes the next row, without its empty cells. Returns the names of the columns, joined, where they are known from
   * this row on; null where nothing changes.
   */
  next(row: number, cells: readonly string[]): string | null {
    if (this.#lastRow !== null && row > this.#lastRow + 1) {
      this.#candidate = null;
      this.#widest = 0;
    }
    this.#lastRow = row;
    const isWider = cells.length > this.#widest;
    this.#widest = Math.max(this.#widest, cells.length);
    if (isWider && mayName(cells)) {
      if (this.#replaces(cells)) this.#candidate = { names: new Set(cells), rowsBelow: 0 };
      return null;
    }
    return this.#confirmed(cells);
  }

  /** Whether a row of names belongs to another table than the current names: data often has gaps. */
  #replaces(cells: readonly string[]): boolean {
    return this.#names.size !== cells.length || cells.some((cell) => this.#names.has(cell));
  }

  #confirmed(cells: readonly string[]): string | null {
    if (this.#candidate === null) return null;
    const { names } = this.#candidate;
    if (cells.some((cell) => names.has(cell))) {
      this.#candidate = null;
      return null;
    }
    this.#candidate.rowsBelow += 1;
    if (!cells.some(isValue) && this.#candidate.rowsBelow < rowsOfTexts) return null;
    this.#candidate = null;
    this.#names = names;
    return [...names].join(' | ').slice(0, longestNames).toWellFormed();
  }
}
