import { connectors, type Connector } from '../../../models/connector.ts';
import { systemScope } from '../../../models/scope.ts';
import { syncCandidates } from '../../../models/sync.ts';
import { testHouse } from '../../../test/support/house.ts';
import { freshState } from './progress.ts';
import { sweepCandidates } from './sweep-candidates.ts';

function connector(id: string, syncId: string | null): Connector {
  const sync = syncId === null ? null : { syncId, token: 1, owner: 'dead', until: 0, startedAt: 0, putOff: 0, ...freshState() };
  return {
    _id: id, organizationId: 'o', accountId: 'a', name: id, source: { kind: 'canvas', config: { baseUrl: 'https://source.example' } }, sealedCredential: null, schedule: 'manual', enabled: true, defaultAclMode: 'open',
    extractContentFromVideoFrames: null, requestedAt: null, sync, lastRunAt: null, lastError: null, lastSummary: null, failures: [], createdAt: 0, updatedAt: 0, version: 1,
  };
}

it('removes what a killed sync had put off whose connector is gone or has another sync, and nothing else', async () => {
  const { house, close } = await testHouse();
  try {
    const [rows, all] = [house.records.collection(syncCandidates, systemScope), house.records.collection(connectors, systemScope)];
    await all.insert(connector('running', 'sync-1'));
    await all.insert(connector('ended', null));
    await all.insert(connector('anew', 'sync-4'));
    const put = (syncId: string, connectorId: string, count: number): Promise<unknown> => rows.insertNew(Array.from({ length: count }, (_, at) => (
      { _id: `${syncId}/c/m/${at}`, organizationId: 'o', connectorId, syncId, contentId: 'c', place: `p${at}`, fate: { kind: 'm' as const, assetId: `${at}`, externalId: `p${at}` } }
    )));
    await put('sync-1', 'running', 3);
    await put('sync-2', 'ended', 2);
    await put('sync-3', 'anew', 2);
    await put('sync-4', 'anew', 4);
    await put('sync-5', 'deleted', 1500);
    expect(await sweepCandidates(house)).toBe(1504);
    expect((await rows.find({ filter: { _id: { $gt: '' } }, sort: [['_id', 1]], limit: 100 })).map(({ syncId }) => syncId)).toEqual([...Array(3).fill('sync-1'), ...Array(4).fill('sync-4')]);
    expect(await sweepCandidates(house)).toBe(0);
  } finally {
    await close();
  }
});
