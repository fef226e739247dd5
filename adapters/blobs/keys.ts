/** Where writes stand until they are whole; no blob's name begins with it. */
export const incomingFolder = '.incoming';

/** Segments joined by slashes, none of them made of one or two points alone. */
const shape = /^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]{1,200}(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]{1,200})*$/;

/**
 * Checks a blob's name: segments of `[A-Za-z0-9._-]` joined by `/`, none of them empty, `.` or `..`, at most 900
 * characters in all and 200 in a segment (what both folders and S3 take).
 * @throws Error where it is not one; names are ours, so that is a fault of the program.
 */
export function checkKey(key: string): string {
  if (key.length > 900 || !shape.test(key) || key === incomingFolder || key.startsWith(`${incomingFolder}/`)) throw new Error(`not a blob's name: ${JSON.stringify(key.slice(0, 200))}`);
  return key;
}

/** Checks the beginning of names: empty, or a name, or a name and `/`. @throws Error */
export function checkPrefix(prefix: string): string {
  if (prefix === '') return prefix;
  checkKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
  return prefix;
}

/** The bytes of a write as pieces, however they were given. */
export async function* pieces(body: AsyncIterable<Uint8Array> | Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  if (ArrayBuffer.isView(body)) yield body;
  else yield* body;
}
