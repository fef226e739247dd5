import { packParts, PartCache, unpackParts, type PartsOrder } from './parts.ts';

const always = (): boolean => true;

/** The parts of documents after their way between two threads. */
function travelled(documents: readonly object[], order: PartsOrder): [key: number, part: object, isWhole: boolean][] {
  const rows = documents.map((document, key) => ({ key: key * 3, doc: JSON.stringify(document) }));
  const arrived: [number, object, boolean][] = [];
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
      [0, { _id: 'a', n: 1 }, true],
      [3, { _id: 'b', n: null }, true],
    ]);
    expect(travelled([], order)).toEqual([]);
  });

  it('say when a long list was cut, so that they are kept for nobody else', () => {
    const long = Array.from({ length: 101 }, (_, index) => `v${index}`);
    const order = { fields: ['list'], list: { field: 'list', among: ['v7', 'v100', 'absent'] } };
    expect(travelled([{ list: long }, { list: long.slice(1) }, { list: 'text' }], order)).toEqual([
      [0, { list: ['v7', 'v100'] }, false],
      [3, { list: long.slice(1) }, true],
      [6, { list: 'text' }, true],
    ]);
  });

  it('are kept by collection and fields, the latest ones, and cannot be changed', () => {
    const cache = new PartCache(2);
    const things = cache.of('things', ['n']);
    for (const id of ['a', 'b', 'c']) things.keep(id, { n: [id] }, 1);
    expect(['a', 'b', 'c'].map((id) => things.current(id, always))).toEqual([undefined, { n: ['b'] }, { n: ['c'] }]);
    expect(cache.of('things', ['n']).current('c', (id, version) => id === 'c' && version === 2)).toBeUndefined();
    expect(cache.of('things', ['m']).current('c', always)).toBeUndefined();
    expect(cache.of('others', ['n']).current('c', always)).toBeUndefined();
    things.keep('b', { n: ['again'] }, 2);
    things.keep('d', { n: ['d'] }, 2);
    expect(things.current('c', always)).toBeUndefined();
    const part = things.current('b', always) as { n: string[] };
    expect(part).toEqual({ n: ['again'] });
    expect(() => part.n.push('x')).toThrow(TypeError);
    things.keep('absent', null, 3);
    expect(things.current('absent', always)).toBeNull();
  });
});
