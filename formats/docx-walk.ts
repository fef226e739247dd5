import type { NumberParagraph } from './docx-numbering.ts';
import { plainPiece, type Piece } from './docx-piece.ts';
import type { WordStyles } from './docx-styles.ts';
import { isOn, listLevel } from './docx-styles.ts';
import { symbolText, textInFont } from './docx-symbols.ts';
import { Alternatives } from './ooxml-alternatives.ts';
import type { XmlHandler } from './xml.ts';

interface Paragraph {
  text: string;
  isHeading: boolean;
  /** Whether its style hides it. */
  isHidden: boolean;
  /** Whether its paragraph mark is hidden; without visible text it is then no list item. */
  endsHidden: boolean;
  /** Whether its paragraph mark was deleted or moved away: it continues in the next one, and is no list item. */
  endsDeleted: boolean;
  style: string;
  /** Its own list and level; null if its style gives them. */
  list: string | null;
  level: number | null;
  /** Depth of enclosing text boxes. The pieces of a text box come after the paragraph that holds it. */
  boxes: number;
}

interface Table {
  number: number;
  row: number;
  column: number;
  /** Number of columns that the current cell spans. */
  span: number;
  /** Paragraphs of the current cell. */
  lines: string[];
  /** Text boxes around it. */
  boxes: number;
}

/** Elements whose content is skipped: deleted or moved text, alternative renderings, phonetic guides. */
const skippedElements = new Set([
  'del',
  'moveFrom',
  'rt',
  'instrText',
  'delText',
  'delInstrText',
  'pPrChange',
  'rPrChange',
  'sectPrChange',
  'tblPrChange',
]);

/**
 * Walks the XML of a Word part (ECMA-376 part 1, 17). `take` returns and clears the pieces gathered so far. Paragraphs
 * in lists begin with the number that `numberParagraph` returns.
 */
