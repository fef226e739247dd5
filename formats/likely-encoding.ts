import { TextDecoder } from 'node:util';
import { analyse } from 'chardet';

/** Text that is looked at: more of it adds nothing, and each kilobyte takes some tenths of a millisecond. */
const maxText = 16 * 1024;
/** With fewer bytes beyond ASCII, as a copyright sign or a name, most encodings fit alike. */
const minBytes = 6;
/** How sure the detection must be, of 100. */
const minConfidence = 15;
const western = 'windows-1252';

/** Encodings whose letters are those of another one that has more of them: Ukrainian KOI8 for Russian. */
const larger: ReadonlyMap<string, string> = new Map([['koi8-r', 'koi8-u']]);

/**
 * The text between the tags of a page, as far as it has bytes beyond ASCII: markup and scripts would make each language
 * look like English. No encoding that is detected here has `<` or `>` within a character.
 */
function textBetweenTags(page: Buffer): Buffer {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (let at = 0; at < page.length && bytes < maxText;) {
    const tag = page.indexOf('<', at);
    const end = tag < 0 ? page.length : tag;
    const text = page.subarray(at, end);
    if (text.some((byte) => byte >= 0x80)) {
      parts.push(text, Buffer.from(' '));
      bytes += text.length + 1;
    }
    const closed = tag < 0 ? -1 : page.indexOf('>', tag);
    if (closed < 0) break;
    at = closed + 1;
  }
  return Buffer.concat(parts).subarray(0, maxText);
}

/**
 * The encoding that the text of a page is likely in, where it is no UTF-8 and nothing says which: by how often
 * bytes follow each other in the languages that are written in it. `windows-1252` where that is not sure.
 * @param start of the page
 */
export function likelyEncoding(start: Buffer): string {
  const text = textBetweenTags(start);
  if (text.reduce((count, byte) => count + (byte >= 0x80 ? 1 : 0), 0) < minBytes) return western;
  for (const { name, confidence } of analyse(text)) {
    if (confidence < minConfidence) return western;
    const encoding = decoded(name);
    // What is no UTF-8 is none, nor UTF-16, for which its own byte order mark would speak.
    if (encoding !== null && !encoding.startsWith('utf-')) return larger.get(encoding) ?? encoding;
  }
  return western;
}

/** The name by which an encoding is decoded; null if it is not. */
function decoded(name: string): string | null {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    // UTF-32, ISO-2022-KR and the like: the Encoding standard leaves them out.
    return null;
  }
}
