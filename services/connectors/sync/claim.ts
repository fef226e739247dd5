import type { Collection } from '../../../adapters/records/port.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import type { Connector, SyncRun } from '../../../models/connector.ts';
import { claimLease } from '../../../models/lease.ts';
import { syncLease, type LeaseTerms } from './leased-sync.ts';
import { freshState } from './progress.ts';

/**
 * Claims a due sync: starts a requested one, or takes over one with an expired lease, from its last checkpoint. Returns
 * the connector with the sync leased by this process; null where there is nothing to claim.
 */
export async function claim(
  app: Pick<AppContext, 'nodeId' | 'runtime'>,
  collection: Collection<Connector>,
  connector: Connector,
  { leaseMs, time }: LeaseTerms,
): Promise<Connector | null> {
  const { _id: id, sync, requestedAt, version, syncDue } = connector;
  const now = time();
  const until = now + leaseMs;
  if (sync === null) {
    const unclaimed = { version, requestedAt, 'sync.syncId': null, syncDue: syncDue ?? null };
    if (requestedAt === null || !connector.enabled) {
      await collection.update(id, unclaimed, { unset: ['syncDue'] });
      return null;
    }
    const run: SyncRun = {
      syncId: app.runtime.uuid(),
      token: 1,
      owner: app.nodeId,
      until,
      startedAt: app.runtime.now(),
      ...freshState(),
      putOff: 0,
    };
    return collection.update(
      id,
      { ...unclaimed, enabled: true },
      { set: { sync: run, requestedAt: null, syncDue: until }, unset: ['isFromEvents'] },
    );
  }
  const asRead = { 'sync.syncId': sync.syncId, 'sync.until': sync.until };
  const claimed = claimLease(syncLease, connector, { owner: app.nodeId, now, durationMs: leaseMs });
  if (claimed === null) {
    await collection.update(id, { ...asRead, 'sync.token': sync.token }, { set: { syncDue: sync.until } });
    return null;
  }
  return collection.update(id, { ...asRead, ...claimed.filter }, { set: claimed.set });
}
