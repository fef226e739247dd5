import type { IncomingMessage } from 'node:http';
import type { S3Address } from '../protocol/address.ts';
import { asHeader } from '../protocol/details.ts';

/** Parameters of links that say how they are signed, or that are read from the query. */
const own =
  /^x-amz-(?:algorithm|content-sha256|credential|date|expires|security-token|signature|signedheaders|sdk-checksum-algorithm|checksum-(?!algorithm$|type$|mode$).*)$/;

/** Names, in lower case, and values of the parameters of a link that stand for headers. */
export function headersOfLink({ query }: Pick<S3Address, 'query'>): [name: string, value: string][] {
  return query
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => name.startsWith('x-amz-') && !own.test(name));
}

/**
 * Makes headers of the parameters of a signed link that stand for them: whoever signs a link puts metadata, tags and the
 * like into its query, so that whoever uses it need not send them. A header that was sent stays as it is.
 */
export function takeHeadersOfLink({ headers }: Pick<IncomingMessage, 'headers'>, address: S3Address): void {
  for (const [name, value] of headersOfLink(address)) headers[name] ??= asHeader(value);
}
