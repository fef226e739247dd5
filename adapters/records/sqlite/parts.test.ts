import { packParts, PartCache, unpackParts, type PartsOrder } from './parts.ts';

/** The key of its row, a part, and its characters where it may be kept. */
type Arrived = [key: number, part: object, characters: number | null];

const always = (): boolean => true;

/** The parts of documents after their way between two threads. */
function travelled(documents: readonly object[], order: PartsOrder): Arrived[] {
  const rows = documents.map((document, key) => ({ key: key * 3, doc: JSON.stringify(document) }));
  const arrived: Arrived[] = [];
  unpackParts(packParts(rows, order), (...part) => arrived.push(part));
  return arrived;
}

describe('parts of documents', () => {
  it('have the fields that were asked for, and no others', () => {
    const order = { fields: ['_id', 'n', 'absent'], list: null };
    expect(
      travelled(
        [
          { _id: 'a', n: 1, other: 'x' },
          { _id: 'b', n: null },
        ],
        order,
      ),
    ).toEqual([
      [0, { _id: 'a', n: 1 }, 17],
      [3, { _id: 'b', n: null }, 20],
    ]);
    expect(travelled([], order)).toEqual([]);
  });

  it('say when a long list was cut, so that they are kept for nobody else', () => {
    const long = Array.from({ length: 101 }, (_, index) => `v${index}`);
    const order = { fields: ['list'], list: { field: 'list', among: ['v7', 'v100', 'absent'] } };
    expect(travelled([{ list: long }, { list: long.slice(1) }, { list: 'text' }], order)).toEqual([
      [0, { list: ['v7', 'v100'] }, null],
      [3, { list: long.slice(1) }, JSON.stringify({ list: long.slice(1) }).length],
      [6, { list: 'text' }, 15],
    ]);
  });

  it('have long values of a list only as far as these are searched for', () => {
    const values = Array.from({ length: 90 }, (_, index) => `${index}`.padStart(500));
    const order = { fields: ['list'], list: { field: 'list', among: [values[7] ?? '', 'absent'] } };
    expect(travelled([{ list: values }, { list: values.slice(0, 10) }], order)).toEqual([
      [0, { list: [values[7]] }, null],
      [3, { list: values.slice(0, 10) }, expect.any(Number)],
    ]);
  });

  it('are kept by collection and fields, the latest ones, and cannot be changed', () => {
    const cache = new PartCache(250);
    const things = cache.of('things', ['n']);
    for (const id of ['a', 'b', 'c']) things.keep(id, { n: [id] }, 11, 1);
    expect(['a', 'b', 'c'].map((id) => things.current(id, always))).toEqual([undefined, { n: ['b'] }, { n: ['c'] }]);
    expect(cache.of('things', ['n']).current('c', (id, version) => id === 'c' && version === 2)).toBeUndefined();
    expect(cache.of('things', ['m']).current('c', always)).toBeUndefined();
    expect(cache.of('others', ['n']).current('c', always)).toBeUndefined();
    things.keep('b', { n: ['again'] }, 15, 2);
    things.keep('d', { n: ['d'] }, 11, 2);
    expect(things.current('c', always)).toBeUndefined();
    const part = things.current('b', always) as { n: string[] };
    expect(part).toEqual({ n: ['again'] });
    expect(() => part.n.push('x')).toThrow(TypeError);
    things.keep('absent', null, 0, 3);
    expect(things.current('absent', always)).toBeNull();
  });

  it('are kept by their characters: few large ones leave no room', () => {
    const cache = new PartCache(100_000).of('things', ['n']);
    for (let index = 0; index < 100; index += 1) cache.keep(`large ${index}`, { n: index }, 9_900, 1);
    const kept = Array.from({ length: 100 }, (_, index) => cache.current(`large ${index}`, always));
    expect(kept.filter((part) => part !== undefined)).toEqual(Array.from({ length: 10 }, (_, n) => ({ n: n + 90 })));
    cache.keep('too large', { n: 1 }, 100_000, 1);
    expect(cache.current('too large', always)).toBeUndefined();
  });
});
