/** Letters of scripts without spaces between words: two count as one word. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
/** Text without a space (a URL, encoded data) counts as one word for each so many characters. */
const maxWordCharacters = 16;
const notAscii = /[^\0-\x7f]/;

/**
 * The approximate number of words of a text, for splitting it into passages. It grows with the text in every script, so
 * that a bounded count means a bounded text.
 */
export function wordCount(text: string): number {
  if (!notAscii.test(text)) return asciiWordCount(text);
  let words = 0;
  for (const [token] of text.matchAll(/\S+/g)) {
    const spacelessLetters = notAscii.test(token) ? (token.match(spaceless)?.length ?? 0) : 0;
    const others = token.length - spacelessLetters;
    words += spacelessLetters / 2 + (others <= 0 ? 0 : Math.ceil(others / maxWordCharacters));
  }
  return words;
}

/** The same for ASCII text, many times as fast. */
function asciiWordCount(text: string): number {
  let words = 0;
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isSpace = code === 32 || (code >= 9 && code <= 13);
    if (isSpace) words += Math.ceil(length / maxWordCharacters);
    length = isSpace ? 0 : length + 1;
  }
  return words + Math.ceil(length / maxWordCharacters);
}
