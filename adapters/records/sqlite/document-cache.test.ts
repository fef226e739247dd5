import { DocumentCache } from './document-cache.ts';

const text = (number: number): string => JSON.stringify({ _id: 'a', number, within: { list: [number] } });

describe('the cache of parsed documents', () => {
  it('returns a document without reading it while the file has not changed', () => {
    const cache = new DocumentCache();
    const document = cache.parse('things/a', text(1), 7);
    expect(cache.current('things/a', 7)).toBe(document);
    expect(cache.current('things/a', 8)).toBeUndefined();
    expect(cache.current('things/b', 7)).toBeUndefined();
  });

  it('parses a text again only if it has changed', () => {
    const cache = new DocumentCache();
    const document = cache.parse('things/a', text(1), 7);
    expect(cache.parse('things/a', text(1), 8)).toBe(document);
    expect(cache.current('things/a', 8)).toBe(document);
    expect(cache.parse('things/a', text(2), 9)).toEqual({ _id: 'a', number: 2, within: { list: [2] } });
  });

  it('freezes what it shares, cached or not', () => {
    const cache = new DocumentCache(1);
    const document = cache.parse('things/a', text(1), 7) as { within: { list: number[] } };
    expect(() => document.within.list.push(2)).toThrow(TypeError);
    expect(cache.current('things/a', 7)).toBeUndefined();
  });

  it('has a maximum number of characters', () => {
    const cache = new DocumentCache(200);
    for (let index = 0; index < 100; index++) cache.parse(`things/${index}`, text(index), 1);
    const held = Array.from({ length: 100 }, (_, index) => cache.current(`things/${index}`, 1)).filter(Boolean);
    expect(held.length).toBeGreaterThan(0);
    expect(held.length).toBeLessThanOrEqual(200 / text(1).length + 1);
  });
});
