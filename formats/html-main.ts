import type { Container, HtmlPiece } from './html-pieces.ts';

/*
 * Finds the main part of a page, similar to Readability: paragraphs of prose give weight to their ancestors; the main
 * part is the smallest element that holds nearly all of that weight; link lists within it are dropped.
 */

/** Minimum share of the prose that the main part holds. */
const mainShare = 0.9;
/** Minimum share of the other text without links: a page of short lines has little prose, which is not its subject. */
const minText = 0.75;
/** Elements within a text: if one holds all prose, the rest of the page is still content. */
const withinText = new Set(['li', 'ul', 'ol', 'dl', 'dd', 'blockquote', 'figure', 'pre', 'details', 'fieldset']);
const minProse = 25;
/** Minimum share of the prose outside framing elements. */
const minUnframed = 0.25;
/** Share of links from which a container is a menu. A single list item is never a menu: references are mostly links. */
const maxLinked = 0.6;
/** If menus leave less than this share of the main part, it is a list of links and is kept. */
const minBesideMenus = 0.3;
/** Pages with less text are kept whole. */
const smallPage = 250;

interface Sums {
  weight: number;
  characters: number;
  linked: number;
  /** Characters of long pieces without links. */
  prose: number;
  pieces: number;
  headings: number;
}

const charactersOf = (pieces: readonly HtmlPiece[]): number => pieces.reduce((sum, { text }) => sum + text.length, 0);

function ancestors(container: Container): Container[] {
  const chain: Container[] = [];
  for (let at: Container | null = container; at !== null; at = at.parent) chain.push(at);
  return chain;
}

function weightOf(piece: HtmlPiece): number {
  const own = piece.text.length - piece.linked;
  if (piece.isHeading || own < minProse) return 0;
  const commas = piece.text.split(/[,;:.!?\u3001\u3002\uff0c]/).length - 1;
  return (1 + Math.min(commas, 20) + Math.min(own / 100, 20)) * (own / piece.text.length);
}

/** Sums for each element. */
function sumsOf(
  pieces: readonly HtmlPiece[],
  chains: ReadonlyMap<Container, readonly Container[]>,
): Map<Container, Sums> {
  const sums = new Map<Container, Sums>();
  for (const piece of pieces) {
    const weight = weightOf(piece);
    for (const container of chains.get(piece.container) ?? []) {
      let sum = sums.get(container);
      if (sum === undefined)
        sums.set(container, (sum = { weight: 0, characters: 0, linked: 0, prose: 0, pieces: 0, headings: 0 }));
      sum.weight += weight;
      sum.characters += piece.text.length;
      sum.linked += piece.linked;
      if (weight > 0 && piece.linked < piece.text.length / 2) sum.prose++;
      sum.pieces++;
      if (piece.isHeading) sum.headings++;
    }
  }
  return sums;
}

/** The largest value of any container, at least 0. There may be too many containers for `Math.max(...)`. */
function largest(sums: ReadonlyMap<Container, Sums>, valueOf: (sum: Sums) => number): number {
  let found = 0;
  for (const sum of sums.values()) found = Math.max(found, valueOf(sum));
  return found;
}

/** The pieces outside framing elements. An element that holds most of the prose is never a frame. */
function unframedOf(pieces: readonly HtmlPiece[], chains: ReadonlyMap<Container, readonly Container[]>): HtmlPiece[] {
  if (!pieces.some(({ container }) => container.framing)) return [...pieces];
  const sums = sumsOf(pieces, chains);
  const total = largest(sums, ({ weight }) => weight);
  const isFrame = (container: Container): boolean =>
    container.frames && (total === 0 || (sums.get(container)?.weight ?? 0) <= total * (1 - minUnframed));
  return pieces.filter(({ container }) => !container.framing || !(chains.get(container) ?? []).some(isFrame));
}

/** Hidden text is the page's content if it is this many times longer than the visible text, and at least this long. */
const mostlyHidden = 4;
const minHidden = 400;

/** The visible pieces; all of them if the content waits for scripts or for a dialog to be closed. */
function shownOf(pieces: readonly HtmlPiece[]): HtmlPiece[] {
  const shown = pieces.filter(({ container }) => !container.hidden);
  if (shown.length === pieces.length) return shown;
  const characters = (isHidden: boolean): number =>
    pieces.reduce(
      (sum, piece) =>
        sum +
        (piece.container.hidden === isHidden && !piece.container.framing && (!isHidden || weightOf(piece) > 0)
          ? piece.text.length - piece.linked
          : 0),
      0,
    );
  const hidden = characters(true);
  return hidden >= minHidden && hidden > characters(false) * mostlyHidden ? [...pieces] : shown;
}

