import { objectChaos } from '../../scripts/chaos/objects/embedded.ts';
import { isTrafficRight } from '../../scripts/chaos/objects/traffic.ts';

it('answered changes of objects, and the bytes of downloads, survive repeated kills of the embedded program', async () => {
  const { faults, integrity, kills, changes, traffic } = await objectChaos({
    kills: 3,
    lifetimeMs: [900, 2000],
    log: () => undefined,
  });
  expect(faults).toEqual([]);
  expect({ kills, integrity }).toEqual({ kills: 3, integrity: { 'records.db': 'ok', 'passages.db': 'ok' } });
  expect(isTrafficRight(traffic) ? 'right' : traffic).toBe('right');
  // Every kind of change was made.
  expect(Object.entries(changes).filter(([, count]) => count === 0)).toEqual([]);
}, 240_000);
