import { changesChaos } from '../../scripts/chaos/changes.ts';

it('what was answered holds when a library is changed in every way and the embedded program is killed again and again', async () => {
  const { faults, integrity, changes, kills } = await changesChaos({
    kills: 3,
    life: [700, 1800],
    log: () => undefined,
  });
  expect(faults).toEqual([]);
  expect({ kills, integrity }).toEqual({ kills: 3, integrity: { 'records.db': 'ok', 'passages.db': 'ok' } });
  // Nothing is proven by changes that were not made.
  expect(changes).toEqual({
    import: expect.any(Number),
    replace: expect.any(Number),
    permissions: expect.any(Number),
    metadata: expect.any(Number),
    remove: expect.any(Number),
    reindex: expect.any(Number),
    cancel: expect.any(Number),
  });
});
