import { cleanText, joinCells, joinWhiteSpace, joinWhiteSpaceInLines } from './clean.ts';

/** An element that holds blocks. Containers form the tree in which the main part of the page is searched. */
export interface Container {
  parent: Container | null;
  tag: string;
  /** Whether this element or one around it frames the content. */
  framing: boolean;
  /** Whether this element itself frames the content. */
  frames: boolean;
  /** Whether the element is hidden until a script shows it. Small hidden elements are dropped immediately. */
  hidden: boolean;
  /** Number of its slide; only in course pages. */
  slide?: number;
  /** Whether it is, or is within, a table of contents. */
  contents?: true;
}

/** Text between the boundaries of block elements. */
export interface HtmlPiece {
  text: string;
  isHeading: boolean;
  /** Tag of its element: `p`, `li`, `h2`, `tr`, ... */
  tag: string;
  container: Container;
  /** Number of its characters that are links. */
  linked: number;
  /** Present for a row of several cells that are all headings. */
  isHead?: true;
}

/** The element that a text ends in. */
interface TextElement {
  container: Container;
  /** Whether white space is preserved. */
  pre: boolean;
}

interface HeldText {
  text: string;
  tag: string;
  container: Container;
  linked: number;
  isHead?: true;
}

interface Row {
  cells: string[];
  /** Number of the cells that are headings. */
  heads: number;
  linked: number;
  container: Container;
  /** The only paragraph of the open cell so far; without a second one it is the cell's text. */
  held: HeldText | null;
}

/** A longer paragraph in a cell is text in a layout table. */
const longestCell = 300;
/** Longer paragraphs are emitted in pieces of this size. */
const longestText = 262_144;

/** Whether a tag is one of a heading. */
export const isHeadingTag = (tag: string): boolean => /^h[1-6]$/.test(tag);

/** Whether the last non-blank character is a line feed; null if there is none. */
function endsLine(text: string): boolean | null {
  for (let at = text.length - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (code === 10) return true;
    if (code !== 32 && code !== 9 && code !== 13) return false;
  }
  return null;
}

/** Builds the pieces of a page from its text and the boundaries of its block elements. */
export class PieceBuilder {
  #pieces: HtmlPiece[] = [];
  readonly #rows: Row[] = [];
  #text = '';
  /* State about the end of the text, kept because searching the text again at each element takes quadratic time. */
  #isBlank = true;
  #endsLine = false;
  #linked = 0;
  #label = '';

  /** Whether the current text has only white space. */
  get isBlank(): boolean {
    return this.#isBlank;
  }

  /** Whether the current text ends with a line break, blanks after it aside. */
  get endsLine(): boolean {
    return this.#endsLine;
  }

  get isInRow(): boolean {
    return this.#rows.length > 0;
  }

  /** Whether the current text is so long that it must be emitted early. */
  get isFull(): boolean {
    return this.#text.length > longestText;
  }

  /** Appends to the current text. `linked` is the number of characters that are links. */
  append(text: string, linked = 0): void {
    this.#text += text;
    this.#isBlank &&= !/\S/.test(text);
    this.#endsLine = endsLine(text) ?? this.#endsLine;
    this.#linked += linked;
  }

  /** Appends to the label that replaces an empty text. */
  appendLabel(text: string): void {
    if (this.#label.length < longestCell) this.#label += text;
  }

  /** Begins a row of a table. */
  beginRow(container: Container): void {
    const around = this.#rows.at(-1);
    if (around !== undefined) this.#endCells(around);
    this.#rows.push({ cells: [], heads: 0, linked: 0, container, held: null });
  }

  endRow(): void {
    const row = this.#rows.pop();
    if (row !== undefined) this.#endCells(row);
  }

  /** Ends the current text. A cell with no more than one paragraph joins its row. */
  flush(element: TextElement, tag: string, endsCell = false): void {
    const row = this.#rows.at(-1);
    const isBlank = this.#isBlank && !/\S/.test(this.#label);
    const text = this.#isBlank ? this.#label : this.#text;
    const linked = this.#linked;
    this.#label = '';
    this.#text = '';
    this.#isBlank = true;
    this.#endsLine = false;
    this.#linked = 0;
    const ended: HeldText = { text, tag, container: element.container, linked };
    if (endsCell && row !== undefined && !element.pre) this.#endCell(row, ended, isBlank);
    else if (!isBlank) this.#endParagraph(row, ended, element.pre);
  }

  /** Ends the rows that are still open. */
  end(): void {
    while (this.#rows.length > 0) this.endRow();
  }

  /** The pieces since the last call. */
  take(): HtmlPiece[] {
    const taken = this.#pieces;
    this.#pieces = [];
    return taken;
  }

  #endCell(row: Row, last: HeldText, isBlank: boolean): void {
    const cell = joinWhiteSpace(row.held?.text ?? last.text);
    if (row.held !== null && !isBlank) {
      this.#endCells(row);
      this.#push(last, false);
    } else if (cell !== '') {
      row.cells.push(cell);
      if (last.tag === 'th') row.heads++;
      row.linked += row.held?.linked ?? last.linked;
    }
    row.held = null;
  }

  #endParagraph(row: Row | undefined, paragraph: HeldText, isPre: boolean): void {
    const { text, tag, container } = paragraph;
    const isCell =
      row !== undefined &&
      row.held === null &&
      !isPre &&
      text.length <= longestCell &&
      !isHeadingTag(tag) &&
      container.framing === row.container.framing &&
      row.container.slide === container.slide;
    if (isCell) {
      row.held = paragraph;
      return;
    }
    if (row !== undefined) this.#endCells(row);
    this.#push(paragraph, isPre);
  }

  /** Emits the cells of a row so far, and the paragraph that is held as a cell. */
  #endCells(row: Row): void {
    const { cells, heads, linked, container, held } = row;
    const isHead: Pick<HtmlPiece, 'isHead'> = heads > 1 && heads === cells.length ? { isHead: true } : {};
    if (cells.length > 0) this.#push({ text: joinCells(cells), tag: 'tr', container, linked, ...isHead }, false);
    if (held !== null) this.#push(held, false);
    Object.assign(row, { cells: [], heads: 0, linked: 0, held: null });
  }

  #push({ text: raw, tag, container, linked, isHead }: HeldText, isPre: boolean): void {
    const text = isPre
      ? cleanText(raw)
          .trimEnd()
          .replace(/^\s*\n/, '')
      : joinWhiteSpaceInLines(raw);
    if (!/\S/.test(text)) return;
    // Browsers with scripts treat the content of `noscript` as text, tags included, and some save it that way.
    if (container.tag === 'noscript' && /^\s*<[a-z!/]/i.test(text)) return;
    const isHeading = isHeadingTag(tag);
    this.#pieces.push({
      text: isHeading ? joinWhiteSpace(text) : text,
      isHeading,
      tag,
      container,
      linked: Math.min(linked, text.length),
      ...(isHead === undefined ? {} : { isHead }),
    });
  }
}