export function wordWalker(
  styles: WordStyles,
  numberParagraph: NumberParagraph,
): { handler: XmlHandler; take(): Piece[] } {
  let pieces: Piece[] = [];
  let boxedPieces: Piece[] = [];
  const paragraphs: Paragraph[] = [];
  const tables: Table[] = [];
  let tableCount = 0;
  let skipped = 0;
  let runs = 0;
  let hidden = false;
  /** Font of the run, if given. */
  let font = '';
  let inRunProperties = false;
  let inParagraphProperties = false;
  let inText = false;
  let boxes = 0;
  /** Open fields; true while their instruction is read, which is not displayed. */
  const fields: boolean[] = [];
  /** Number of open fields whose instruction is being read. */
  let instructions = 0;
  const alternatives = new Alternatives();
  /** Open content controls (17.5.2); true for a table of contents. */
  const controls: boolean[] = [];

  const write = (text: string): void => {
    const paragraph = paragraphs.at(-1);
    if (paragraph !== undefined && !hidden && instructions === 0) paragraph.text += text;
  };
  /** The displayed list number of a paragraph. */
  const numberOf = (paragraph: Paragraph): string => {
    const text = paragraph.text.trim();
    if (paragraph.isHidden || paragraph.endsDeleted || (paragraph.endsHidden && text === '')) return '';
    const ofStyle = styles.listOf(paragraph.style);
    const level = paragraph.level ?? ofStyle.level;
    return numberParagraph(
      paragraph.list === null ? { ...ofStyle, level } : { list: paragraph.list, level, styles: [] },
      text,
    );
  };
  const endParagraph = (): void => {
    const paragraph = paragraphs.pop();
    if (paragraph === undefined) return;
    paragraph.text = numberOf(paragraph) + paragraph.text;
    const table = tables.at(-1);
    if (table !== undefined && paragraph.boxes === table.boxes) table.lines.push(paragraph.text);
    else
      (paragraphs.length > 0 ? boxedPieces : pieces).push({
        text: paragraph.text,
        isHeading: paragraph.isHeading,
        ...(styles.isCaption(paragraph.style) ? { isCaption: true } : {}),
        ...(controls.includes(true) || styles.isContents(paragraph.style) ? { isContents: true } : {}),
        table: null,
        row: null,
        column: null,
      });
    if (paragraphs.length === 0) {
      for (const piece of boxedPieces) pieces.push(piece);
      boxedPieces = [];
      // An instruction ends within its paragraph; an unclosed one must not hide the rest of the file.
      fields.length = 0;
      instructions = 0;
    }
  };
  const endCell = (table: Table): void => {
    pieces.push({
      text: table.lines.join('\n'),
      isHeading: false,
      table: table.number,
      row: table.row,
      column: table.column,
    });
    table.lines = [];
  };

  const open: XmlHandler['open'] = (name, attributes) => {
    if (skipped === 0 && inParagraphProperties && (name === 'del' || name === 'moveFrom')) {
      const paragraph = paragraphs.at(-1);
      if (paragraph !== undefined) paragraph.endsDeleted = true;
    }
    if (skipped > 0 || skippedElements.has(name) || alternatives.repeats(name)) {
      skipped++;
      return;
    }
    const { val } = attributes;
    const table = tables.at(-1);
    const paragraph = paragraphs.at(-1);
    switch (name) {
      case 'p':
        paragraphs.push({
          text: '',
          isHeading: false,
          isHidden: false,
          endsHidden: false,
          endsDeleted: false,
          style: '',
          list: null,
          level: null,
          boxes,
        });
        break;
      case 'pPr':
        inParagraphProperties = true;
        break;
      case 'numId':
        if (inParagraphProperties && paragraph !== undefined) paragraph.list = val ?? null;
        break;
      case 'ilvl':
        if (inParagraphProperties && paragraph !== undefined) paragraph.level = listLevel(val);
        break;
      case 'r':
        runs++;
        hidden = paragraph?.isHidden ?? false;
        font = '';
        break;
      case 'rPr':
        inRunProperties = true;
        break;
      case 'rFonts':
        if (inRunProperties && runs > 0) font = attributes['ascii'] ?? attributes['hAnsi'] ?? '';
        break;
      case 'vanish':
        if (inParagraphProperties && paragraph !== undefined) paragraph.endsHidden = isOn(val);
        else if (inRunProperties && runs > 0) hidden = isOn(val);
        break;
      case 'rStyle':
        if (inRunProperties && runs > 0) hidden ||= styles.isHidden(val ?? '');
        break;
      case 't':
        inText = runs > 0;
        break;
      case 'tab':
      case 'ptab':
        if (runs > 0) write('\t');
        break;
      case 'br':
      case 'cr':
        write('\n');
        break;
      case 'noBreakHyphen':
        write('-');
        break;
      case 'sym':
        write(symbolText(attributes['font'] ?? '', attributes['char'] ?? ''));
        break;
      case 'pStyle':
        if (paragraph === undefined || val === undefined) break;
        paragraph.style = val;
        paragraph.isHeading ||= styles.isHeading(val);
        paragraph.isHidden ||= styles.isHidden(val);
        break;
      case 'outlineLvl':
        if (paragraph !== undefined && runs === 0) paragraph.isHeading = Number(val) < 9;
        break;
      case 'fldChar': {
        const kind = attributes['fldCharType'];
        if (kind === 'begin') {
          fields.push(true);
          instructions++;
        } else if (kind === 'separate') {
          if (fields.pop() === true) instructions--;
          fields.push(false);
        } else if (kind === 'end' && fields.pop() === true) instructions--;
        break;
      }
      case 'txbxContent':
        boxes++;
        break;
      // The text of WordArt, such as a watermark (part 4, 19.1.2.23), is in an attribute.
      case 'textpath':
        if (attributes['string'] !== undefined)
          (paragraphs.length > 0 ? boxedPieces : pieces).push(plainPiece(attributes['string']));
        break;
      case 'sdt':
        controls.push(false);
        break;
      case 'docPartGallery':
        if (controls.length > 0 && /^table of (contents|figures)/i.test(val ?? ''))
          controls[controls.length - 1] = true;
        break;
      case 'tbl':
        tables.push({ number: ++tableCount, row: 0, column: 0, span: 1, lines: [], boxes });
        break;
      case 'tr':
        if (table !== undefined) {
          table.row++;
          table.column = 0;
          table.span = 1;
        }
        break;
      case 'gridBefore':
        if (table !== undefined) table.column += Math.min(16_384, Number(val) || 0);
        break;
      case 'tc':
        if (table !== undefined) {
          table.column += table.span;
          table.span = 1;
        }
        break;
      case 'gridSpan':
        if (table !== undefined) table.span = Math.max(1, Math.min(16_384, Number(val) || 1));
        break;
      case 'footnote':
      case 'endnote':
        if (!['', 'normal'].includes(attributes['type'] ?? '')) skipped = 1;
        break;
      default:
        break;
    }
  };

  const close: XmlHandler['close'] = (name) => {
    if (skipped > 0) {
      skipped--;
      return;
    }
    alternatives.close(name);
    const table = tables.at(-1);
    switch (name) {
      case 'p':
        endParagraph();
        break;
      case 'r':
        runs--;
        hidden = false;
        break;
      case 'pPr':
        inParagraphProperties = false;
        break;
      case 'rPr':
        inRunProperties = false;
        break;
      case 't':
        inText = false;
        break;
      case 'txbxContent':
        boxes--;
        break;
      case 'tc':
        if (table !== undefined) endCell(table);
        break;
      case 'sdt':
        controls.pop();
        break;
      case 'tbl':
        tables.pop();
        break;
      default:
        break;
    }
  };

  return {
    handler: {
      open,
      close,
      text: (text) => {
        if (skipped === 0 && inText) write(textInFont(font, text));
      },
    },
    take: () => {
      const taken = pieces;
      pieces = [];
      return taken;
    },
  };
}
