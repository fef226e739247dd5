import type { Caller } from '../../../models/api.ts';
import { Refusal } from '../../../models/errors.ts';
import type { PurgeView } from '../../../models/purge.ts';
import type { PurgePage } from '../../../models/schemas/purges.ts';
import { readTimeCursor, timePage } from '../time-cursor.ts';
import type { Storage } from '../tools.ts';
import { purgesOf, purgeView } from './view.ts';

/** One purge. @throws Refusal `purge_not_found` */
export async function readPurge({ app }: Storage, { organizationId }: Caller, purgeId: string): Promise<PurgeView> {
  const purge = await purgesOf(app, organizationId).get(purgeId);
  if (purge === null) throw new Refusal('purge_not_found');
  return purgeView(purge);
}

/** A page of the organization's purges, newest first. @throws Refusal `validation_error` for a bad cursor */
export async function listPurges(
  { app }: Storage,
  { organizationId }: Caller,
  { bucketId, cursor, limit }: PurgePage,
): Promise<{ items: PurgeView[]; nextCursor: string | null }> {
  const found = await purgesOf(app, organizationId).find({
    filter: bucketId === null ? {} : { bucketId },
    sort: [
      ['createdAt', -1],
      ['_id', -1],
    ],
    limit: limit + 1,
    ...(cursor === null ? {} : { after: readTimeCursor(cursor) }),
  });
  return timePage(found, limit, purgeView);
}
