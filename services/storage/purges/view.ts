import type { Collection } from '../../../adapters/records/port.ts';
import { purges, type Purge, type PurgeView } from '../../../models/purge.ts';
import { isoTime } from '../../../models/runtime.ts';
import { scopeOf } from '../../../models/scope.ts';
import type { StorageContext } from '../tools.ts';

/** The purges of one organization. */
export function purgesOf({ records }: Pick<StorageContext, 'records'>, organizationId: string): Collection<Purge> {
  return records.collection(purges, scopeOf(organizationId));
}

/** A purge as the API shows it. */
export function purgeView(purge: Purge): PurgeView {
  const { _id, bucketId, bucketName, scope, targets, state, failureReason, requestedBy } = purge;
  return {
    id: _id,
    bucketId,
    bucketName,
    scope,
    targets,
    state,
    failureReason,
    requestedBy,
    createdAt: isoTime(purge.createdAt),
    startedAt: isoTime(purge.startedAt),
    completedAt: isoTime(purge.completedAt),
  };
}