/** Maximum number of pieces between the headline and the main part. */
const furthestHeadline = 30;
/** Minimum length of a lead, and of one that does not end like a sentence. */
const minLead = 40;
const minUnendedLead = 100;
const endsSentence = /[.!?:\u2026\u3002\uff01\uff1f\u0964]["'\u201d\u00bb\u2019)]*$/;

/** Whether a piece between headline and main part is a lead or subtitle, not a menu, date or byline. */
function isLead({ text, isHeading, linked, container }: HtmlPiece, headline: HtmlPiece): boolean {
  if (container.hidden || linked > text.length / 3) return false;
  if (container.framing && !headlineHeader(headline, container)) return false;
  return text.length >= (isHeading || endsSentence.test(text) ? minLead : minUnendedLead);
}

/** Whether an element is in the header of the headline. */
function headlineHeader(headline: HtmlPiece, container: Container): boolean {
  const header = ancestors(headline.container).find(({ tag }) => tag === 'header');
  return header !== undefined && ancestors(container).includes(header);
}

/** The main part with the preceding headline and lead, which are often in another element. */
function withHeadline(pieces: readonly HtmlPiece[], main: readonly HtmlPiece[]): HtmlPiece[] {
  const [first] = main;
  if (first === undefined || main.some(({ tag }) => tag === 'h1')) return [...main];
  const begin = pieces.indexOf(first);
  const before = pieces.slice(Math.max(0, begin - furthestHeadline), begin);
  const at = before.findLastIndex(
    ({ tag, text, linked, container }) => tag === 'h1' && linked < text.length / 2 && !container.hidden,
  );
  const headline = before[at];
  return headline === undefined
    ? [...main]
    : [headline, ...before.slice(at + 1).filter((piece) => isLead(piece, headline)), ...main];
}

/**
 * Which pieces belong to the main part of the page, in the same order. Elements nested deeper than `deepest` count as
 * their nearest ancestor above that depth.
 */
export function mainPieces(all: readonly HtmlPiece[], deepest = 200): HtmlPiece[] {
  return withHeadline(all, mainOf(shownOf(all), deepest));
}

function mainOf(pieces: readonly HtmlPiece[], deepest: number): HtmlPiece[] {
  const chains = new Map<Container, Container[]>();
  for (const { container } of pieces)
    if (!chains.has(container)) chains.set(container, ancestors(container).slice(-deepest));
  const prose = (some: readonly HtmlPiece[]): number => some.reduce((sum, piece) => sum + weightOf(piece), 0);
  const unframed = unframedOf(pieces, chains);
  // If the prose is within framing elements, names are ignored.
  const candidates = prose(unframed) < prose(pieces) * minUnframed || unframed.length === 0 ? pieces : unframed;
  if (charactersOf(candidates) < smallPage) return [...candidates];
  const sums = sumsOf(candidates, chains);
  const main = mainContainer(sums);
  return main === null
    ? [...candidates]
    : withoutMenus(
        candidates.filter(({ container }) => chains.get(container)?.includes(main)),
        main,
        sums,
        chains,
      );
}

/** The smallest element that holds nearly all of the prose, and most of the text; null if there is no prose. */
function mainContainer(sums: ReadonlyMap<Container, Sums>): Container | null {
  const total = largest(sums, ({ weight }) => weight);
  const allText = largest(sums, ({ characters, linked }) => characters - linked);
  const holdsText = (container: Container): boolean => {
    const { characters, linked } = sums.get(container) ?? { characters: 0, linked: 0 };
    return !withinText.has(container.tag) && characters - linked >= allText * minText;
  };
  if (total === 0) return null;
  let main: Container | null = null;
  for (const [container, { weight }] of sums) {
    if (weight < total * mainShare) continue;
    if (main === null || weight < (sums.get(main)?.weight ?? 0) || ancestors(container).includes(main))
      main = container;
  }
  while (main !== null && main.parent !== null && !holdsText(main)) main = main.parent;
  return main;
}

/** The pieces of the main part without menus. A linked heading is not a menu. */
function withoutMenus(
  pieces: readonly HtmlPiece[],
  main: Container,
  sums: ReadonlyMap<Container, Sums>,
  chains: ReadonlyMap<Container, readonly Container[]>,
): HtmlPiece[] {
  const isMenu = (container: Container): boolean => {
    const sum = sums.get(container);
    if (sum === undefined || container.tag === 'li' || (sum.pieces === 1 && sum.headings === 1)) return false;
    return sum.linked > sum.characters * maxLinked && sum.prose < 3;
  };
  const kept = pieces.filter(({ container }) => {
    const chain = chains.get(container) ?? [];
    return !chain.slice(0, chain.indexOf(main)).some(isMenu);
  });
  return charactersOf(kept) < charactersOf(pieces) * minBesideMenus ? [...pieces] : kept;
}
