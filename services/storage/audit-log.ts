import type { Caller } from '../../models/api.ts';
import { auditLog, type AuditLogView } from '../../models/audit-log.ts';
import { readCursor, writeCursor } from '../../models/cursor.ts';
import { isoTime } from '../../models/runtime.ts';
import type { auditLogQuery } from '../../models/schemas/delivery-analytics.ts';
import type { Shape } from '../../models/schemas/schema.ts';
import { scopeOf } from '../../models/scope.ts';
import { checkPeriod } from '../../models/utc-days.ts';
import type { Storage } from './tools.ts';

const dayMs = 86_400_000;

function isPlace(place: readonly unknown[]): place is [at: number, id: string] {
  const [at, id] = place;
  return place.length === 2 && typeof at === 'number' && typeof id === 'string';
}

/** A page of an organization's audit log, newest first. @throws Refusal `validation_error`; StoreUnavailable */
export async function listAuditLog(
  { app }: Pick<Storage, 'app'>,
  { organizationId }: Pick<Caller, 'organizationId'>,
  { from, to, action, resourceId, cursor, limit }: Shape<typeof auditLogQuery>,
): Promise<AuditLogView> {
  if (from !== undefined && to !== undefined) checkPeriod({ from, to }, Infinity);
  const after = cursor === undefined ? null : readCursor(cursor, isPlace);
  const found = await app.records.collection(auditLog, scopeOf(organizationId)).find({
    filter: {
      ...(action === undefined ? {} : { action }),
      ...(resourceId === undefined ? {} : { resourceId }),
      ...(from === undefined && to === undefined
        ? {}
        : {
            at: {
              ...(from === undefined ? {} : { $gte: from * dayMs }),
              ...(to === undefined ? {} : { $lt: (to + 1) * dayMs }),
            },
          }),
    },
    sort: [
      ['at', -1],
      ['_id', -1],
    ],
    // One more shows whether there is another page.
    limit: limit + 1,
    ...(after === null ? {} : { after }),
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(({ at, actor, action: done, resourceKind, resourceId: resource, detail, ip }) => ({
      at: isoTime(at),
      actor,
      action: done,
      resourceKind,
      resourceId: resource,
      detail,
      ip,
    })),
    nextCursor: last !== undefined && found.length > limit ? writeCursor([last.at, last._id]) : null,
  };
}
