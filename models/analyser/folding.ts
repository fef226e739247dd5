/** Letters that Unicode does not decompose and that people type without their strokes, dots or ligatures. */
const plainLetters: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['ł', 'l'],
  ['ħ', 'h'],
  ['ŧ', 't'],
  ['ı', 'i'],
  ['þ', 'th'],
  ['ŋ', 'n'],
  ['ĸ', 'k'],
]);

const undecomposed = new RegExp(`[${[...plainLetters.keys()].join('')}]`, 'gu');

/**
 * Marks that are written or left out at will: Latin, Greek and Cyrillic diacritics, Hebrew points, Arabic vowel
 * signs and the Arabic stretching stroke; and what only chooses among the forms of a sign (variation selectors, the
 * frame of keycaps). Marks of Indic scripts, of Thai and of Japanese kana are letters in all but name, and stay.
 */
const optionalMarks =
  /[\u180b-\u180d\u180f\u20e3\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0640]/gu;

/** Arabic signs to remove before stemming: the stemmers expect bare letters. */
const arabicSigns = /[\u0610-\u061a\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0640]/gu;

const notInTokens = /[^\p{L}\p{M}\p{N}]/gu;
const letterOrDigit = /[\p{L}\p{N}]/u;
/** Needs no folding at all. */
const plain = /^[a-z0-9]*$/;

/** Lower case in one compatible form (full-width letters, ligatures and the like become plain ones), marks kept. */
export function normalise(word: string): string {
  const lower = word.toLowerCase();
  if (plain.test(lower)) return lower;
  return lower.normalize('NFKC').replace(arabicSigns, '').toLowerCase();
}

/**
 * The form in which words are compared: lower case, without optional marks, special letters spelled plainly, and
 * nothing but letters, marks and digits, so that it is safe as a token in any store. Empty without a letter or digit:
 * marks alone, as emoji leave behind, are no word.
 */
export function fold(word: string): string {
  const lower = word.toLowerCase();
  if (plain.test(lower)) return lower;
  const folded = lower
    .normalize('NFKD')
    .replace(optionalMarks, '')
    .toLowerCase()
    .replace(undecomposed, (letter) => plainLetters.get(letter) ?? letter)
    .normalize('NFC')
    .replace(notInTokens, '');
  return letterOrDigit.test(folded) ? folded : '';
}
