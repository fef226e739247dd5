import type { Caller } from '../../../models/api.ts';
import type { DomainView } from '../../../models/domain.ts';
import { invalid } from '../../../models/errors.ts';
import type { DomainPage } from '../../../models/schemas/domains.ts';
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
    ...(cursor === null ? {} : { after: readCursor(cursor) }),
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((domain) => domainView(app, domain)),
    nextCursor:
      found.length > page.length && last !== undefined
        ? Buffer.from(JSON.stringify([last.createdAt, last._id])).toString('base64url')
        : null,
  };
}

function readCursor(cursor: string): [number, string] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(parsed) && parsed.length === 2 && Number.isInteger(parsed[0]) && typeof parsed[1] === 'string')
      return [Number(parsed[0]), parsed[1]];
  } catch {
    // Not JSON: answered like every other malformed cursor.
  }
  throw invalid(['query', 'cursor'], 'Send the nextCursor of the page before, as it was answered.');
}
