import { ParsedDocuments } from './parsed.ts';

const text = (version: number, filling = ''): string => JSON.stringify({ _id: 'a', version, within: { names: ['x'] }, filling });

describe('remembered documents', () => {
  it('answer what the text says now, not what it said before', () => {
    const parsed = new ParsedDocuments();
    expect(parsed.parse('a', text(1), 1)).toEqual(JSON.parse(text(1)));
    expect(parsed.parse('a', text(1), 1)).toEqual(JSON.parse(text(1)));
    expect(parsed.parse('a', text(2), 1)).toEqual(JSON.parse(text(2)));
    expect(parsed.parse('a', text(1), 1)).toEqual(JSON.parse(text(1)));
  });

  it('parse an unchanged text once', () => {
    const parsed = new ParsedDocuments();
    const [first, second] = [parsed.parse('a', text(1), 1), parsed.parse('a', text(1), 1)];
    expect(Object.entries(first)[2]?.[1]).toBe(Object.entries(second)[2]?.[1]);
  });

  it('are not to be changed by anybody', () => {
    const parsed = new ParsedDocuments();
    for (let round = 0; round < 2; round += 1) {
      const document = parsed.parse('a', text(1), 1) as { version: number; within: { names: string[] } };
      expect(() => Object.assign(document, { version: 9 })).toThrow(TypeError);
      expect(() => document.within.names.push('y')).toThrow(TypeError);
      expect(() => Object.assign(document.within, { other: 1 })).toThrow(TypeError);
    }
    expect(parsed.parse('a', text(1), 1)).toEqual(JSON.parse(text(1)));
  });

  it('need not be read again while the table is the same, and only then', () => {
    const parsed = new ParsedDocuments();
    expect(parsed.unchanged('a', 1)).toBeUndefined();
    parsed.parse('a', text(1), 1);
    expect(parsed.unchanged('a', 1)).toEqual(JSON.parse(text(1)));
    expect(parsed.unchanged('a', 2)).toBeUndefined();
    parsed.parse('a', text(1), 2);
    expect(parsed.unchanged('a', 2)).toEqual(JSON.parse(text(1)));
    parsed.parse('a', text(2), 3);
    expect(parsed.unchanged('a', 3)).toEqual(JSON.parse(text(2)));
    expect(parsed.unchanged('a', 2)).toBeUndefined();
  });

  it('stay within their bound', () => {
    const parsed = new ParsedDocuments(10_000);
    for (let number = 0; number < 500; number += 1) {
      parsed.parse(`key-${number % 60}`, text(number, 'f'.repeat(number * 3)), 1);
      expect(parsed.characters).toBeLessThanOrEqual(20_000);
    }
    expect(parsed.characters).toBeGreaterThan(5_000);
  });

  it('leave out long texts', () => {
    const parsed = new ParsedDocuments();
    expect(parsed.parse('a', text(1, 'f'.repeat(20_000)), 1)).toEqual(JSON.parse(text(1, 'f'.repeat(20_000))));
    expect(parsed.characters).toBe(0);
  });
});
