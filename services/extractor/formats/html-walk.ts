import { cleanText, joinCells, joinWhiteSpace, joinWhiteSpaceInLines } from './clean.ts';
import type { HtmlAttributes } from './html-elements.ts';
import { holdsSlides, inlineElements, isCourseFraming, isFraming, isHidden, isSlide, readInCourses, unreadElements, voidElements } from './html-elements.ts';
import { ShallowParser } from './html-parser.ts';

/** An element that holds blocks; they form the tree in which the main part of the page is looked for. */
export interface Container {
  parent: Container | null;
  tag: string;
  /** Frames the content, or stands in something that does. */
  framing: boolean;
  /** Number of the slide that it belongs to; told of courses alone. */
  slide?: number;
}

/** A piece of text of the page between the beginnings and ends of block elements. */
export interface HtmlPiece {
  text: string;
  isHeading: boolean;
  /** Element that it stands in: `p`, `li`, `h2`, `tr`, ... */
  tag: string;
  container: Container;
  /** Characters of it that are links. */
  linked: number;
}

interface OpenElement {
  tag: string;
  container: Container;
  unread: boolean;
  pre: boolean;
  link: boolean;
  inContent: boolean;
  inSlides: boolean;
}

interface Row {
  cells: string[];
  linked: number;
  container: Container;
}

const isHeadingTag = (tag: string): boolean => /^h[1-6]$/.test(tag);
/** Elements that hold one paragraph and are no containers of their own. */
const paragraphTags = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'dt', 'figcaption', 'caption', 'summary', 'address', 'legend', 'tr', 'td', 'th']);
/** A paragraph is given in pieces of this size where its end does not come. */
const longestText = 262_144;
/** Of a page's title so many characters are kept. */
const longestTitle = 300;

/**
 * A walker over the text of a page. Of a page of a course what is hidden is read too, since scripts show it, and
 * names of elements count for nothing. `take` gives the pieces gathered so far and forgets them; `title` is the text of its `<title>`, empty without one.
 */
export function htmlWalker(isXml: boolean, ofCourse = false): { write(text: string): void; end(): void; take(): HtmlPiece[]; title(): string } {
  let pieces: HtmlPiece[] = [];
  const root: Container = { parent: null, tag: 'html', framing: false };
  const base: OpenElement = { tag: 'html', container: root, unread: false, pre: false, link: false, inContent: false, inSlides: false };
  const stack: OpenElement[] = [base];
  const rows: Row[] = [];
  let text = '';
  let linked = 0;
  let blockTag = 'html';
  let slides = 0;
  let title = '';

  const top = (): OpenElement => stack.at(-1) ?? base;
  const push = (raw: string, tag: string, container: Container, pre: boolean, links: number): void => {
    const clean = pre ? cleanText(raw).replace(/^\s*\n|\s+$/g, '') : joinWhiteSpaceInLines(raw);
    if (!/\S/.test(clean)) return;
    const isHeading = isHeadingTag(tag);
    pieces.push({ text: isHeading ? joinWhiteSpace(clean) : clean, isHeading, tag, container, linked: Math.min(links, clean.length) });
  };
  const flushRow = (row: Row): void => {
    if (row.cells.length > 0) push(joinCells(row.cells), 'tr', row.container, false, row.linked);
    row.cells = [];
    row.linked = 0;
  };
  /** Ends the block of text that runs. A cell without blocks of its own joins its row. */
  const flush = (endsCell = false): void => {
    const element = top();
    const row = rows.at(-1);
    if (endsCell && row !== undefined && !element.pre) {
      const cell = joinWhiteSpace(text);
      if (cell !== '') row.cells.push(cell);
      row.linked += linked;
    } else if (/\S/.test(text)) {
      if (row !== undefined) flushRow(row);
      push(text, blockTag, element.container, element.pre, linked);
    }
    text = '';
    linked = 0;
  };

  const open = (tag: string, attributes: HtmlAttributes): void => {
    const parent = top();
    if (tag === 'br') {
      // Two in a row part paragraphs.
      if (/\n[ \t\r]*$/.test(text) && !parent.pre) flush();
      else text += '\n';
      return;
    }
    if (voidElements.has(tag)) {
      if (tag === 'hr') flush();
      return;
    }
    const unread = parent.unread || (unreadElements.has(tag) && !(ofCourse && readInCourses.has(tag))) || (!ofCourse && isHidden(attributes));
    const inline = inlineElements.has(tag);
    if (!inline && !unread) flush();
    const inContent = parent.inContent || tag === 'article' || tag === 'main' || attributes['role'] === 'main';
    let { container } = parent;
    if (!inline && !unread) {
      const framing = container.framing || (ofCourse ? isCourseFraming(tag, attributes) : isFraming(tag, attributes, inContent));
      const slide = container.slide ?? (ofCourse && isSlide(tag, attributes, parent.inSlides) ? ++slides : undefined);
      if (!paragraphTags.has(tag) || framing !== container.framing || slide !== container.slide) container = { parent: container, tag, framing, ...(slide === undefined ? {} : { slide }) };
      blockTag = tag;
    }
    if (tag === 'tr') rows.push({ cells: [], linked: 0, container });
    stack.push({ tag, container, unread, pre: parent.pre || tag === 'pre', link: parent.link || tag === 'a', inContent, inSlides: parent.inSlides || holdsSlides(attributes) });
  };

  const close = (tag: string): void => {
    if (voidElements.has(tag)) return;
    // The parser closes in order; what it opened by itself and we left out never comes.
    const element = top();
    if (stack.length === 1 || element.tag !== tag) return;
    if (!inlineElements.has(tag) && !element.unread) flush(tag === 'td' || tag === 'th');
    stack.pop();
    if (tag === 'tr') {
      const row = rows.pop();
      if (row !== undefined) flushRow(row);
    }
    if (!inlineElements.has(tag)) blockTag = top().tag;
  };

  const parser = new ShallowParser({
    onopentag: (name, attributes) => open(name.slice(name.indexOf(':') + 1), attributes),
    onclosetag: (name) => close(name.slice(name.indexOf(':') + 1)),
    ontext: (data) => {
      const element = top();
      if (element.tag === 'title' && stack.at(-2)?.unread !== true && title.length < longestTitle) title += data;
      if (element.unread) return;
      text += element.pre ? data : data.replaceAll('\n', ' ');
      if (element.link) linked += data.length;
      if (text.length > longestText) flush();
    },
  }, isXml, () => stack.length);

  return {
    write: (chunk) => parser.write(chunk),
    end: () => { parser.end(); flush(); for (const row of rows.toReversed()) flushRow(row); },
    title: () => joinWhiteSpace(title).slice(0, longestTitle).toWellFormed(),
    take: () => {
      const taken = pieces;
      pieces = [];
      return taken;
    },
  };
}
