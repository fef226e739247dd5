import { cleanText, joinCells, joinWhiteSpace, joinWhiteSpaceInLines, withoutPrivateSigns } from './clean.ts';
import type { HtmlAttributes } from './html-elements.ts';
import { holdsSlides, isCourseFraming, isFraming, isHidden, isInline, isSlide, plainName, readInCourses, unreadElements, voidElements } from './html-elements.ts';
import { ShallowParser } from './html-parser.ts';

/** An element that holds blocks; they form the tree in which the main part of the page is looked for. */
export interface Container {
  parent: Container | null;
  tag: string;
  /** Frames the content, or stands in something that does. */
  framing: boolean;
  /** Frames the content by itself, whatever it stands in. */
  frames: boolean;
  /** Is not shown as the page stands: scripts may show it. Small things that are not shown are left out at once. */
  hidden: boolean;
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
  /** Flows within a line. */
  inline: boolean;
  unread: boolean;
  pre: boolean;
  link: boolean;
  /** A heading or a term, or within one. */
  inTitle: boolean;
  /** A button within one, whose label may be all that the title says. */
  label: boolean;
  inContent: boolean;
  inSlides: boolean;
  /** Data for programs. */
  tells: boolean;
}

interface Row {
  cells: string[];
  linked: number;
  container: Container;
  /** The only paragraph so far of the cell that is open: with no other one it is the cell's text. */
  held: HeldText | null;
}

interface HeldText {
  text: string;
  tag: string;
  container: Container;
  linked: number;
}

