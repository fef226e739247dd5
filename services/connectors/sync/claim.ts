import type { Collection } from '../../../adapters/records/port.ts';
import type { House } from '../../../mixins/house.ts';
import type { Connector, SyncRun } from '../../../models/connector.ts';
import type { LeaseTerms } from './held-sync.ts';
import { freshState } from './progress.ts';

/**
 * Takes a sync that is due: begins the one that was asked for, or takes over one whose lease has run out, where its last
 * checkpoint stands. Answers the connector with the sync in this process's hands; null where there is nothing to take.
 */
export async function claim(house: Pick<House, 'nodeId' | 'ambient'>, collection: Collection<Connector>, connector: Connector, { leaseMs, time }: LeaseTerms): Promise<Connector | null> {
  const { _id: id, sync, requestedAt, version, syncDue } = connector;
  const now = time();
  const until = now + leaseMs;
  if (sync === null) {
    const unclaimed = { version, requestedAt, 'sync.syncId': null, syncDue: syncDue ?? null };
    if (requestedAt === null || !connector.enabled) {
      await collection.update(id, unclaimed, { unset: ['syncDue'] });
      return null;
    }
    const run: SyncRun = { syncId: house.ambient.uuid(), token: 1, owner: house.nodeId, until, startedAt: house.ambient.now(), ...freshState(), putOff: 0 };
    return collection.update(id, { ...unclaimed, enabled: true }, { set: { sync: run, requestedAt: null, syncDue: until }, unset: ['isFromEvents'] });
  }
  const held = { 'sync.syncId': sync.syncId, 'sync.token': sync.token, 'sync.until': sync.until };
  if (sync.until > now) {
    await collection.update(id, held, { set: { syncDue: sync.until } });
    return null;
  }
  return collection.update(id, held, { set: { 'sync.token': sync.token + 1, 'sync.owner': house.nodeId, 'sync.until': until, syncDue: until } });
}
