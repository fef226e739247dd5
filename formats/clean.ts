const nulOrLoneSurrogate = /\0|\p{Surrogate}/gu;

/** Text without NUL and lone surrogates, which no store and no JSON reader takes. */
export function cleanText(text: string): string {
  if (text.isWellFormed() && !text.includes('\0')) return text;
  return text.replace(nulOrLoneSurrogate, '');
}

const privateSigns = /[\ue000-\uf8ff]+/g;

/** Text with a space for signs of private use: pictures of icon fonts mostly, which say nothing as text. */
export function withoutPrivateSigns(text: string): string {
  return text.replace(privateSigns, ' ');
}

/** Cleaned text in which every run of white space is one space, without any at its ends. */
export function joinWhiteSpace(text: string): string {
  return cleanText(text).replace(/\s+/gu, ' ').trim();
}

/**
 * Cleaned text that keeps its line breaks: other runs of white space are one space, lines are trimmed, empty ones left
 * out.
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

/** A text shortened to a heading or title. */
export function asHeading(text: string): string {
  return text.slice(0, longestHeading).toWellFormed();
}

/** How the cells of one row are written as one text. */
export function joinCells(cells: readonly string[]): string {
  return cells.filter((cell) => cell !== '').join(' | ');
}
