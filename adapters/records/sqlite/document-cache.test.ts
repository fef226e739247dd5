import { DocumentCache } from './document-cache.ts';

const at = (version: number) => (_: string, read: number) => read === version;
const text = (number: number): string => JSON.stringify({ _id: 'a', number, within: { list: [number] } });

describe('the cache of parsed documents', () => {
  it('returns a document without reading it while the file has not changed', () => {
    const cache = new DocumentCache().of('things');
    const document = cache.parse('a', text(1), 7);
    expect(cache.current('a', at(7))).toBe(document);
    expect(cache.current('a', at(8))).toBeUndefined();
    expect(cache.current('b', at(7))).toBeUndefined();
  });

  it('parses a text again only if it has changed', () => {
    const cache = new DocumentCache().of('things');
    const document = cache.parse('a', text(1), 7);
    expect(cache.parse('a', text(1), 8)).toBe(document);
    expect(cache.current('a', at(8))).toBe(document);
    expect(cache.parse('a', text(2), 9)).toEqual({ _id: 'a', number: 2, within: { list: [2] } });
  });

  it('freezes what it shares, cached or not', () => {
    const cache = new DocumentCache(1).of('things');
    const document = cache.parse('a', text(1), 7) as { within: { list: number[] } };
    expect(() => document.within.list.push(2)).toThrow(TypeError);
    expect(cache.current('a', at(7))).toBeUndefined();
  });

  it('has a maximum number of characters', () => {
    const cache = new DocumentCache(200).of('things');
    for (let index = 0; index < 100; index++) cache.parse(`${index}`, text(index), 1);
    const held = Array.from({ length: 100 }, (_, index) => cache.current(`${index}`, at(1))).filter(Boolean);
    expect(held.length).toBeGreaterThan(0);
    expect(held.length).toBeLessThanOrEqual(200 / text(1).length + 1);
  });

  it('keeps collections apart, and forgets nothing of one that another does not need the room of', () => {
    const cache = new DocumentCache(text(1).length * 2);
    const [things, others] = [cache.of('things'), cache.of('others')];
    const document = things.parse('a', text(1), 1);
    expect(others.current('a', at(1))).toBeUndefined();
    others.parse('a', text(2), 1);
    expect([things.current('a', at(1)), others.current('a', at(1))]).toEqual([
      document,
      expect.objectContaining({ number: 2 }),
    ]);
    others.parse('b', text(3), 1);
    // The least recently read of all.
    expect([things.current('a', at(1)), others.current('b', at(1))]).toEqual([undefined, expect.anything()]);
    expect(cache.of('things').parse('a', text(1), 1)).toEqual(document);
  });
});
