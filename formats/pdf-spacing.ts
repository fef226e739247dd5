/*
 * Letters that are set apart, as in headings. pdf.js takes a wide gap for a space; where the letters of a word all have
 * it, it belongs to the letter before it. What is a gap between words all the same is decided by its neighbours. Called by
 * what pdf-worker.ts adds to pdf.js: distances are in the units in which pdf.js moves from glyph to glyph.
 */

/** A glyph as pdf.js knows it. */
interface Glyph {
  unicode: string;
  category: { isWhitespace: boolean };
}

/**
 * What counts of the state of the text: its spacing (Tc) and its font's size, and how pdf.js reads the codes of a
 * string.
 */
interface TextState {
  charSpacing: number;
  fontSize: number;
  font: { vertical: boolean; charsToGlyphs(codes: string): readonly Glyph[] };
}

/** Shares of the font's size: a wider gap is a space to pdf.js, a wider one ends a run of text. */
const minSpace = 0.102;
const maxSpace = 0.6;
/** Letters further apart than a space is wide are a word up to this distance, and where so many of them are near. */
const maxApart = 1.5;
const minLetters = 4;
/** Gaps that are given one by one are spaces from this distance on. */
const maxApartOneByOne = 0.3;
/** Gaps that are given one by one: so many at least, and so many of them alike but for kerning. */
const minGaps = 4;
const shareAlike = 0.6;
const kerning = 0.08;
/** A gap that is so many times its neighbours separates words. */
const farWider = 2;

const letter = /^\p{L}/u;

/**
 * The distance between letters in strings and the gaps between them (an array of TJ); 0 if they are not set apart
 * alike.
 */
function distanceIn(items: readonly unknown[], factor: number, { charSpacing, fontSize, font }: TextState): number {
  const wide = items.filter(
    (item) => typeof item === 'number' && item * factor + charSpacing > minSpace * fontSize,
  ).length;
  if (wide < minGaps) return 0;
  const gaps: number[] = [];
  let [gap, glyphs, letters] = [charSpacing, 0, 0];
  let before: Glyph | null = null;
  for (const item of items) {
    if (typeof item === 'number') gap += item * factor;
    else if (typeof item === 'string') {
      for (const glyph of font.charsToGlyphs(item)) {
        const isShown = !glyph.category.isWhitespace;
        if (isShown) glyphs++;
        if (letter.test(glyph.unicode)) letters++;
        if (isShown && before !== null && !before.category.isWhitespace) gaps.push(gap);
        gap = charSpacing;
        before = glyph;
      }
    }
  }
  if (gaps.length < minGaps || letters < glyphs * 0.8) return 0;
  const middle = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  if (middle <= minSpace * fontSize || middle > maxApartOneByOne * fontSize) return 0;
  const alike = gaps.filter((other) => Math.abs(other - middle) <= kerning * fontSize).length;
  const tight = gaps.some((other) => other < middle - kerning * 1.5 * fontSize);
  return tight || alike < gaps.length * shareAlike ? 0 : middle;
}

/** Whether a glyph and the next one are letters of a word, within a string of words. */
function isInWord(glyphs: readonly Glyph[], index: number): boolean {
  const isLetter = (glyph: Glyph | undefined): boolean => glyph !== undefined && letter.test(glyph.unicode);
  if (!isLetter(glyphs[index]) || !isLetter(glyphs[index + 1])) return false;
  return (
    glyphs.slice(Math.max(0, index - 2 * minLetters), index + 2 * minLetters).filter(isLetter).length >= minLetters
  );
}

/** How letters of a page's content are set apart, as it is read. */
export class SpacedLetters {
  /** Distance within the array that is shown, where it gives one. */
  #inArray = 0;
  /** Spacing that is set only to be taken back (a number of an array) where no space is meant: there it is one. */
  #takenBack: number | null = null;
  /** Spacing of the letter before the last one; infinite where a word begins. */
  #before = Infinity;
  #last = 0;

  /**
   * An array of strings and numbers is shown, or what a broken file has in its place. `factor` makes numbers distances.
   */
  beginArray(shown: unknown, factor: number, state: TextState): void {
    const { charSpacing, font } = state;
    const items: readonly unknown[] = Array.isArray(shown) ? shown : [];
    this.#inArray = font.vertical ? 0 : distanceIn(items, factor, state);
    if (charSpacing > 0)
      this.#takenBack = items.some((item) => typeof item === 'number' && item * factor < -charSpacing / 2)
        ? charSpacing
        : null;
  }

  endArray(): void {
    this.#inArray = 0;
  }

  /**
   * The glyph at an index of a string was shown, the last of what `shown` holds. Returns how much of the gap behind it
   * may be its own: `isOwn` decides it once the next glyph is known.
   */
  after(
    glyphs: readonly Glyph[],
    index: number,
    shown: readonly string[],
    { charSpacing, fontSize, font }: TextState,
  ): number {
    this.#before = (shown.at(-2) ?? ' ') === ' ' ? Infinity : this.#last;
    this.#last = charSpacing;
    if (font.vertical) return 0;
    if (this.#inArray > 0) return this.#inArray;
    if (charSpacing <= minSpace * fontSize || charSpacing === this.#takenBack) return 0;
    const isWord =
      charSpacing <= maxSpace * fontSize || (charSpacing <= maxApart * fontSize && isInWord(glyphs, index));
    return isWord ? charSpacing : 0;
  }

  /**
   * Whether the gap behind the last glyph is its own, and no space: one that is far wider than its neighbours separates
   * words.
   */
  isOwn({ charSpacing }: TextState): boolean {
    return this.#inArray > 0 || this.#last < farWider * this.#before || this.#last < farWider * charSpacing;
  }
}
