import type { IncomingMessage } from 'node:http';
import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { DoorCredential, DoorCredentials } from '../../../mixins/storage/door-credentials.ts';
import type { Access } from '../door.ts';
import { parameter, type S3Address } from '../protocol/address.ts';
import { badArgument, Fault } from '../protocol/faults.ts';
import { scopeText, signatureOf, signingKey, stringToSign, type Scope } from './canonical.ts';

const algorithm = 'AWS4-HMAC-SHA256';
/** How far the time of a request may be from ours, in milliseconds. */
const maxSkewMs = 15 * 60_000;
const maxPresignedSeconds = 604_800;
/** The payload of a request whose body is not signed. */
export const unsignedPayload = 'UNSIGNED-PAYLOAD';
const payloadForm =
  /^(?:[0-9a-f]{64}|UNSIGNED-PAYLOAD|STREAMING-UNSIGNED-PAYLOAD-TRAILER|STREAMING-AWS4-HMAC-SHA256-PAYLOAD(?:-TRAILER)?)$/;

/** A signature as it was sent, by header or query. */
interface SentSignature {
  accessKeyId: string;
  scope: Scope;
  /** `YYYYMMDDThhmmssZ` */
  time: string;
  signedHeaders: string[];
  signature: string;
  /** Seconds; null for a request that was signed by header. */
  expires: number | null;
}

/** What a request is authenticated with. */
export interface Authentication {
  credentials: Pick<DoorCredentials, 'withAccessKey'>;
  /** Regions that signatures may name. */
  regions: readonly string[];
  now: number;
}

/** Signing keys of credentials by day and region: deriving one takes as long as the rest of the check. */
const keys = new LRUCache<string, Buffer>({ max: 5000 });

