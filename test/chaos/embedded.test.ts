import { isClean } from '../../scripts/chaos/checker.ts';
import { embeddedChaos } from '../../scripts/chaos/embedded.ts';
import { filmsUnavailable } from '../../scripts/chaos/slide-films.ts';
import { skipWithReason } from '../support/servers.ts';

const noFilms = await filmsUnavailable();
if (noFilms !== null) skipWithReason('films while the program is killed', noFilms);

it('the embedded program loses, duplicates and leaks nothing over repeated kills', async () => {
  const report = await embeddedChaos({
    documents: 30,
    recordings: 6,
    films: 2,
    kills: 4,
    lifetimeMs: [300, 1500],
    log: () => undefined,
  });
  expect(report).toMatchObject({
    documents: 30,
    films: noFilms === null ? 2 : 0,
    kills: 4,
    states: { ready: 30 },
    ledgerFaults: [],
    integrity: { 'records.db': 'ok', 'passages.db': 'ok' },
  });
  expect(isClean(report) ? 'clean' : report).toBe('clean');
});
