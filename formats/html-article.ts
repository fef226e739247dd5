import { joinWhiteSpace } from './clean.ts';
import type { Container, HtmlPiece } from './html-pieces.ts';
import { htmlWalker } from './html-walk.ts';

/*
 * Some pages are empty until scripts fill them, and give search engines their text as data (JSON-LD, schema.org). It is
 * read where the page itself says next to nothing.
 */

/** A page with more text of its own says what it is about. */
const maxOwn = 200;
/** Text for search engines must be as long as this, and so many times longer than the page's own. */
const minArticle = 400;
const timesOwn = 4;
/** Values of one page's data that are looked at. */
const maxValues = 20_000;

const controls = /[\u0000-\u001f]+/g;

/** Data in JSON; line breaks within its strings, which are none, are forgiven. Null for what is broken otherwise. */
function parsed(json: string): unknown {
  for (const text of [json, json.replace(controls, ' ')]) {
    try {
      return JSON.parse(text);
    } catch {
      // Read once more without line breaks; then the page goes without.
    }
  }
  return null;
}

interface Article {
  headline: string;
  body: string;
}

/** The articles in the page's data, each once. */
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

/** The paragraphs of a text that may be written with tags or with line breaks. */
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

/** What the data of a page add to its own pieces: nothing, unless these are next to nothing in comparison. */
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
