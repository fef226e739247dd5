import type { Placed } from './pdf-lines.ts';

/*
 * Text drawn twice with a small offset looks bold or has a shadow; some producers draw the whole page again when they
 * save. Duplicates are dropped.
 */

/** Maximum offset of a duplicate in letter heights; the same letter may occur twice in a word. */
const shadowOffset = 0.3;
const letterOffset = 0.08;

function liesOn(before: Placed, { left, base, size, run }: Placed): boolean {
  const aside = (run.str.length === 1 ? letterOffset : shadowOffset) * size;
  return Math.abs(before.left - left) <= aside && Math.abs(before.base - base) <= shadowOffset * size;
}

/** The texts of a page so far, by their string and grid cell. */
export class DrawnTexts {
  readonly #drawn = new Map<string, Placed[]>();

  /** Whether a text was already drawn at this position; otherwise it is recorded. */
  isAgain(placed: Placed): boolean {
    const { run, left, base, size, angle } = placed;
    const cell = 2 * shadowOffset * Math.max(1, Math.round(size));
    const near = [...new Set([left - cell / 2, left + cell / 2].map((x) => Math.floor(x / cell)))];
    const level = [...new Set([base - cell / 2, base + cell / 2].map((y) => Math.floor(y / cell)))];
    const key = (x: number, y: number): string => `${x} ${y} ${angle} ${run.str}`;
    if (
      near.some((x) => level.some((y) => this.#drawn.get(key(x, y))?.some((before) => liesOn(before, placed)) === true))
    )
      return true;
    const own = key(Math.floor(left / cell), Math.floor(base / cell));
    const others = this.#drawn.get(own);
    if (others === undefined) this.#drawn.set(own, [placed]);
    else others.push(placed);
    return false;
  }
}
