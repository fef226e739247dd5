import { joinWhiteSpace } from './clean.ts';
import type { Container, HtmlPiece } from './html-pieces.ts';
import { htmlWalker } from './html-walk.ts';

/*
 * Some pages are empty until scripts fill them, and give search engines their text as data (JSON-LD, schema.org). That
 * data is read if the page itself has almost no text.
 */

/** Pages with more text of their own do not need the data. */
const maxOwn = 200;
/** Minimum length of an article in the data, and how many times longer than the page's own text it must be. */
const minArticle = 400;
const timesOwn = 4;
/** Maximum number of values of a page's data. */
const maxValues = 20_000;

const controls = /[\u0000-\u001f]+/g;

/** Parses JSON that may have raw line breaks within strings; null if it is broken otherwise. */
function parsed(json: string): unknown {
  for (const text of [json, json.replace(controls, ' ')]) {
    try {
      return JSON.parse(text);
    } catch {
      // Try once more without line breaks.
    }
  }
  return null;
}

interface Article {
  headline: string;
  body: string;
}

/** The distinct articles in the page's data. */
function articlesIn(data: readonly string[]): Article[] {
  const articles = new Map<string, Article>();
  const open: unknown[] = data.map(parsed).toReversed();
  for (let seen = 0; open.length > 0 && seen < maxValues; seen++) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    if ('articleBody' in value && typeof value.articleBody === 'string') {
      const headline = 'headline' in value && typeof value.headline === 'string' ? value.headline : '';
      articles.set(value.articleBody, { headline, body: value.articleBody });
    }
    const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
    for (const child of inner.slice(0, maxValues).toReversed()) open.push(child);
  }
  return [...articles.values()];
}

const container: Container = { parent: null, tag: 'html', framing: false, frames: false, hidden: false };

/** The paragraphs of a text with tags or with line breaks. */
function paragraphsOf(body: string): HtmlPiece[] {
  if (/<\/?(p|br|div|li|h\d)\b/i.test(body)) {
    const walker = htmlWalker(false);
    walker.write(body);
    walker.end();
    return walker.take().filter((piece) => !piece.container.hidden);
  }
  return body
    .split(/\n+/)
    .map(joinWhiteSpace)
    .filter((text) => text !== '')
    .map((text) => ({ text, isHeading: false, tag: 'p', container, linked: 0 }));
}

/** The pieces that a page's data add: none unless the page's own text is much shorter. */
export function articlePieces(data: readonly string[], own: readonly HtmlPiece[]): HtmlPiece[] {
  const characters = own.reduce((sum, { text, linked }) => sum + text.length - linked, 0);
  if (data.length === 0 || characters > maxOwn) return [];
  const pieces = articlesIn(data).flatMap(({ headline, body }): HtmlPiece[] => {
    const text = joinWhiteSpace(headline);
    return [
      ...(text === '' ? [] : [{ text, isHeading: true, tag: 'h1', container, linked: 0 }]),
      ...paragraphsOf(body),
    ];
  });
  const length = pieces.reduce((sum, { text }) => sum + text.length, 0);
  if (length < minArticle || length < characters * timesOwn) return [];
  const said = new Set(own.map(({ text }) => text));
  return pieces.filter(({ text }) => !said.has(text));
}
