import { changesChaos } from '../../scripts/chaos/changes.ts';

it('answered changes of a library survive repeated kills of the embedded program', async () => {
  const { faults, integrity, changes, kills } = await changesChaos({
    kills: 3,
    lifetimeMs: [700, 1800],
    log: () => undefined,
  });
  expect(faults).toEqual([]);
  expect({ kills, integrity }).toEqual({ kills: 3, integrity: { 'records.db': 'ok', 'passages.db': 'ok' } });
  // Every kind of change was made.
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
