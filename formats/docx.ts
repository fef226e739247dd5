import type { Block } from '../models/block.ts';
import type { Archive } from './archive.ts';
import { openArchive } from './archive.ts';
import { asHeading, joinWhiteSpace, joinWhiteSpaceInLines } from './clean.ts';
import { chunkBlocks } from './docx-chunks.ts';
import type { WordNumbering } from './docx-numbering.ts';
import { readNumbering } from './docx-numbering.ts';
import type { WordStyles } from './docx-styles.ts';
import { readStyles } from './docx-styles.ts';
import { tableContext } from './docx-tables.ts';
import { plainPiece, type Piece } from './docx-piece.ts';
import { wordWalker } from './docx-walk.ts';
import { drawingTexts, drawnParts } from './ooxml-drawings.ts';
import { isUnreadable } from '../models/extraction-failure.ts';
import { mainPart, relationshipsOf, targetsIn } from './ooxml.ts';
import type { ExtractionLimits, FormatReader, ReportShare, ReportWarning, SourceFile } from './reader.ts';
import { walkXml } from './xml.ts';

/** Parts that are read afterwards, in this order. */
const furtherParts = ['footnotes', 'endnotes', 'comments', 'header', 'footer'];

/**
 * Converts the pieces of one part to blocks: numbers them, tracks the current heading, groups by heading, table and
 * table of contents.
 */
function blockMaker(part: string, nextBlock: () => number): (piece: Piece) => Block | null {
  let heading = '';
  let section = 0;
  /** A context of an empty cell goes to the next block. */
  let context: string | null = null;
  const contextOf = tableContext();
  return (piece) => {
    const text = joinWhiteSpaceInLines(piece.text);
    context = contextOf(piece) ?? (piece.table === null ? null : context);
    if (text === '') return null;
    const given = context === null ? {} : { context };
    context = null;
    if (piece.isHeading && piece.isContents !== true) {
      heading = asHeading(joinWhiteSpace(text));
      section++;
    }
    return {
      text,
      location: {
        block: nextBlock(),
        ...(heading === '' ? {} : { heading }),
        ...(piece.row === null || piece.column === null ? {} : { row: piece.row, column: piece.column }),
      },
      group:
        piece.table === null
          ? `${part} ${section}${piece.isContents === true ? ' contents' : ''}`
          : `${part} ${section} table ${piece.table}`,
      ...given,
      ...(piece.isContents === true ? { isContents: true } : {}),
    };
  };
}

/** Paragraph properties defined outside the part. */
interface Context {
  styles: WordStyles;
  numbering: WordNumbering;
}

async function* piecesOf(
  archive: Archive,
  part: string,
  { styles, numbering }: Context,
  report: (bytes: number) => void,
): AsyncGenerator<Piece, void, undefined> {
  const { handler, take } = wordWalker(styles, numbering.counting());
  async function* counted(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of archive.read(part)) {
      report(chunk.length);
      yield chunk;
    }
  }
  for await (const _ of walkXml(counted(), handler)) yield* take();
}

/** Reads a Word file; in an embedded one, embedded documents are skipped. */
async function* readWord(
  file: SourceFile,
  limits: ExtractionLimits,
  report: ReportShare,
  warn: ReportWarning,
  isInner: boolean,
): AsyncGenerator<Block, void, undefined> {
  const archive = await openArchive(file, limits);
  try {
    const main = await mainPart(archive, 'word/document.xml', /wordprocessingml\.document\.main|ms-word\.document/i);
    const related = await relationshipsOf(archive, main);
    const targetsOf = (type: string): string[] => targetsIn(related, type);
    const styles = await readStyles(archive, targetsOf('styles')[0] ?? null);
    const numbering = await readNumbering(archive, targetsOf('numbering')[0] ?? null, styles, warn);
    const further = furtherParts.flatMap(targetsOf);
    const total = [main, ...further].reduce((sum, part) => sum + archive.size(part), 1);
    let read = 0;
    let block = 0;
    const count = (bytes: number): void => report((read += bytes) / total);
    const nextBlock = (): number => ++block;
    const bodyBlock = blockMaker('body', nextBlock);
    for await (const piece of piecesOf(archive, main, { styles, numbering }, count)) {
      const made = bodyBlock(piece);
      if (made !== null) yield made;
    }
    for (const part of isInner ? [] : targetsOf('aFChunk')) {
      for await (const {
        text,
        location: { heading, row, column },
        group,
        context,
        isContents,
      } of chunkBlocks(archive, part, limits, readInner)) {
        yield {
          text,
          location: {
            block: nextBlock(),
            ...(heading === undefined ? {} : { heading }),
            ...(row === undefined || column === undefined ? {} : { row, column }),
          },
          group: `${part} ${group}`,
          ...(context === undefined ? {} : { context }),
          ...(isContents === undefined ? {} : { isContents }),
        };
      }
    }
    for (const part of drawnParts.flatMap(targetsOf)) {
      const partBlock = blockMaker(part, nextBlock);
      try {
        for await (const text of drawingTexts(archive, part, { names: true })) {
          const made = partBlock(plainPiece(text));
          if (made !== null) yield made;
        }
      } catch (error) {
        // The surrounding text is still read.
        if (!isUnreadable(error)) throw error;
        warn({ code: 'drawings_unread', detail: `The words of a chart or diagram could not be read: ${part}.` });
      }
    }
    const said = new Set<string>();
    const withoutHeadings = { styles: { ...styles, isHeading: () => false }, numbering };
    const repeated = new Set(['header', 'footer'].flatMap(targetsOf));
    for (const part of further) {
      const repeats = repeated.has(part);
      const partBlock = blockMaker(part, nextBlock);
      for await (const piece of piecesOf(archive, part, withoutHeadings, count)) {
        const text = joinWhiteSpace(piece.text);
        if (repeats && said.has(text)) continue;
        if (repeats) said.add(text);
        const made = partBlock(piece);
        if (made !== null) yield made;
      }
    }
  } finally {
    archive.close();
  }
}

const silent = (): void => undefined;
const readInner: FormatReader = (file, limits, report) => readWord(file, limits, report, silent, true);

/**
 * Word (.docx): a block per paragraph and per table cell; then whole documents inside of it, the words of
 * charts and diagrams, footnotes, endnotes and comments, and each header and footer once. Deleted revisions, field
 * instructions and hidden text are left out.
 */
export const readDocx: FormatReader = (file, limits, report, warn = silent) =>
  readWord(file, limits, report, warn, false);
