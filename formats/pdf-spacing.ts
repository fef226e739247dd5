/*
 * Letter spacing, as in headings. pdf.js treats a wide gap as a space; if all letters of a word have such a gap, it is
 * letter spacing. Neighbouring gaps decide which gaps separate words. pdf-worker.ts inserts calls to this module into
 * pdf.js: distances are in the units in which pdf.js moves from glyph to glyph.
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

/** Shares of the font size: a gap above the first is a space to pdf.js, one above the second ends a run. */
const minSpace = 0.102;
const maxSpace = 0.6;
/** Letters with wide gaps are one word up to this distance, if enough of them are close together. */
const maxLetterSpacing = 1.5;
const minLetters = 4;
/** Individually given gaps are spaces from this distance. */
const maxApartOneByOne = 0.3;
/** Minimum number of individually given gaps, and how many of them must be equal except for kerning. */
const minGaps = 4;
const shareAlike = 0.6;
const kerning = 0.08;
/** A gap this many times wider than its neighbours separates words. */
const farWider = 2;

const letter = /^\p{L}/u;

/** The letter spacing within strings and between them (an array of TJ); 0 if it is not uniform. */
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

/** Whether a glyph and the next one are letters of the same word in a string of several words. */
function isInWord(glyphs: readonly Glyph[], index: number): boolean {
  const isLetter = (glyph: Glyph | undefined): boolean => glyph !== undefined && letter.test(glyph.unicode);
  if (!isLetter(glyphs[index]) || !isLetter(glyphs[index + 1])) return false;
  return (
    glyphs.slice(Math.max(0, index - 2 * minLetters), index + 2 * minLetters).filter(isLetter).length >= minLetters
  );
}

/** Tracks letter spacing while a page's content is read. */
export class SpacedLetters {
  /** Letter spacing of the current array, if it has one. */
  #inArray = 0;
  /** Spacing that an array's number cancels where no space is meant: where it is not cancelled, it is a space. */
  #takenBack: number | null = null;
  /** Spacing before the last letter; infinite at the start of a word. */
  #before = Infinity;
  #last = 0;

  /**
   * Begins an array of strings and numbers, or what a broken file has in its place. `factor` converts numbers to
   * distances.
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
   * Records the glyph at an index of a string, the last one in `shown`. Returns how much of the gap after it may be
   * letter spacing: `isOwn` decides once the next glyph is known.
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
      charSpacing <= maxSpace * fontSize || (charSpacing <= maxLetterSpacing * fontSize && isInWord(glyphs, index));
    return isWord ? charSpacing : 0;
  }

  /**
   * Whether the gap after the last glyph is letter spacing and not a space: a gap that is far wider than its neighbours
   * separates words.
   */
  isOwn({ charSpacing }: TextState): boolean {
    return this.#inArray > 0 || this.#last < farWider * this.#before || this.#last < farWider * charSpacing;
  }
}
