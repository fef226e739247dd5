import { TextDecoder } from 'node:util';
import type { Block } from '../models/block.ts';
import { asHeading } from './clean.ts';
import { articlePieces } from './html-article.ts';
import { encodingOf } from './html-charset.ts';
import { mainPieces } from './html-main.ts';
import type { HtmlPiece } from './html-pieces.ts';
import { tableContext } from './html-tables.ts';
import { htmlWalker } from './html-walk.ts';
import type { ExtractionLimits, FormatReader, ReportShare, SourceFile } from './reader.ts';
import { openSource } from './source-bytes.ts';

const chunkBytes = 64 * 1024;
/**
 * Larger pages are not held in memory to find their main part: everything outside framing elements is emitted as it
 * comes.
 */
const heldCharacters = 4_000_000;
const heldPieces = 50_000;

const isShown = ({ container }: HtmlPiece): boolean => !container.framing && !container.hidden;

/** Converts pieces to blocks: counts them, tracks the current heading, groups by heading and table of contents. */
function blockMaker(): (piece: HtmlPiece) => Block {
  const contextOf = tableContext();
  let element = 0;
  let section = 0;
  let heading = '';
  let slide: number | undefined;
  return (piece) => {
    const { text, isHeading, container } = piece;
    if (container.slide !== slide) {
      slide = container.slide;
      heading = '';
      section++;
    }
    if (isHeading) {
      heading = asHeading(text);
      section++;
    }
    const group = `section ${section}${container.contents === true ? ' contents' : ''}`;
    const context = contextOf(piece, group);
    return {
      text,
      location: {
        element: ++element,
        ...(heading === '' ? {} : { heading }),
        ...(slide === undefined ? {} : { slide }),
      },
      group,
      ...(context === null ? {} : { context }),
      ...(container.contents === true ? { isContents: true } : {}),
    };
  };
}

/** Decodes the file. Invalid bytes become U+FFFD. */
async function* decoded(file: SourceFile, report: ReportShare): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder(await encodingOf(file));
  const handle = await openSource(file);
  try {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    for (let position = 0; ;) {
      const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      report(file.bytes > 0 ? position / file.bytes : 1);
      yield decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
    }
    yield decoder.decode();
  } finally {
    await handle.close();
  }
}

/**
 * A course page: all text except navigation, header and footer, including text that scripts show later. If the page has
 * slides, blocks have their slide's number.
 */
export const readCoursePage: FormatReader = async function* (
  file: SourceFile,
  _limits: ExtractionLimits,
  report: ReportShare,
) {
  const blockOf = blockMaker();
  let walker: ReturnType<typeof htmlWalker> | null = null;
  for await (const text of decoded(file, report)) {
    walker ??= htmlWalker(/^\s*<\?xml/.test(text), true);
    walker.write(text);
    for (const piece of walker.take()) if (!piece.container.framing) yield blockOf(piece);
  }
  walker?.end();
  for (const piece of walker?.take() ?? []) if (!piece.container.framing) yield blockOf(piece);
};

/**
 * HTML (.html, .htm, .xhtml): a block for each paragraph, heading, list item, table row and so on of the page's main
 * part; menus, headers, footers, asides and hidden elements are dropped. The first block has the page's `<title>`.
 */
export const readHtml: FormatReader = async function* (
  file: SourceFile,
  _limits: ExtractionLimits,
  report: ReportShare,
) {
  const blockOf = blockMaker();
  let walker: ReturnType<typeof htmlWalker> | null = null;
  let held: HtmlPiece[] | null = [];
  let characters = 0;
  /** The first block also has the page's title. */
  const titled = (piece: HtmlPiece): Block => {
    const block = blockOf(piece);
    const title = block.location.element === 1 ? (walker?.title() ?? '') : '';
    return title === '' ? block : { ...block, titles: title };
  };
  for await (const text of decoded(file, report)) {
    walker ??= htmlWalker(/^\s*<\?xml/.test(text));
    walker.write(text);
    for (const piece of walker.take()) {
      if (held === null) {
        if (isShown(piece)) yield titled(piece);
        continue;
      }
      held.push(piece);
      characters += piece.text.length;
    }
    if (held !== null && (characters > heldCharacters || held.length > heldPieces)) {
      for (const piece of held) if (isShown(piece)) yield titled(piece);
      held = null;
    }
  }
  walker?.end();
  const last = walker?.take() ?? [];
  const rest = held === null ? last.filter(isShown) : mainPieces([...held, ...last]);
  const article = held === null ? [] : articlePieces(walker?.data() ?? [], rest);
  for (const piece of [...rest, ...article]) yield titled(piece);
};
