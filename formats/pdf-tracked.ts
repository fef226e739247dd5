/**
 * A run of five letters to as many as words have, each of which is separate, as in a line that is spread letter by
 * letter.
 */
const lettersApart = /^\s*\p{L}(?: \p{L}){4,24}\s*$/u;
/** Different letters that a word of such a length has, at least. */
const minDifferent = 4;
/** Letters up to this one label the choices of a question; a row of them is not a spaced-out word. */
const lastChoice = 'f';

/** Whether letters follow each other as in the alphabet: names of columns, of items. */
function isSequence(letters: readonly string[]): boolean {
  return letters.every((letter, index) => index === 0 || letter > (letters[index - 1] ?? ''));
}

/**
 * A run whose letters were placed one by one, far from each other, as the word that it shows; other runs as they are.
 */
export function joinedLetters(text: string): string {
  if (!lettersApart.test(text)) return text;
  const letters = text
    .toLowerCase()
    .split(' ')
    .filter((letter) => letter !== '');
  const isWord =
    new Set(letters).size >= minDifferent && letters.some((letter) => letter > lastChoice) && !isSequence(letters);
  return isWord ? text.replaceAll(/(?<=\p{L}) (?=\p{L})/gu, '') : text;
}
