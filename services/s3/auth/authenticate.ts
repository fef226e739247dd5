import type { IncomingMessage } from 'node:http';
import { timingSafeEqual, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { hasBody } from '../../../mixins/http/body.ts';
import type { DoorCredential, DoorCredentials } from '../../../mixins/storage/door-credentials.ts';
import type { Access } from '../door.ts';
import { parameter, type S3Address } from '../protocol/address.ts';
import { badArgument, Fault } from '../protocol/faults.ts';
import { emptyHash, scopeText, signatureOf, signingKey, stringToSign, type Scope } from './canonical.ts';
import { takeHeadersOfLink } from './link-parameters.ts';
import { headerValue, readHeader, readQuery, timeOf, wrongRegion, type SentSignature } from './sent-signature.ts';
import { readVersionTwo, versionTwoSignature, versionTwoTexts, type SentVersionTwo } from './version-two.ts';

/** How far the time of a request may be from ours, in milliseconds. */
const maxSkewMs = 15 * 60_000;
/** The payload of a request whose body is not signed. */
export const unsignedPayload = 'UNSIGNED-PAYLOAD';
const payloadForm =
  /^(?:[0-9a-f]{64}|UNSIGNED-PAYLOAD|STREAMING-UNSIGNED-PAYLOAD-TRAILER|STREAMING-AWS4-HMAC-SHA256-PAYLOAD(?:-TRAILER)?)$/;

/** What a request is authenticated with. */
export interface Authentication {
  credentials: Pick<DoorCredentials, 'withAccessKey'>;
  /** Regions that signatures may name. */
  regions: readonly string[];
  now: number;
}

/** Signing keys of credentials by day and region: deriving one takes as long as the rest of the check. */
const keys = new LRUCache<string, KeyObject>({ max: 5000 });

/** The key that a credential signs with. */
export function keyOf({ id, secret }: DoorCredential, scope: Scope): KeyObject {
  const name = `${id} ${scopeText(scope)}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = signingKey(secret, scope);
  keys.set(name, key);
  return key;
}

/** @throws Fault `AccessDenied` where headers that change the request are not signed */
function requireSigned({ headers }: IncomingMessage, signed: ReadonlySet<string>): void {
  if (!signed.has('host')) throw new Fault('AccessDenied', { message: 'The header host must be signed.' });
  const open = Object.keys(headers).filter((name) => name.startsWith('x-amz-') && !signed.has(name));
  if (open.length > 0)
    throw new Fault('AccessDenied', {
      message: 'There were headers present in the request which were not signed',
      elements: { HeadersNotSigned: open.join(', ') },
    });
}

/** @param sent how the link says until when it may be used */
function expired(until: number, now: number, sent: { [name: string]: string }): Fault {
  const elements = { ...sent, Expires: new Date(until).toISOString(), ServerTime: new Date(now).toISOString() };
  return new Fault('AccessDenied', { message: 'Request has expired.', elements });
}

function requireTime({ time, expires }: SentSignature, now: number): void {
  const signedAt = timeOf(time) ?? 0;
  if (expires === null ? Math.abs(now - signedAt) > maxSkewMs : signedAt - now > maxSkewMs)
    throw new Fault('RequestTimeTooSkewed');
  if (expires !== null && now > signedAt + expires * 1000)
    throw expired(signedAt + expires * 1000, now, { 'X-Amz-Expires': String(expires) });
}

/** Whether two signatures are equal, in a time that does not depend on where they differ. */
export function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** What stands for the body in the signature. */
function payloadOf({ headers }: IncomingMessage, address: S3Address, { expires }: SentSignature): string {
  const sent =
    headers['x-amz-content-sha256'] ?? (expires === null ? null : parameter(address, 'X-Amz-Content-Sha256'));
  if (typeof sent === 'string') {
    if (!payloadForm.test(sent))
      throw badArgument(
        'x-amz-content-sha256',
        'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD, STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER or a valid sha256 value.',
        sent,
      );
    return sent;
  }
  if (expires !== null) return unsignedPayload;
  throw new Fault('InvalidRequest', { message: 'Missing required header for this request: x-amz-content-sha256' });
}

/** The fault of a body that is another than was signed. */
export function otherPayload(signed: string, computed: string): Fault {
  return new Fault('XAmzContentSHA256Mismatch', {
    elements: { ClientComputedContentSHA256: signed, S3ComputedContentSHA256: computed },
  });
}

/** The usable credential with an access key id. @throws Fault `InvalidAccessKeyId`; StoreUnavailable */
export async function checkCredential(
  { credentials }: Pick<Authentication, 'credentials'>,
  accessKeyId: string,
): Promise<DoorCredential> {
  const credential = await credentials.withAccessKey(accessKeyId);
  if (credential === null) throw new Fault('InvalidAccessKeyId', { elements: { AWSAccessKeyId: accessKeyId } });
  return credential;
}

/**
 * Checks a link of Signature Version 2, which several clients make unless they are told otherwise. Its body is not signed.
 * @throws Fault; StoreUnavailable
 */
async function authenticateVersionTwo(
  { credentials, now }: Pick<Authentication, 'credentials' | 'now'>,
  request: IncomingMessage,
  address: S3Address,
  { accessKeyId, signature, expires }: SentVersionTwo,
): Promise<Access> {
  if (now > Number(expires) * 1000) throw expired(Number(expires) * 1000, now, {});
  const credential = await checkCredential({ credentials }, accessKeyId);
  const texts = versionTwoTexts(request, address, expires);
  if (!texts.some((text) => isSame(versionTwoSignature(credential.secret, text), signature)))
    throw new Fault('SignatureDoesNotMatch');
  if ((request.headers['x-amz-content-sha256'] ?? unsignedPayload) !== unsignedPayload)
    throw new Fault('InvalidRequest', { message: 'The body of a link of Signature Version 2 is not signed.' });
  takeHeadersOfLink(request, address);
  // The signature names no region.
  return { credential, region: 'us-east-1', payload: unsignedPayload, signing: null };
}

/** Checks the signature of a request, by header or query. @throws Fault; StoreUnavailable */
export async function authenticate(
  { credentials, regions, now }: Authentication,
  request: IncomingMessage,
  address: S3Address,
): Promise<Access> {
  const { authorization } = request.headers;
  const isInQuery = parameter(address, 'X-Amz-Algorithm') !== null || parameter(address, 'X-Amz-Signature') !== null;
  const versionTwo = readVersionTwo(address);
  const ways = [authorization !== undefined, isInQuery, versionTwo !== null].filter(Boolean).length;
  if (ways === 0)
    throw new Fault('AccessDenied', { message: 'Anonymous users cannot invoke this API. Please authenticate.' });
  if (ways > 1) throw badArgument('Authorization', 'Only one way to authenticate is allowed: by header or by query.');
  if (
    request.headers['x-amz-security-token'] !== undefined ||
    address.query.some(([name]) => name.toLowerCase() === 'x-amz-security-token')
  )
    throw new Fault('InvalidToken');
  if (versionTwo !== null) return authenticateVersionTwo({ credentials, now }, request, address, versionTwo);
  const sent = authorization === undefined ? readQuery(address) : readHeader(authorization, request);
  requireTime(sent, now);
  if (!regions.includes(sent.scope.region)) throw wrongRegion(sent, regions[0] ?? 'us-east-1');
  const credential = await checkCredential({ credentials }, sent.accessKeyId);
  const payload = payloadOf(request, address, sent);
  requireSigned(request, new Set(sent.signedHeaders));
  const text = stringToSign(sent.time, sent.scope, {
    method: request.method ?? 'GET',
    path: address.path,
    query: address.query.filter(([name]) => name !== 'X-Amz-Signature'),
    headers: sent.signedHeaders.map((name) => [name, headerValue(request, name)]),
    payload,
  });
  const key = keyOf(credential, sent.scope);
  if (!isSame(signatureOf(key, text), sent.signature)) throw new Fault('SignatureDoesNotMatch');
  // Of a request without a body it is known already whether the body is as it was signed.
  if (!hasBody(request) && /^[0-9a-f]{64}$/.test(payload) && payload !== emptyHash)
    throw otherPayload(payload, emptyHash);
  if (sent.expires !== null) takeHeadersOfLink(request, address);
  return {
    credential,
    region: sent.scope.region,
    payload,
    signing: { key, time: sent.time, scope: sent.scope, seed: sent.signature },
  };
}
