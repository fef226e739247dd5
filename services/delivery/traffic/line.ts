import type { Served } from '../../../models/traffic.ts';

/** Keys and queries are kept up to these lengths: dimension rules look at no more. */
const maxKeyLength = 2048;
const maxQueryLength = 4096;
/** Parts of a link that open a file or name its reader: they are kept nowhere. */
const secretParameters = /(?:^|&)(?:token|expires|kid|ip)=[^&]*/g;

function queryWithoutLink(query: string): string {
  if (query === '') return '';
  const kept = query.replace(secretParameters, '');
  return (kept.startsWith('&') ? kept.slice(1) : kept).slice(0, maxQueryLength);
}

/** A response as one line of a batch: JSON, with a line feed. */
export function lineOf({ organizationId, bucketId, isLinkValid, cache, ...served }: Served): string {
  return `${JSON.stringify([
    organizationId,
    bucketId,
    served.at,
    served.status,
    served.bytes,
    served.country,
    cache === null ? null : cache === 'hit' ? 'h' : 'm',
    served.key.slice(0, maxKeyLength),
    queryWithoutLink(served.query),
    isLinkValid ? 1 : 0,
  ])}\n`;
}

const hourMs = 3_600_000;

/** A line that says that responses of a bucket in an hour were lost: one is enough for each bucket and hour. */
export function lossOf({ organizationId, bucketId, at }: Served): { key: string; line: string } {
  const hour = at - (at % hourMs);
  return { key: `${bucketId}:${hour}`, line: `${JSON.stringify([organizationId, bucketId, hour])}\n` };
}
