import { TextDecoder } from 'node:util';
import { likelyEncoding } from './likely-encoding.ts';
import type { SourceFile } from './reader.ts';
import { startOf } from './source-bytes.ts';

/** Leading bytes that are examined. The HTML standard requires 1,024 bytes for the declaration. */
const probeBytes = 256 * 1024;
/** Number of valid UTF-8 sequences, without an invalid one, that identifies UTF-8. */
const minSequences = 4;

/** Counts valid multi-byte UTF-8 sequences and invalid bytes. A truncated sequence at the end counts as neither. */
function countSequences(bytes: Uint8Array): { good: number; bad: number } {
  let good = 0;
  let bad = 0;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) {
      at++;
      continue;
    }
    const length =
      byte >= 0xc2 && byte < 0xe0 ? 2 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xf0 && byte < 0xf5 ? 4 : 0;
    if (length > 0 && at + length > bytes.length) break;
    const whole = length > 0 && bytes.subarray(at + 1, at + length).every((next) => next >= 0x80 && next < 0xc0);
    if (whole) good++;
    else bad++;
    at += whole ? length : 1;
  }
  return { good, bad };
}

/** Detects UTF-16 markup without a byte order mark by the NUL in its first two characters, or null. */
function wideEncoding(start: Buffer): string | null {
  const [first, second, third, fourth] = start;
  if (first === 0 && second !== 0 && third === 0 && fourth !== 0) return 'utf-16be';
  return first !== 0 && second === 0 && third !== 0 && fourth === 0 ? 'utf-16le' : null;
}

/** Markup without comments; an unclosed one extends to the end. */
function withoutComments(markup: string): string {
  const parts: string[] = [];
  for (let from = 0; ;) {
    const begin = markup.indexOf('<!--', from);
    parts.push(markup.slice(from, begin < 0 ? undefined : begin));
    const end = begin < 0 ? -1 : markup.indexOf('-->', begin + 4);
    if (end < 0) return parts.join('');
    from = end + 3;
  }
}

/** The encoding declared in a `meta` element or an XML declaration; null if there is none, or it is unknown. */
function declaredEncoding(start: Buffer): string | null {
  const text = withoutComments(start.toString('latin1'));
  const label =
    /<meta[^>]{1,500}?charset\s*=\s*(?:["']\s*)?([A-Za-z0-9_:.-]+)/i.exec(text)?.[1] ??
    /^\s*<\?xml[^>]{1,500}?encoding\s*=\s*["']([A-Za-z0-9_:.-]+)/i.exec(text)?.[1];
  if (label === undefined) return null;
  try {
    const { encoding } = new TextDecoder(label);
    // A declaration that is readable as ASCII is not UTF-16 (HTML standard, 13.2.3.2).
    return encoding.startsWith('utf-16') ? 'utf-8' : encoding;
  } catch {
    // Unknown to the Encoding standard.
    return null;
  }
}

/**
 * The encoding of a page: byte order mark, declaration, then UTF-8, or the likely encoding if the bytes are not UTF-8
 * (HTML standard, 13.2.3). A declaration that the bytes contradict is ignored: pages saved as UTF-8 often still name
 * their previous encoding.
 */
export async function encodingOf(file: SourceFile): Promise<string> {
  const start = await startOf(file, probeBytes);
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) return 'utf-8';
  const wide = start.length < 4 ? null : wideEncoding(start);
  if (wide !== null) return wide;
  const { good, bad } = countSequences(start);
  const declared = declaredEncoding(start);
  if (declared === null || declared === 'utf-8') return bad > good ? likelyEncoding(start) : 'utf-8';
  const minGood = declared === 'windows-1252' ? 1 : minSequences;
  return good >= minGood && bad === 0 ? 'utf-8' : declared;
}
