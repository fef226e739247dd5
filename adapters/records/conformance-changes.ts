import { thing, type Ground } from './conformance-ground.ts';

/** The part of the suite about changes of one document. */
export function changeConformance({ all, of }: Ground): void {
  it('changes fields at any depth', async () => {
    await all().insert(
      thing('a', {
        number: 1,
        flag: true,
        tags: ['x'],
        list: [
          { id: '1', n: 1 },
          { id: '2', n: 2 },
        ],
      }),
    );
    const changed = await all().update(
      'a',
      { number: 1 },
      {
        set: { 'inner.deep.more': 'made', name: 'new' },
        unset: ['flag', 'absent.path'],
        increment: { number: 2, 'inner.count': -1.5 },
        push: { tags: ['y', 7] },
        pullById: { list: ['1', '9'] },
      },
    );
    const expected = {
      _id: 'a',
      organizationId: 'o',
      name: 'new',
      number: 3,
      tags: ['x', 'y', 7],
      list: [{ id: '2', n: 2 }],
      inner: { deep: { more: 'made' }, count: -1.5 },
    };
    expect(changed).toEqual(expected);
    expect(await of('o').get('a')).toEqual(expected);
    expect(
      await all().update(
        'a',
        {},
        {
          push: {
            list: [
              { id: '3', n: 3 },
              { id: '4', n: 4 },
            ],
          },
        },
      ),
    ).toMatchObject({ list: [{ id: '2' }, { id: '3' }, { id: '4' }] });
    expect(await all().update('a', {}, { set: { inner: { text: 'whole' }, list: [] } })).toMatchObject({
      inner: { text: 'whole' },
      list: [],
    });
    expect(await all().update('a', {}, {})).toMatchObject({ name: 'new' });
    expect(await all().update('a', {}, { push: { list: [] } })).toMatchObject({ list: [] });
  });

  it('changes nothing if the filter does not match', async () => {
    await all().insert(thing('a', { number: 1 }));
    expect(await all().update('a', { number: 2 }, { set: { number: 5 } })).toBeNull();
    expect(await all().update('b', {}, { set: { number: 5 } })).toBeNull();
    expect(await all().update('a', { number: 2 }, {})).toBeNull();
    expect(await all().get('a')).toEqual(thing('a', { number: 1 }));
  });

  it('changes several documents at once, those that match', async () => {
    await all().insertNew(['a', 'b', 'c', 'd'].map((id, number) => thing(id, { number })));
    const changeOf = (id: string, number: number) => ({ id, filter: { number }, change: { set: { name: 'new' } } });
    expect(
      await all().updateAll([
        changeOf('a', 0),
        changeOf('b', 7),
        changeOf('x', 1),
        { ...changeOf('d', 3), change: {} },
      ]),
    ).toBe(2);
    expect(await of('o').updateAll([{ id: 'c', filter: {}, change: { increment: { number: 3 } } }])).toBe(1);
    expect(await of('p').updateAll([{ id: 'c', filter: {}, change: { increment: { number: 3 } } }])).toBe(0);
    expect(await all().updateAll([])).toBe(0);
    expect(await all().getMany(['a', 'b', 'c', 'd'])).toEqual([
      thing('a', { number: 0, name: 'new' }),
      thing('b', { number: 1 }),
      thing('c', { number: 5 }),
      thing('d', { number: 3 }),
    ]);
    // A key that another document has is refused, as alone.
    await all().update('a', {}, { set: { key: 'k' } });
    await expect(
      all().updateAll([
        { id: 'b', filter: {}, change: { set: { key: 'k' } } },
        { id: 'd', filter: {}, change: { set: { key: 'l' } } },
      ]),
    ).rejects.toMatchObject({ index: 'key' });
    // A change that no store can do is refused before any is made.
    await expect(
      all().updateAll([
        { id: 'c', filter: {}, change: { set: { name: 'newer' } } },
        { id: 'd', filter: {}, change: { set: { _id: 'e' } } },
      ]),
    ).rejects.toThrow('cannot be changed');
    expect(await all().get('c')).toEqual(thing('c', { number: 5 }));
  });

  it('refuses changes that not every store supports', async () => {
    await all().insert(thing('a', { number: 1, inner: null, tags: ['x'] }));
    await expect(all().update('a', {}, { set: { 'inner.text': 'x', inner: {} } })).rejects.toThrow('at once');
    await expect(all().update('a', {}, { set: { number: 1 }, increment: { number: 1 } })).rejects.toThrow('at once');
    await expect(all().update('a', {}, { set: { _id: 'b' } })).rejects.toThrow('cannot be changed');
    await expect(all().update('a', {}, { push: { number: ['x'] } })).rejects.toThrow();
    await expect(all().update('a', {}, { increment: { name: 1 } })).rejects.toThrow();
    expect(await all().get('a')).toEqual(thing('a', { number: 1, inner: null, tags: ['x'] }));
  });

  it('allows exactly one of fifty concurrent claims', async () => {
    await all().insert(thing('a', { number: 0 }));
    for (let turn = 0; turn < 5; turn += 1) {
      const won = await Promise.all(
        Array.from({ length: 50 }, (_, claimer) =>
          all().update('a', { number: turn }, { set: { 'inner.count': claimer }, increment: { number: 1 } }),
        ),
      );
      const winners = won.filter((document) => document !== null);
      expect(winners.length).toBe(1);
      expect(await all().get('a')).toEqual(winners[0]);
    }
  });

  it('loses no concurrent increments, although other changes fail', async () => {
    await all().insert(thing('a', { number: 0 }));
    const work = Array.from({ length: 120 }, (_, i) =>
      i % 3 === 2
        ? all()
            .insert(thing('a'))
            .then(
              () => 'inserted',
              (error: Error) => error.name,
            )
        : all()
            .update('a', {}, { increment: { number: 1 } })
            .then((document) => typeof document?.number),
    );
    const outcomes = await Promise.all(work);
    expect(outcomes.filter((outcome) => outcome === 'DuplicateRecord').length).toBe(40);
    expect(outcomes.filter((outcome) => outcome === 'number').length).toBe(80);
    expect((await all().get('a'))?.number).toBe(80);
  });

  it('allows exactly one of fifty inserts of a unique key', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        all()
          .insert(thing(`t${i}`, { key: 'one' }))
          .then(
            () => 'in',
            (error: { index?: string }) => error.index,
          ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'in').length).toBe(1);
    expect(outcomes.filter((outcome) => outcome === 'key').length).toBe(49);
    expect(await all().count({})).toBe(1);
  });
}
