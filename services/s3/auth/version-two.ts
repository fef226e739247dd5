import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parameter, type S3Address } from '../protocol/address.ts';
import { Fault } from '../protocol/faults.ts';
import { subresources } from '../protocol/subresources.ts';
import { headersOfLink } from './link-parameters.ts';
import { headerValue, unsupportedMechanism } from './sent-signature.ts';

/** What a link of Signature Version 2 says of its signature. */
export interface SentVersionTwo {
  accessKeyId: string;
  /** Base64 of 20 bytes. */
  signature: string;
  /** As sent: seconds since 1970. */
  expires: string;
}

/** Reads the signature of a link of Version 2; null where the query has none. @throws Fault */
export function readVersionTwo(address: S3Address): SentVersionTwo | null {
  const accessKeyId = parameter(address, 'AWSAccessKeyId');
  if (accessKeyId === null) return null;
  const [signature, expires] = [parameter(address, 'Signature'), parameter(address, 'Expires')];
  if (signature === null || expires === null)
    throw new Fault('AccessDenied', {
      message: 'Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters',
    });
  if (!/^[A-Za-z0-9+/]{27}=$/.test(signature)) throw new Fault('InvalidRequest', { message: unsupportedMechanism });
  if (!/^\d{1,12}$/.test(expires))
    throw new Fault('AccessDenied', { message: `Invalid date (should be seconds since epoch): ${expires}` });
  return { accessKeyId, signature, expires };
}

/** Parameters besides the sub-resources that are signed. */
const signedParameter = /^(?:partNumber|versionId|response-.+)$/;

/** The path with the bucket in front, whatever style the address has, and the parameters that are signed. */
function canonicalResource({ path, query, bucket, isVirtualHost }: S3Address, end: string): string {
  const signed = query
    .filter(([name]) => subresources.has(name) || signedParameter.test(name))
    .sort(([name], [other]) => (name < other ? -1 : name > other ? 1 : 0))
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`));
  return `${isVirtualHost ? `/${bucket ?? ''}` : ''}${path}${end}${signed.length === 0 ? '' : `?${signed.join('&')}`}`;
}

/** The `x-amz-` headers of a link, whether they are sent or stand in its query, a line each. */
function canonicalHeaders(request: IncomingMessage, address: S3Address): string {
  const { headers } = request;
  const sent = Object.keys(headers).filter((name) => name.startsWith('x-amz-'));
  const inQuery = headersOfLink(address).filter(([name]) => headers[name] === undefined);
  // A line break or a colon would let whoever holds a link divide one signed header into others.
  if (inQuery.some(([name, value]) => !/^[a-z0-9-]+$/.test(name) || /[\u0000-\u001f\u007f]/.test(value)))
    throw new Fault('InvalidRequest', { message: 'A header in the query of a link is not valid.' });
  return [...sent.map((name) => [name, headerValue(request, name)] as const), ...inQuery]
    .sort(([name], [other]) => (name < other ? -1 : 1))
    .map(([name, value]) => `${name}:${value.trim()}\n`)
    .join('');
}

/**
 * The texts that the signature of a link of Version 2 may sign: clients end a bucket's path with a slash, or do not.
 * @throws Fault `InvalidRequest`
 */
export function versionTwoTexts(request: IncomingMessage, address: S3Address, expires: string): string[] {
  const { method = 'GET' } = request;
  const lines = [method, headerValue(request, 'content-md5'), headerValue(request, 'content-type'), expires];
  const head = `${lines.join('\n')}\n${canonicalHeaders(request, address)}`;
  const ends = address.path.endsWith('/') || address.key !== null ? [''] : ['', '/'];
  return ends.map((end) => `${head}${canonicalResource(address, end)}`);
}

/** A signature of Version 2, of a link or of a form's policy: HMAC-SHA1 in base64. */
export function versionTwoSignature(secret: string, text: string): string {
  return createHmac('sha1', secret).update(text).digest('base64');
}
