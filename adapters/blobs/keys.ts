/** Folder of incomplete writes; no blob's name begins with it. */
export const incomingFolder = '.incoming';

/** Segments joined by slashes, none of them `.` or `..`. */
const shape = /^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]{1,200}(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]{1,200})*$/;

/**
 * Checks a blob's name: segments of `[A-Za-z0-9._-]` joined by `/`, none of them empty, `.` or `..`, at most 900
 * characters in all and 200 in a segment (limits of folders and S3).
 * @throws Error if it is invalid, which is a bug, because the program makes the names
 */
export function checkKey(key: string): string {
  if (key.length > 900 || !shape.test(key) || key === incomingFolder || key.startsWith(`${incomingFolder}/`))
    throw new Error(`not a blob's name: ${JSON.stringify(key.slice(0, 200))}`);
  return key;
}

/** Checks a prefix of names: empty, a name, or a name and `/`. @throws Error */
export function checkPrefix(prefix: string): string {
  if (prefix === '') return prefix;
  checkKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
  return prefix;
}

/** The bytes of a write as chunks. */
export async function* pieces(
  body: AsyncIterable<Uint8Array> | Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (ArrayBuffer.isView(body)) yield body;
  else yield* body;
}
