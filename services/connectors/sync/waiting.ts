import type { Collection, Filter } from '../../../adapters/records/port.ts';
import type { Asset } from '../../../models/asset.ts';
import type { SyncRun } from '../../../models/connector.ts';
import { faultsOfSource, passingFaults } from '../../../models/sync.ts';

/** A file whose reading ended through no fault of its own or its source's may be what ends workers: it rests so long, in milliseconds. */
const restMs = 3_600_000;

function there(connectorId: string): Filter {
  return { deletedAt: null, connectorId, sourceMissingSince: null };
}

/**
 * Files of a connector whose jobs a sync tries again: they wait for access, or ended for a reason that does not lie in the
 * file. What began in this sync has had its try. Each filter is answered from the index of job states, so files that are
 * well cost nothing.
 */
export function triedAgain(connectorId: string, { startedAt }: Pick<SyncRun, 'startedAt'>): Filter[] {
  const failed = { ...there(connectorId), 'run.state': 'failed', 'run.createdAt': { $lt: startedAt } };
  return [
    { ...there(connectorId), 'run.state': 'awaiting_source_access' },
    { ...failed, 'run.errorCode': { $in: [...faultsOfSource] } },
    { ...failed, 'run.errorCode': { $in: [...passingFaults] }, 'run.updatedAt': { $lt: startedAt - restMs } },
  ];
}

/** Whether a file of the connector could not be read from its source the last time. @throws StoreUnavailable */
export async function waitsForSource(assets: Collection<Asset>, connectorId: string): Promise<boolean> {
  const filters: Filter[] = [{ 'run.state': 'awaiting_source_access' }, { 'run.state': 'failed', 'run.errorCode': { $in: [...faultsOfSource] } }];
  for (const filter of filters) if ((await assets.pick({ filter: { ...there(connectorId), ...filter }, limit: 1 }, ['_id'])).length > 0) return true;
  return false;
}
