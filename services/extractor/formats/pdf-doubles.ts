import type { Placed } from './pdf-lines.ts';

/*
 * Text that is drawn twice, a little aside, looks bold or has a shadow; some producers write a page over itself when they
 * save it anew. It is read once.
 */

/** Text that lies on the same text but for so many letter heights, and for this share of its width, is drawn again. */
const shadowOffset = 0.3;
const shadowShare = 0.5;
/** How far an overlap may be from the width that its letters have on the mean, in such widths. */
const unlikeWidth = 0.6;

function liesOn(before: Placed, { left, base, size, run }: Placed): boolean {
  const aside = Math.min(shadowOffset * size, shadowShare * run.width);
  return Math.abs(before.left - left) <= aside && Math.abs(before.base - base) <= shadowOffset * size;
}

/** The texts of a page that came so far, by what they say and the cell of the page in which they begin. */
export class DrawnTexts {
  readonly #drawn = new Map<string, Placed[]>();

  /** Whether a text was drawn at its place before; else it is remembered. */
  isAgain(placed: Placed): boolean {
    const { run, left, base, size, angle } = placed;
    const cell = 2 * shadowOffset * Math.max(1, Math.round(size));
    const near = [...new Set([left - cell / 2, left + cell / 2].map((x) => Math.floor(x / cell)))];
    const level = [...new Set([base - cell / 2, base + cell / 2].map((y) => Math.floor(y / cell)))];
    const key = (x: number, y: number): string => `${x} ${y} ${angle} ${run.str}`;
    if (near.some((x) => level.some((y) => this.#drawn.get(key(x, y))?.some((before) => liesOn(before, placed)) === true))) return true;
    const own = key(Math.floor(left / cell), Math.floor(base / cell));
    const others = this.#drawn.get(own);
    if (others === undefined) this.#drawn.set(own, [placed]);
    else others.push(placed);
    return false;
  }
}

/**
 * How many letters at the start of a text lie on the last ones of the text before it: producers that draw each letter
 * twice one after the other make pdf.js begin anew with each.
 */
export function coveredLetters(before: Placed, next: Placed): number {
  const over = before.right - next.left;
  const width = next.run.width / next.run.str.length;
  if (over <= 0 || next.left <= before.left || before.angle !== next.angle || Math.abs(before.base - next.base) > shadowOffset * next.size) return 0;
  const count = Math.min(Math.max(1, Math.round(over / width)), next.run.str.length, before.run.str.length);
  return Math.abs(over - count * width) <= unlikeWidth * width && before.run.str.endsWith(next.run.str.slice(0, count)) ? count : 0;
}
