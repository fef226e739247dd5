import { JsonBoundsCheck } from './json-bounds.ts';

/** What is wrong with a text that comes in pieces of some bytes; null for nothing. */
function fault(text: string, maxValues: number, pieceBytes = 7): string | null {
  const check = new JsonBoundsCheck({ maxValues });
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += pieceBytes) check.take(bytes.subarray(at, at + pieceBytes));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('the limits of a JSON text', () => {
  it('count values for any size of chunks', () => {
    for (const pieceBytes of [1, 2, 3, 100]) {
      expect(fault('{"a":[1,2,3],"b":{"c":4}}', 6, pieceBytes)).toBeNull();
      expect(fault('{"a":[1,2,3],"b":{"c":4}}', 5, pieceBytes)).toContain('more than 5 values');
    }
  });

  it('ignore delimiters within strings', () => {
    for (const pieceBytes of [1, 2, 100])
      expect(fault(JSON.stringify({ a: '[[[,,,{{{"\\"\\\\', b: 'é,,\u{1F600}[' }), 2, pieceBytes)).toBeNull();
  });

  it('do not apply to long strings, whose fields have their own checks', () => {
    expect(fault(JSON.stringify(['x'.repeat(3_000_000)]), 10, 65_536)).toBeNull();
  });

  it('apply to depth and number of fields', () => {
    expect(fault('['.repeat(500) + ']'.repeat(500), 1e6, 64)).toBeNull();
    expect(fault('['.repeat(501), 1e6, 64)).toContain('levels');
    expect(fault('[]'.repeat(501) + ']'.repeat(9), 1e6, 64)).toBeNull();
    const object = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])));
    expect(fault(object(10_000), 1e6, 64)).toBeNull();
    expect(fault(object(10_001), 1e6, 64)).toContain('fields');
    expect(fault(JSON.stringify(Array(20_000).fill(1)), 1e6, 64)).toBeNull();
  });
});
