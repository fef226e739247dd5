/** Longest key of an object, in bytes of UTF-8. */
export const maxKeyBytes = 1024;

/** Characters that no key holds: controls (C0, DEL, C1) and the backslash. */
const excluded = '\\u0000-\\u001f\\u007f-\\u009f\\\\';
const segment = `(?:[^./${excluded}][^/${excluded}]*|\\.[^./${excluded}][^/${excluded}]*|\\.\\.[^/${excluded}]+)`;

/** Segments joined by single slashes, none of them empty, `.` or `..`; see `keyFault` for the rest of the rules. */
export const keyForm = {
  source: `^${segment}(?:/${segment})*$`,
  expected:
    'a key: segments joined by single slashes, none of them empty, . or .., without backslashes and control characters',
};

const reservedStart = '.plycdn-';

/** Decodes percent escapes as often as there are any, as far as they can be decoded. */
function withoutEscapes(text: string): string {
  let decoded = text;
  for (let round = 0; round < 5 && decoded.includes('%'); round += 1) {
    const next = decoded.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
      Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
    );
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}

/** Hyphens, dashes and minus signs, which look alike: Unicode's dash punctuation, and three that it calls symbols. */
const dashes = /[\p{Pd}\u2043\u2212\u{10ead}]/gu;

/** A text as it is read: without escapes and invisible characters, in the compatibility forms of its letters. */
function asRead(text: string): string {
  return withoutEscapes(text)
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(dashes, '-')
    .toLowerCase();
}

/**
 * Whether a key is in the reserved space: it begins with `.plycdn-` in any letter case, escaped, in compatibility forms
 * of the letters, with another hyphen or dash, or with invisible characters between them.
 */
export function isReservedKey(key: string): boolean {
  return asRead(key.slice(0, 400)).replace(/^\/+/, '').startsWith(reservedStart);
}

/** What is wrong with a key of the right form: its length in bytes, or the reserved space. Null if it is good. */
export function keyFault(key: string): string | null {
  if (Buffer.byteLength(key) > maxKeyBytes) return `has more than ${maxKeyBytes} bytes of UTF-8`;
  if (isReservedKey(key)) return `begins with ${reservedStart}, which is reserved`;
  return null;
}

/**
 * A key as links and addresses spell it: each segment percent-encoded, `A-Z a-z 0-9 - . _ ~` as they are (RFC 3986).
 */
export function encodeKey(key: string): string {
  return key
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');
}

/**
 * The first text behind all texts that begin with a prefix, in byte order of UTF-8 (the order of code points); null if
 * there is none.
 */
export function behindPrefix(prefix: string): string | null {
  const points = Array.from(prefix, (char) => char.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue;
    // No text holds half of a surrogate pair.
    const next = last === 0xd7ff ? 0xe000 : last + 1;
    return String.fromCodePoint(...points, next);
  }
  return null;
}

/**
 * A key in a form that all stores order by the bytes of its UTF-8: each byte is a character up to U+00FF. Stores that
 * compare UTF-16 units would put U+10000 before U+E000.
 */
export function listKeyOf(key: string): string {
  return Buffer.from(key).toString('latin1');
}

const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Default_Ignorable_Code_Point}|\p{Cf}/u;

/**
 * What is wrong with a prefix of keys, as purges and cache rules take it: null if it is good. It does not begin with
 * `/`, and neither is, nor begins, nor is the beginning of the reserved space.
 */
export function prefixFault(prefix: string): string | null {
  if (prefix === '' || Buffer.byteLength(prefix) > maxKeyBytes) return `must have 1 to ${maxKeyBytes} bytes of UTF-8`;
  if (unprintable.test(prefix)) return 'must not hold control or invisible characters';
  if (prefix.startsWith('/') || prefix.includes('//') || prefix.includes('\\'))
    return 'must not begin with /, and holds neither // nor \\';
  if (prefix.split('/').some((part) => part === '.' || part === '..')) return 'must not hold a segment . or ..';
  if (isReservedKey(prefix) || reservedStart.startsWith(asRead(prefix)))
    return `is in the reserved space ${reservedStart}`;
  return null;
}
