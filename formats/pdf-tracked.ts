/** A run of 5 to 25 single letters separated by spaces, as in a letter-spaced line. */
const spacedLetters = /^\s*\p{L}(?: \p{L}){4,24}\s*$/u;
/** Minimum number of distinct letters in a word of that length. */
const minDifferent = 4;
/** Letters up to this one label the choices of a question; a row of them is not a word. */
const lastChoice = 'f';

/** Whether letters are in alphabetical order: names of columns, of items. */
function isSequence(letters: readonly string[]): boolean {
  return letters.every((letter, index) => index === 0 || letter > (letters[index - 1] ?? ''));
}

/** Joins the letters of a letter-spaced word; other runs are unchanged. */
export function joinedLetters(text: string): string {
  if (!spacedLetters.test(text)) return text;
  const letters = text
    .toLowerCase()
    .split(' ')
    .filter((letter) => letter !== '');
  const isWord =
    new Set(letters).size >= minDifferent && letters.some((letter) => letter > lastChoice) && !isSequence(letters);
  return isWord ? text.replaceAll(/(?<=\p{L}) (?=\p{L})/gu, '') : text;
}
