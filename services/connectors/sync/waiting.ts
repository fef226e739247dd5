import type { Collection, Filter } from '../../../adapters/records/port.ts';
import type { Asset } from '../../../models/asset.ts';
import type { SyncRun } from '../../../models/connector.ts';
import { sourceErrorCodes, transientErrorCodes } from '../../../models/sync.ts';

/** Milliseconds before a job with a transient error is retried: its file may be what crashes workers. */
const retryAfterMs = 3_600_000;

function presentFiles(connectorId: string): Filter {
  return { deletedAt: null, connectorId, sourceMissingSince: null };
}

/**
 * Filters of a connector's files whose jobs a sync retries: they wait for access, or failed for a reason outside the
 * file. Jobs that started during this sync are not retried. Each filter uses the index of job states, so healthy files
 * cost nothing.
 */
export function retryFilters(connectorId: string, { startedAt }: Pick<SyncRun, 'startedAt'>): Filter[] {
  const failed = { ...presentFiles(connectorId), 'run.state': 'failed', 'run.createdAt': { $lt: startedAt } };
  return [
    { ...presentFiles(connectorId), 'run.state': 'awaiting_source_access' },
    { ...failed, 'run.errorCode': { $in: [...sourceErrorCodes] } },
    {
      ...failed,
      'run.errorCode': { $in: [...transientErrorCodes] },
      'run.updatedAt': { $lt: startedAt - retryAfterMs },
    },
  ];
}

/** Whether a file of the connector could not be read from its source at the last attempt. @throws StoreUnavailable */
export async function waitsForSource(assets: Collection<Asset>, connectorId: string): Promise<boolean> {
  const filters: Filter[] = [
    { 'run.state': 'awaiting_source_access' },
    { 'run.state': 'failed', 'run.errorCode': { $in: [...sourceErrorCodes] } },
  ];
  for (const filter of filters)
    if ((await assets.pick({ filter: { ...presentFiles(connectorId), ...filter }, limit: 1 }, ['_id'])).length > 0)
      return true;
  return false;
}
