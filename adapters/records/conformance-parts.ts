import { thing, type Ground } from './conformance-ground.ts';

const fields = ['_id', 'number', 'tags'] as const;

/** The tests of reading parts of documents. */
export function partsConformance({ all, of }: Ground): void {
  it('reads parts of the documents that exist, in the requested order', async () => {
    const many = Array.from({ length: 1200 }, (_, index) => thing(`t${index}`, { number: index }));
    await all().insertNew(many);
    const wanted = many.map(({ _id }) => _id).reverse();
    const parts = await of('o').getParts(['none', ...wanted], ['_id', 'number', 'key']);
    expect(parts.map(({ _id, number }) => [_id, number])).toEqual(
      many.map(({ _id, number }) => [_id, number]).reverse(),
    );
    expect(parts.every((part) => part.key === undefined)).toBe(true);
    expect(await of('p').getParts(wanted, fields)).toEqual([]);
    expect(await all().getParts([], fields)).toEqual([]);
  });

  it('reads the current state of parts after earlier reads', async () => {
    await all().insertNew([thing('a', { number: 1 }), thing('b', { number: 1 })]);
    const numbers = async (): Promise<unknown[]> =>
      (await of('o').getParts(['a', 'b'], fields)).map(({ number }) => number);
    for (let time = 2; time < 12; time += 1) {
      expect(await numbers()).toEqual([time - 1, 1]);
      expect(await numbers()).toEqual([time - 1, 1]);
      await all().update('a', {}, { set: { number: time } });
      expect(await of('p').getParts(['a', 'b'], fields)).toEqual([]);
    }
    await all().put(thing('b', { number: 2 }));
    expect(await numbers()).toEqual([11, 2]);
    await all().remove('a');
    expect(await numbers()).toEqual([2]);
    await all().insertNew([thing('a', { number: 3 })]);
    expect(await numbers()).toEqual([3, 2]);
    await all().removeMany({}, 10);
    expect(await numbers()).toEqual([]);
  });

  it('reads a part that a write changes meanwhile as it was before or after, and afterwards as it is', async () => {
    await all().insert(thing('a', { number: 0 }));
    for (let time = 1; time <= 50; time += 1) {
      const reads = [0, 1].map(() => of('o').getParts(['a'], fields));
      const written = all().update('a', {}, { set: { number: time } });
      for (const [part] of await Promise.all(reads)) expect([time - 1, time]).toContain(part?.number);
      await written;
      expect((await of('o').getParts(['a'], fields))[0]?.number).toBe(time);
    }
  });

  it('keeps of a long list what is searched for, and a short one for everybody', async () => {
    const long = Array.from({ length: 5000 }, (_, index) => `tag ${index}`);
    await all().insertNew([thing('long', { tags: long }), thing('short', { tags: ['tag 7', 'x'] }), thing('none')]);
    const ids = ['long', 'short', 'none'];
    const held = async (...names: string[]): Promise<string[]> => {
      const among = new Set(names);
      const parts = await of('o').getParts(ids, fields, { field: 'tags', among });
      return parts.filter(({ tags = [] }) => tags.some((tag) => among.has(String(tag)))).map(({ _id }) => _id);
    };
    expect(await held('tag 7')).toEqual(['long', 'short']);
    expect(await held('tag 4999', 'absent')).toEqual(['long']);
    expect(await held('x')).toEqual(['short']);
    expect(await held('absent')).toEqual([]);
    expect(await held()).toEqual([]);
    const among = new Set(['tag 7']);
    const [part] = await of('o').getParts(['long'], fields, { field: 'tags', among });
    expect(JSON.stringify(part).length).toBeLessThan(200);
  });
}