const isHeadingTag = (tag: string): boolean => /^h[1-6]$/.test(tag);
/** Elements that hold one paragraph and are no containers of their own. */
const paragraphTags = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'dt', 'figcaption', 'caption', 'summary', 'address', 'legend', 'tr', 'td', 'th']);
/** Elements that may hold a page's content while it is not shown: a page behind a dialog, or one that scripts have yet to show. */
const hidingElements = new Set(['html', 'body', 'main', 'article', 'section', 'div', 'form']);
/** A longer paragraph in a cell is no cell of a table, but text that a table gives its place. */
const longestCell = 300;
/** A paragraph is given in pieces of this size where its end does not come. */
const longestText = 262_144;
/** A link that says no more is how tools mark a heading or a term as a place to link to. */
const markOfPlace = /^\s*[\u00b6#\u{1f517}]\s*$/u;
/** Of a page's title so many characters are kept, and of the data that tell programs what it says (JSON-LD) so many. */
const longestTitle = 300;
const longestData = 2_000_000;

/**
 * A walker over the text of a page. Of a page of a course what is hidden is read too, since scripts show it, and
 * names of elements count for nothing. `take` gives the pieces gathered so far and forgets them; `title` is the text of its
 * `<title>`, empty without one, and `data` what it tells programs of itself (JSON-LD), a text for each element.
 */
export function htmlWalker(isXml: boolean, ofCourse = false): { write(text: string): void; end(): void; take(): HtmlPiece[]; title(): string; data(): readonly string[] } {
  let pieces: HtmlPiece[] = [];
  const root: Container = { parent: null, tag: 'html', framing: false, frames: false, hidden: false };
  const base: OpenElement = { tag: 'html', container: root, inline: false, unread: false, pre: false, link: false, inTitle: false, label: false, inContent: false, inSlides: false, tells: false };
  const stack: OpenElement[] = [base];
  const rows: Row[] = [];
  let text = '';
  let linked = 0;
  let label = '';
  let blockTag = 'html';
  let slides = 0;
  let title = '';
  const told: string[] = [];
  let toldLength = 0;

  const top = (): OpenElement => stack.at(-1) ?? base;
  const push = (raw: string, tag: string, container: Container, pre: boolean, links: number): void => {
    const clean = pre ? cleanText(raw).replace(/^\s*\n|\s+$/g, '') : joinWhiteSpaceInLines(raw);
    if (!/\S/.test(clean)) return;
    // Browsers with scripts keep what is there for others as text, tags and all, and some save it so.
    if (container.tag === 'noscript' && /^\s*<[a-z!/]/i.test(clean)) return;
    const isHeading = isHeadingTag(tag);
    pieces.push({ text: isHeading ? joinWhiteSpace(clean) : clean, isHeading, tag, container, linked: Math.min(links, clean.length) });
  };
  const flushRow = (row: Row): void => {
    if (row.cells.length > 0) push(joinCells(row.cells), 'tr', row.container, false, row.linked);
    row.cells = [];
    row.linked = 0;
  };
  /** Gives the cells before a paragraph that is no cell of its own, and that which was held as one. */
  const partRow = (row: Row): void => {
    flushRow(row);
    if (row.held !== null) push(row.held.text, row.held.tag, row.held.container, false, row.held.linked);
    row.held = null;
  };
  /** Ends the block of text that runs. A cell with one paragraph at most joins its row. */
  const flush = (endsCell = false): void => {
    const element = top();
    const row = rows.at(-1);
    if (!/\S/.test(text)) text = label;
    label = '';
    if (endsCell && row !== undefined && !element.pre) {
      const cell = joinWhiteSpace(row.held?.text ?? text);
      if (row.held !== null && /\S/.test(text)) {
        partRow(row);
        push(text, blockTag, element.container, false, linked);
      } else if (cell !== '') {
        row.cells.push(cell);
        row.linked += row.held?.linked ?? linked;
      }
      row.held = null;
    } else if (/\S/.test(text)) {
      const isCell = row !== undefined && row.held === null && !element.pre && text.length <= longestCell && !isHeadingTag(blockTag) && element.container.framing === row.container.framing && row.container.slide === element.container.slide;
      if (isCell) row.held = { text, tag: blockTag, container: element.container, linked };
      else {
        if (row !== undefined) partRow(row);
        push(text, blockTag, element.container, element.pre, linked);
      }
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
    const concealed = !ofCourse && isHidden(attributes);
    // What browsers without scripts show instead counts as hidden, but where it stands within a text.
    const isInstead = tag === 'noscript' && !ofCourse && !parent.inline && !paragraphTags.has(parent.tag) && !/\S/.test(text);
    const hides = (isInstead || (concealed && hidingElements.has(tag))) && rows.length === 0;
    const tells = tag === 'script' && /^\s*application\/ld\+json\b/i.test(attributes['type'] ?? '');
    if (tells && !ofCourse) told.push('');
    const left = !hides && ((unreadElements.has(tag) && !(ofCourse && readInCourses.has(tag))) || concealed);
    const unread = parent.unread || left;
    const isLabel = parent.label ? !left : tag === 'button' && left && parent.inTitle && !parent.unread;
    // Browsers take an element with a name of the page's own for a part of the line; most hold blocks, and few are words.
    const inline = isInline(tag) && (!tag.includes('-') || parent.inline || paragraphTags.has(parent.tag) || parent.tag === 'li');
    if (!inline && !unread) flush();
    const inContent = parent.inContent || tag === 'article' || tag === 'main' || attributes['role'] === 'main';
    let { container } = parent;
    if (!inline && !unread) {
      const frames = ofCourse ? isCourseFraming(tag, attributes) : isFraming(tag, attributes, inContent);
      const framing = container.framing || frames;
      const slide = container.slide ?? (ofCourse && isSlide(tag, attributes, parent.inSlides) ? ++slides : undefined);
      const hidden = container.hidden || hides;
      if (!paragraphTags.has(tag) || frames || framing !== container.framing || slide !== container.slide) container = { parent: container, tag, framing, frames, hidden, ...(slide === undefined ? {} : { slide }) };
      blockTag = tag;
    }
    if (tag === 'tr') {
      const around = rows.at(-1);
      if (around !== undefined) partRow(around);
      rows.push({ cells: [], linked: 0, container, held: null });
    }
    stack.push({ tag, container, inline, unread, pre: parent.pre || tag === 'pre', link: parent.link || (tag === 'a' && attributes['href'] !== undefined), inTitle: parent.inTitle || isHeadingTag(tag) || tag === 'dt', label: isLabel, inContent, inSlides: parent.inSlides || holdsSlides(attributes), tells });
  };

  const close = (tag: string): void => {
    if (voidElements.has(tag)) return;
    // The parser closes in order; what it opened by itself and we left out never comes.
    const element = top();
    if (stack.length === 1 || element.tag !== tag) return;
    if (!element.inline && !element.unread) flush(tag === 'td' || tag === 'th');
    stack.pop();
    if (tag === 'tr') {
      const row = rows.pop();
      if (row !== undefined) partRow(row);
    }
    if (!element.inline) blockTag = top().tag;
  };

  const parser = new ShallowParser({
    onopentag: (name, attributes) => open(plainName(name), attributes),
    onclosetag: (name) => close(plainName(name)),
    ontext: (data) => {
      const element = top();
      if (element.tag === 'title' && stack.at(-2)?.unread !== true && title.length < longestTitle) title += data;
      if (element.tells && (toldLength += data.length) <= longestData) told.push((told.pop() ?? '') + data);
      if (element.label && label.length < longestCell) label += data.replaceAll('\n', ' ');
      if (element.unread || (element.link && markOfPlace.test(data))) return;
      text += withoutPrivateSigns(element.pre ? data : data.replaceAll('\n', ' '));
      if (element.link) linked += data.length;
      if (text.length > longestText) flush();
    },
  }, isXml, () => stack.length);

  return {
    write: (chunk) => parser.write(chunk),
    end: () => { parser.end(); flush(); for (const row of rows.toReversed()) partRow(row); },
    data: () => told,
    title: () => joinWhiteSpace(title).slice(0, longestTitle).toWellFormed(),
    take: () => {
      const taken = pieces;
      pieces = [];
      return taken;
    },
  };
}
