import { isClean } from '../../scripts/chaos/checker.ts';
import { embeddedChaos } from '../../scripts/chaos/embedded.ts';

it('nothing is lost, doubled or leaked when the embedded program is killed again and again', async () => {
  const report = await embeddedChaos({
    documents: 30,
    recordings: 6,
    kills: 4,
    life: [300, 1500],
    log: () => undefined,
  });
  expect(report).toMatchObject({
    documents: 30,
    kills: 4,
    states: { ready: 30 },
    integrity: { 'records.db': 'ok', 'passages.db': 'ok' },
  });
  expect(isClean(report) ? 'clean' : report).toBe('clean');
});
