import fc from 'fast-check';

/** The principals of a reader; undefined where none are sent. */
export type Reader = readonly string[] | undefined;

/**
 * Principals that are easily confused: by case, spaces, normal form, prefix, as part of a list or pattern, or as a
 * keyword.
 */
export const names: readonly string[] = [
  'group:staff',
  'group:staf',
  'group:staff ',
  ' group:staff',
  'GROUP:STAFF',
  'group:staff,group:all',
  'group:*',
  '*',
  '%',
  '_',
  'Ann',
  'ann',
  'anne',
  'Zo\u00eb',
  'Zoe\u0308',
  '\u{1f600}',
  '\u{1f600}\u{1f3fd}',
  '\u200b',
  '\u202eevil',
  'stra\u00dfe',
  'strasse',
  '\u0130',
  'i\u0307',
  'a"b',
  "a'b); drop table marks; --",
  'a\\b',
  'a&principals=Ann',
  'a%20b',
  'a+b',
  'a b',
  '["Ann"]',
  '{"$ne":null}',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'true',
  '0',
  '-1',
  'open',
  'restricted',
  'everyone',
  'x'.repeat(512),
  'x'.repeat(511),
  '\u{1f600}'.repeat(512),
];

/** A principal of every granted restricted file: this reader's results, restricted by ids, are the reference. */
export const auditor = 'auditor of the test';

const some = (most: number): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: most });

/** Principals of a file; a few, or none. */
export const anyGrants: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<string[]>([]) },
  { weight: 6, arbitrary: some(5) },
);

/** 1,000 principals: mostly unknown, the relevant ones last. */
function thousand(known: readonly string[]): string[] {
  return [...Array.from({ length: 1000 - known.length }, (_, index) => `crowd ${index}`), ...known];
}

/** Readers: none, an empty list, an unknown one, one, several, a similar name, or 1,000. */
export const anyReader: fc.Arbitrary<Reader> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((text) => !text.includes('\0'))
      .map((text) => [`unknown ${text}`]),
  },
  { weight: 4, arbitrary: some(1) },
  { weight: 3, arbitrary: some(4) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...names)
      .chain((name) =>
        fc
          .constantFrom(
            [...name].slice(0, -1).join('') || 'nobody',
            `${name.slice(0, 500)}x`,
            name.toUpperCase(),
            name.normalize('NFD'),
          )
          .map((near) => [[...near].slice(0, 512).join('')]),
      ),
  },
  { weight: 1, arbitrary: some(3).map(thousand) },
);

/** The query string of a read as a reader. Without principals `asReader` is sent. */
export function readerQuery(reader: Reader): string {
  return `asReader=true&${principalsQuery(reader)}`;
}

/** The principals of a reader in a query string; empty for none. */
export function principalsQuery(reader: Reader): string {
  return (reader ?? []).map((name) => `principals=${encodeURIComponent(name)}`).join('&');
}
