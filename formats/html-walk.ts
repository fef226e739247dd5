import { joinWhiteSpace, withoutPrivateUse } from './clean.ts';
import type { HtmlAttributes } from './html-elements.ts';
import {
  holdsSlides,
  isCourseFraming,
  isFraming,
  isHidden,
  isInline,
  isSlide,
  isTableOfContents,
  plainName,
  readInCourses,
  unreadElements,
  voidElements,
} from './html-elements.ts';
import { ShallowParser } from './html-parser.ts';
import { isHeadingTag, PieceBuilder, type Container, type HtmlPiece } from './html-pieces.ts';

interface OpenElement {
  tag: string;
  container: Container;
  /** Whether it is inline. */
  inline: boolean;
  unread: boolean;
  pre: boolean;
  link: boolean;
  /** Whether it is, or is within, a heading or term. */
  inTitle: boolean;
  /** Whether it is a button within a title, whose label may be the only text of the title. */
  label: boolean;
  inContent: boolean;
  inSlides: boolean;
  /** Whether it is JSON-LD data. */
  isData: boolean;
}

/** Elements that hold one paragraph and are not containers. */
const paragraphTags = new Set([
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'pre',
  'dt',
  'figcaption',
  'caption',
  'summary',
  'address',
  'legend',
  'tr',
  'td',
  'th',
]);
/** Elements that may hold a page's content while hidden: a page behind a dialog, or one that scripts reveal. */
const hidingElements = new Set(['html', 'body', 'main', 'article', 'section', 'div', 'form']);
/** The text of a link that only marks the anchor of a heading or term. */
const anchorMark = /^\s*[\u00b6#\u{1f517}]\s*$/u;
/** Maximum number of characters of a page's title, and of its data (JSON-LD). */
const longestTitle = 300;
const longestData = 2_000_000;

/**
 * Walks the text of a page. In a course page hidden text is read too, since scripts show it, and element names are
 * ignored. `take` returns and clears the pieces gathered so far; `title` is the text of `<title>`, or empty; `data` is
 * its JSON-LD, one string for each element.
 */
export function htmlWalker(
  isXml: boolean,
  ofCourse = false,
): { write(text: string): void; end(): void; take(): HtmlPiece[]; title(): string; data(): readonly string[] } {
  const builder = new PieceBuilder();
  const root: Container = { parent: null, tag: 'html', framing: false, frames: false, hidden: false };
  const base: OpenElement = {
    tag: 'html',
    container: root,
    inline: false,
    unread: false,
    pre: false,
    link: false,
    inTitle: false,
    label: false,
    inContent: false,
    inSlides: false,
    isData: false,
  };
  const stack: OpenElement[] = [base];
  let blockTag = 'html';
  let slides = 0;
  let title = '';
  const dataTexts: string[] = [];
  let dataLength = 0;

  const top = (): OpenElement => stack.at(-1) ?? base;
  const flush = (endsCell = false): void => builder.flush(top(), blockTag, endsCell);

  const open = (tag: string, attributes: HtmlAttributes): void => {
    const parent = top();
    if (tag === 'br') {
      // Two consecutive breaks separate paragraphs.
      if (builder.endsLine && !parent.pre) flush();
      else builder.append('\n');
      return;
    }
    if (voidElements.has(tag)) {
      if (tag === 'hr') flush();
      return;
    }
    const concealed = !ofCourse && isHidden(attributes);
    // Fallback content for browsers without scripts counts as hidden, except within a text.
    const isInstead =
      tag === 'noscript' && !ofCourse && !parent.inline && !paragraphTags.has(parent.tag) && builder.isBlank;
    const hides = (isInstead || (concealed && hidingElements.has(tag))) && !builder.isInRow;
    const isData = tag === 'script' && /^\s*application\/ld\+json\b/i.test(attributes['type'] ?? '');
    if (isData && !ofCourse) dataTexts.push('');
    const left = !hides && ((unreadElements.has(tag) && !(ofCourse && readInCourses.has(tag))) || concealed);
    const unread = parent.unread || left;
    const isLabel = parent.label ? !left : tag === 'button' && left && parent.inTitle && !parent.unread;
    // Browsers treat custom elements as inline, but most hold blocks, and few are words.
    const inline =
      isInline(tag) && (!tag.includes('-') || parent.inline || paragraphTags.has(parent.tag) || parent.tag === 'li');
    if (!inline && !unread) flush();
    const inContent = parent.inContent || tag === 'article' || tag === 'main' || attributes['role'] === 'main';
    let { container } = parent;
    if (!inline && !unread) {
      const frames = ofCourse ? isCourseFraming(tag, attributes) : isFraming(tag, attributes, inContent);
      const framing = container.framing || frames;
      const slide = container.slide ?? (ofCourse && isSlide(tag, attributes, parent.inSlides) ? ++slides : undefined);
      const hidden = container.hidden || hides;
      const contents = container.contents ?? isTableOfContents(tag, attributes);
      if (!paragraphTags.has(tag) || frames || framing !== container.framing || slide !== container.slide)
        container = {
          parent: container,
          tag,
          framing,
          frames,
          hidden,
          ...(slide === undefined ? {} : { slide }),
          ...(contents ? { contents: true } : {}),
        };
      blockTag = tag;
    }
    if (tag === 'tr') builder.beginRow(container);
    stack.push({
      tag,
      container,
      inline,
      unread,
      pre: parent.pre || tag === 'pre',
      link: parent.link || (tag === 'a' && attributes['href'] !== undefined),
      inTitle: parent.inTitle || isHeadingTag(tag) || tag === 'dt',
      label: isLabel,
      inContent,
      inSlides: parent.inSlides || holdsSlides(attributes),
      isData,
    });
  };

  const close = (tag: string): void => {
    if (voidElements.has(tag)) return;
    // The parser closes elements in order; elements that it opened implicitly and this walker skipped are not reported.
    const element = top();
    if (stack.length === 1 || element.tag !== tag) return;
    if (!element.inline && !element.unread) flush(tag === 'td' || tag === 'th');
    stack.pop();
    if (tag === 'tr') builder.endRow();
    if (!element.inline) blockTag = top().tag;
  };

  const parser = new ShallowParser(
    {
      onopentag: (name, attributes) => open(plainName(name), attributes),
      onclosetag: (name) => close(plainName(name)),
      ontext: (data) => {
        const element = top();
        if (element.tag === 'title' && stack.at(-2)?.unread !== true && title.length < longestTitle) title += data;
        if (element.isData && (dataLength += data.length) <= longestData)
          dataTexts.push((dataTexts.pop() ?? '') + data);
        if (element.label) builder.appendLabel(data.replaceAll('\n', ' '));
        if (element.unread || (element.link && anchorMark.test(data))) return;
        const text = withoutPrivateUse(element.pre ? data : data.replaceAll('\n', ' '));
        builder.append(text, element.link ? data.length : 0);
        if (builder.isFull) flush();
      },
    },
    isXml,
    () => stack.length,
  );

  return {
    write: (chunk) => parser.write(chunk),
    end: () => {
      parser.end();
      flush();
      builder.end();
    },
    data: () => dataTexts,
    title: () => joinWhiteSpace(title).slice(0, longestTitle).toWellFormed(),
    take: () => builder.take(),
  };
}