/** The key that a credential signs with. */
export function keyOf({ id, secret }: DoorCredential, scope: Scope): Buffer {
  const name = `${id} ${scopeText(scope)}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = signingKey(secret, scope);
  keys.set(name, key);
  return key;
}

/** Milliseconds of a time in the basic form of ISO 8601; null for anything else. */
export function timeOf(text: string): number | null {
  const parts = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(text);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? null : time;
}

/** Reads `<access key id>/<day>/<region>/s3/aws4_request`. */
export function readCredential(
  text: string,
  malformed: (message: string) => Fault,
): { accessKeyId: string; scope: Scope } {
  const fields = text.split('/');
  const [terminal, service, region = '', day = ''] = fields.slice(-4).reverse();
  const accessKeyId = fields.slice(0, -4).join('/');
  if (fields.length < 5 || accessKeyId === '')
    throw malformed('The credential must be <access key id>/<YYYYMMDD>/<region>/s3/aws4_request.');
  if (service !== 's3') throw malformed('The service of the credential must be s3.');
  if (terminal !== 'aws4_request') throw malformed('The credential must end with aws4_request.');
  if (!/^\d{8}$/.test(day)) throw malformed('The date of the credential must be YYYYMMDD.');
  return { accessKeyId, scope: { day, region } };
}

function readHeader(authorization: string, { headers }: IncomingMessage): SentSignature {
  const malformed = (message: string): Fault => new Fault('AuthorizationHeaderMalformed', { message });
  if (!authorization.startsWith(`${algorithm} `))
    throw authorization.startsWith('AWS ')
      ? new Fault('InvalidRequest', { message: `Sign with ${algorithm}.` })
      : badArgument('Authorization', 'Unsupported Authorization Type');
  const fields = new Map(
    authorization
      .slice(algorithm.length)
      .split(',')
      .map((field) => {
        const equals = field.indexOf('=');
        return [field.slice(0, equals).trim(), field.slice(equals + 1).trim()] as const;
      }),
  );
  const [sent, signedHeaders, signature] = ['Credential', 'SignedHeaders', 'Signature'].map(
    (name) => fields.get(name) ?? '',
  );
  if (sent === undefined || sent === '' || !signedHeaders || !signature)
    throw malformed('Credential, SignedHeaders and Signature are needed.');
  const { accessKeyId, scope } = readCredential(sent, malformed);
  const amzDate = headers['x-amz-date'];
  const dated = Date.parse(headers.date ?? '');
  const time =
    typeof amzDate === 'string'
      ? amzDate
      : Number.isNaN(dated)
        ? ''
        : new Date(dated).toISOString().replace(/[-:]|\.\d{3}/g, '');
  if (timeOf(time) === null)
    throw new Fault('AccessDenied', { message: 'A valid Date or x-amz-date header is needed.' });
  if (!time.startsWith(scope.day)) throw malformed('The date of the credential is not that of the request.');
  return { accessKeyId, scope, time, signedHeaders: signedHeaders.split(';'), signature, expires: null };
}

function readQuery(address: S3Address): SentSignature {
  const malformed = (message: string): Fault => new Fault('AuthorizationQueryParametersError', { message });
  const read = (name: string): string => {
    const value = parameter(address, name);
    if (value === null || value === '') throw malformed(`The query needs ${name}.`);
    return value;
  };
  if (read('X-Amz-Algorithm') !== algorithm) throw malformed(`X-Amz-Algorithm must be ${algorithm}.`);
  const { accessKeyId, scope } = readCredential(read('X-Amz-Credential'), malformed);
  const time = read('X-Amz-Date');
  if (timeOf(time) === null) throw malformed('X-Amz-Date must be YYYYMMDDThhmmssZ.');
  if (!time.startsWith(scope.day)) throw malformed('The date of the credential is not that of the request.');
  const expires = read('X-Amz-Expires');
  if (!/^\d{1,10}$/.test(expires)) throw malformed('X-Amz-Expires must be a number of seconds.');
  if (Number(expires) > maxPresignedSeconds) throw malformed('X-Amz-Expires must be less than a week (in seconds).');
  return {
    accessKeyId,
    scope,
    time,
    signedHeaders: read('X-Amz-SignedHeaders').split(';'),
    signature: read('X-Amz-Signature'),
    expires: Number(expires),
  };
}

/** The values of a header as signatures have them. */
function headerValue({ headers }: IncomingMessage, name: string): string {
  const sent = headers[name];
  // A proxy may have taken the expectation away.
  if (sent === undefined && name === 'expect') return '100-continue';
  return Array.isArray(sent) ? sent.join(',') : (sent ?? '');
}

/** @throws Fault `AccessDenied` where headers that change the request are not signed */
function requireSigned({ headers }: IncomingMessage, signed: ReadonlySet<string>): void {
  if (!signed.has('host')) throw new Fault('AccessDenied', { message: 'The header host must be signed.' });
  const open = Object.keys(headers).filter((name) => name.startsWith('x-amz-') && !signed.has(name));
  if (open.length > 0)
    throw new Fault('AccessDenied', {
      message: 'There were headers present in the request which were not signed.',
      elements: { HeadersNotSigned: open.join(', ') },
    });
}

function requireTime({ time, expires }: SentSignature, now: number): void {
  const signedAt = timeOf(time) ?? 0;
  if (expires === null ? Math.abs(now - signedAt) > maxSkewMs : signedAt - now > maxSkewMs)
    throw new Fault('RequestTimeTooSkewed');
  if (expires !== null && now > signedAt + expires * 1000)
    throw new Fault('AccessDenied', { message: 'Request has expired' });
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
      throw badArgument('x-amz-content-sha256', 'x-amz-content-sha256 must be a SHA-256 in hex, or name a framing.');
    return sent;
  }
  if (expires !== null) return unsignedPayload;
  throw new Fault('InvalidRequest', { message: 'Missing required header for this request: x-amz-content-sha256' });
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

/** Checks the signature of a request, by header or query. @throws Fault; StoreUnavailable */
export async function authenticate(
  { credentials, regions, now }: Authentication,
  request: IncomingMessage,
  address: S3Address,
): Promise<Access> {
  const { authorization } = request.headers;
  const isInQuery = parameter(address, 'X-Amz-Algorithm') !== null || parameter(address, 'X-Amz-Signature') !== null;
  if (parameter(address, 'AWSAccessKeyId') !== null)
    throw new Fault('InvalidRequest', { message: `Sign with ${algorithm}.` });
  if (authorization === undefined && !isInQuery) throw new Fault('AccessDenied');
  if (authorization !== undefined && isInQuery)
    throw badArgument('Authorization', 'Only one way to authenticate is allowed: by header or by query.');
  if (request.headers['x-amz-security-token'] !== undefined || parameter(address, 'X-Amz-Security-Token') !== null)
    throw new Fault('InvalidToken');
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
  return {
    credential,
    region: sent.scope.region,
    payload,
    signing: { key, time: sent.time, scope: sent.scope, seed: sent.signature },
  };
}

/** The fault of a signature that names another region than it should. */
export function wrongRegion({ expires, scope }: { expires?: number | null; scope: Scope }, expected: string): Fault {
  const isInQuery = expires !== undefined && expires !== null;
  return new Fault(isInQuery ? 'AuthorizationQueryParametersError' : 'AuthorizationHeaderMalformed', {
    message: `The region '${scope.region}' is wrong; expecting '${expected}'`,
    elements: { Region: expected },
  });
}
