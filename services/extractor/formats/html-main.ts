import type { Container, HtmlPiece } from './html-walk.ts';

/*
 * Finds the main part of a page, as Readability does in spirit: paragraphs of prose give weight to what holds them;
 * the main part is the smallest element that holds nearly all of that weight; lists of links inside it are left out.
 */

/** Share of the weight of all prose that the main part must hold. */
const mainShare = 0.9;
const leastProse = 25;
/** Share of the weight of all prose that must stand outside of what frames the page. */
const leastUnframed = 0.25;
/** A container of which so much is links is a menu, not text. */
const mostLinked = 0.6;
/** Pages with less text than this are taken whole. */
const smallPage = 250;

interface Sums {
  weight: number;
  characters: number;
  linked: number;
  /** Pieces that are long and no links. */
  prose: number;
}

function ancestors(container: Container): Container[] {
  const chain: Container[] = [];
  for (let at: Container | null = container; at !== null; at = at.parent) chain.push(at);
  return chain;
}

function weightOf(piece: HtmlPiece): number {
  const own = piece.text.length - piece.linked;
  if (piece.isHeading || own < leastProse) return 0;
  const commas = piece.text.split(/[,;:.!?\u3001\u3002\uff0c]/).length - 1;
  return (1 + Math.min(commas, 20) + Math.min(own / 100, 20)) * (own / piece.text.length);
}

/**
 * Which pieces belong to the main part of the page, in the same order. Nested deeper than `deepest`, elements are
 * not told apart: their weight counts for the nearest of their ancestors above.
 */
export function mainPieces(pieces: readonly HtmlPiece[], deepest = 200): HtmlPiece[] {
  const unframed = pieces.filter(({ container }) => !container.framing);
  const prose = (some: readonly HtmlPiece[]): number => some.reduce((sum, piece) => sum + weightOf(piece), 0);
  // A page whose prose stands in what is named like a frame is named oddly: names are not believed then.
  const candidates = prose(unframed) < prose(pieces) * leastUnframed || unframed.length === 0 ? pieces : unframed;
  if (candidates.reduce((sum, { text }) => sum + text.length, 0) < smallPage) return [...candidates];
  const chains = new Map<Container, Container[]>();
  const sums = new Map<Container, Sums>();
  for (const piece of candidates) {
    let chain = chains.get(piece.container);
    if (chain === undefined) chains.set(piece.container, chain = ancestors(piece.container).slice(-deepest));
    const weight = weightOf(piece);
    for (const container of chain) {
      let sum = sums.get(container);
      if (sum === undefined) sums.set(container, sum = { weight: 0, characters: 0, linked: 0, prose: 0 });
      sum.weight += weight;
      sum.characters += piece.text.length;
      sum.linked += piece.linked;
      if (weight > 0 && piece.linked < piece.text.length / 2) sum.prose++;
    }
  }
  const total = Math.max(...[...sums.values()].map(({ weight }) => weight), 0);
  if (total === 0) return [...candidates];
  let main: Container | null = null;
  for (const [container, { weight }] of sums) {
    if (weight < total * mainShare) continue;
    if (main === null || weight < (sums.get(main)?.weight ?? 0) || ancestors(container).includes(main)) main = container;
  }
  const isMenu = (container: Container): boolean => {
    const sum = sums.get(container);
    return sum !== undefined && container !== main && sum.linked > sum.characters * mostLinked && sum.prose < 3;
  };
  return candidates.filter(({ container }) => {
    const chain = chains.get(container) ?? [];
    const upTo = main === null ? chain.length : chain.indexOf(main);
    return upTo >= 0 && !chain.slice(0, upTo).some(isMenu);
  });
}
