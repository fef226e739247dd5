import { invalid, Refusal } from '../errors.ts';

/** Longest name of a field in an error: clients may send names of megabytes. */
const maxNameLength = 1000;

/**
 * A client's name as errors show it. Lone surrogates are replaced, because many JSON parsers refuse them.
 */
export function displayName(name: string): string {
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength).toWellFormed()}...` : name.toWellFormed();
}

/** Prefixes the path of a refusal with the name of the containing value. */
export function within(error: unknown, name: string | number): unknown {
  if (error instanceof Refusal && error.data.fields !== undefined)
    error.data.fields.unshift(typeof name === 'string' ? displayName(name) : name);
  return error;
}

/** The refusal of an unknown field, with the known fields. */
export function unknownField(name: string, known: readonly string[]): Refusal {
  return invalid(
    [displayName(name)],
    known.length === 0 ? 'is not a known field; there are none' : `is not a known field; known are ${known.join(', ')}`,
  );
}

/** Number of Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // The second half of a surrogate pair does not count.
    if (unit < 0xdc00 || unit > 0xdfff) count += 1;
  }
  return count;
}

/** Describes the fault of a text of `min` to `max` code points; null if it is valid. */
export function textFault(text: string, min: number, max: number): string | null {
  if (!text.isWellFormed() || text.includes('\0')) return 'must hold neither NUL nor half of a surrogate pair';
  if (text.length < min || (text.length < min * 2 && codePoints(text) < min))
    return min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
  // A code point has at most two units.
  if (text.length > max * 2 || (text.length > max && codePoints(text) > max))
    return `must have at most ${max} characters`;
  return null;
}
