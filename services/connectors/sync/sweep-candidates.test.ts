import { connectors, type Connector } from '../../../models/connector.ts';
import { systemScope } from '../../../models/scope.ts';
import { syncCandidates } from '../../../models/sync.ts';
import { testApp } from '../../../test/support/app.ts';
import { freshState } from './progress.ts';
import { sweepCandidates } from './sweep-candidates.ts';

function connector(id: string, syncId: string | null): Connector {
  const sync =
    syncId === null ? null : { syncId, token: 1, owner: 'dead', until: 0, startedAt: 0, putOff: 0, ...freshState() };
  return {
    _id: id,
    organizationId: 'o',
    accountId: 'a',
    name: id,
    source: { kind: 'canvas', config: { baseUrl: 'https://source.example' } },
    sealedCredential: null,
    schedule: 'manual',
    enabled: true,
    defaultAclMode: 'open',
    extractContentFromVideoFrames: null,
    requestedAt: null,
    sync,
    lastRunAt: null,
    lastError: null,
    lastSummary: null,
    failures: [],
    createdAt: 0,
    updatedAt: 0,
    version: 1,
  };
}

it('removes the candidates of a killed sync whose connector was deleted or has another sync, and no others', async () => {
  const { app, close } = await testApp();
  try {
    const [rows, all] = [
      app.records.collection(syncCandidates, systemScope),
      app.records.collection(connectors, systemScope),
    ];
    await all.insert(connector('running', 'sync-1'));
    await all.insert(connector('ended', null));
    await all.insert(connector('anew', 'sync-4'));
    const put = (syncId: string, connectorId: string, count: number): Promise<unknown> =>
      rows.insertNew(
        Array.from({ length: count }, (_, at) => ({
          _id: `${syncId}/c/m/${at}`,
          organizationId: 'o',
          connectorId,
          syncId,
          contentId: 'c',
          place: `p${at}`,
          fate: { kind: 'm' as const, assetId: `${at}`, externalId: `p${at}` },
        })),
      );
    await put('sync-1', 'running', 3);
    await put('sync-2', 'ended', 2);
    await put('sync-3', 'anew', 2);
    await put('sync-4', 'anew', 4);
    await put('sync-5', 'deleted', 1500);
    expect(await sweepCandidates(app)).toBe(1504);
    expect(
      (await rows.find({ filter: { _id: { $gt: '' } }, sort: [['_id', 1]], limit: 100 })).map(({ syncId }) => syncId),
    ).toEqual([...Array(3).fill('sync-1'), ...Array(4).fill('sync-4')]);
    expect(await sweepCandidates(app)).toBe(0);
  } finally {
    await close();
  }
});
