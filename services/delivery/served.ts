import type { Served } from '../../models/traffic.ts';
import type { Edge } from './edge.ts';
import { queryOf, type Delivery } from './exchange.ts';
import { decodedOnce } from '../../models/links/target.ts';

/** What is counted of a response that is over; null for those of unknown hosts, and where there was none. */
export function servedBy(edge: Pick<Edge, 'countryOf'>, delivery: Delivery, at: number): Served | null {
  const { site, status, bytes, cache, target, path, isLinkValid } = delivery;
  if (site === null || status === 0) return null;
  return {
    organizationId: site.bucket.organizationId,
    bucketId: site.bucket._id,
    at,
    status,
    bytes,
    country: edge.countryOf(delivery),
    cache,
    key: path?.key ?? rawKey(target),
    query: queryOf(target),
    isLinkValid,
  };
}

/** The key of a target that no object can have: decoded as far as it can be. */
function rawKey(target: string): string {
  const mark = target.indexOf('?');
  const raw = target.slice(1, mark < 0 ? undefined : mark);
  return decodedOnce(raw) ?? raw;
}
