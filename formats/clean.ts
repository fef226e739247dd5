const nulOrLoneSurrogate = /\0|\p{Surrogate}/gu;

/** Text without NUL and lone surrogates, which stores and JSON parsers reject. */
export function cleanText(text: string): string {
  if (text.isWellFormed() && !text.includes('\0')) return text;
  return text.replace(nulOrLoneSurrogate, '');
}

const privateUse = /[\ue000-\uf8ff]+/g;

/** Text with private-use characters replaced by spaces: mostly glyphs of icon fonts, which have no meaning as text. */
export function withoutPrivateUse(text: string): string {
  return text.replace(privateUse, ' ');
}

/** Cleaned text in which each run of white space is one space; trimmed. */
export function joinWhiteSpace(text: string): string {
  return cleanText(text).replace(/\s+/gu, ' ').trim();
}

/**
 * Cleaned text that keeps its line breaks: other runs of white space become one space, lines are trimmed, empty lines
 * are dropped.
 */
export function joinWhiteSpaceInLines(text: string): string {
  if (!text.includes('\n')) return joinWhiteSpace(text);
  return text
    .split('\n')
    .map(joinWhiteSpace)
    .filter((line) => line !== '')
    .join('\n');
}

const longestHeading = 300;

/** Shortens a text to a heading or title. */
export function asHeading(text: string): string {
  return text.slice(0, longestHeading).toWellFormed();
}

/** Joins the cells of a row. */
export function joinCells(cells: readonly string[]): string {
  return cells.filter((cell) => cell !== '').join(' | ');
}
