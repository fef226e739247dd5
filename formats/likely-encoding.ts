import { TextDecoder } from 'node:util';
import { analyse } from 'chardet';

/**
 * Maximum number of bytes that are examined: more adds no certainty, and each kilobyte takes tenths of a millisecond.
 */
const maxText = 16 * 1024;
/** Minimum number of non-ASCII bytes: with fewer, such as a copyright sign, most encodings fit equally well. */
const minBytes = 6;
/** Minimum confidence of the detection, of 100. */
const minConfidence = 15;
const western = 'windows-1252';

/** Encodings that are replaced by their supersets: Ukrainian KOI8 for Russian. */
const larger: ReadonlyMap<string, string> = new Map([['koi8-r', 'koi8-u']]);

/**
 * The text between the tags of a page, if it has non-ASCII bytes: markup and scripts would make every language look
 * like English. No encoding detected here has `<` or `>` within a character.
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
 * The likely encoding of a page that is not UTF-8 and declares none, by byte statistics of the languages written in it;
 * `windows-1252` if uncertain.
 * @param start of the page
 */
export function likelyEncoding(start: Buffer): string {
  const text = textBetweenTags(start);
  if (text.reduce((count, byte) => count + (byte >= 0x80 ? 1 : 0), 0) < minBytes) return western;
  for (const { name, confidence } of analyse(text)) {
    if (confidence < minConfidence) return western;
    const encoding = decoded(name);
    // The text is not UTF-8; UTF-16 would have a byte order mark.
    if (encoding !== null && !encoding.startsWith('utf-')) return larger.get(encoding) ?? encoding;
  }
  return western;
}

/** The name under which an encoding can be decoded, or null. */
function decoded(name: string): string | null {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    // UTF-32, ISO-2022-KR and others are not in the Encoding standard.
    return null;
  }
}
