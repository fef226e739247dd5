import type { Caller } from '../../../models/api.ts';
import type { DomainView } from '../../../models/domain.ts';
import type { DomainPage } from '../../../models/schemas/domains.ts';
import { readTimeCursor, timePage } from '../time-cursor.ts';
import type { Storage } from '../tools.ts';
import { domainsOf, findDomain } from './tools.ts';
import { domainView } from './view.ts';

/** One domain. @throws Refusal `domain_not_found` */
export async function readDomain({ app }: Storage, caller: Caller, domainId: string): Promise<DomainView> {
  return domainView(app, await findDomain(app, caller.organizationId, domainId));
}

/** A page of the organization's domains, oldest first. @throws Refusal `validation_error` for a bad cursor */
export async function listDomains(
  { app }: Storage,
  { organizationId }: Caller,
  { bucketId, cursor, limit }: DomainPage,
): Promise<{ items: DomainView[]; nextCursor: string | null }> {
  const found = await domainsOf(app, organizationId).find({
    filter: { listedAt: { $exists: true }, ...(bucketId === null ? {} : { bucketId }) },
    sort: [
      ['listedAt', 1],
      ['_id', 1],
    ],
    limit: limit + 1,
    ...(cursor === null ? {} : { after: readTimeCursor(cursor) }),
  });
  return timePage(found, limit, (domain) => domainView(app, domain));
}
