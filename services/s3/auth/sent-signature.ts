import type { IncomingMessage } from 'node:http';
import { parameter, type S3Address } from '../protocol/address.ts';
import { asText } from '../protocol/details.ts';
import { badArgument, Fault } from '../protocol/faults.ts';
import type { Scope } from './canonical.ts';

const algorithm = 'AWS4-HMAC-SHA256';
const ecdsa = 'AWS4-ECDSA-P256-SHA256';
const maxPresignedSeconds = 604_800;

/** A signature as it was sent, by header or query. */
export interface SentSignature {
  accessKeyId: string;
  scope: Scope;
  /** `YYYYMMDDThhmmssZ` */
  time: string;
  signedHeaders: string[];
  signature: string;
  /** Seconds; null for a request that was signed by header. */
  expires: number | null;
}

/** The values of a header as signatures have them; empty where it was not sent. */
export function headerValue({ headers, rawHeaders }: IncomingMessage, name: string): string {
  // A proxy may have taken the expectation away.
  if (headers[name] === undefined && name === 'expect') return '100-continue';
  // Of a header that is repeated, the values are joined by commas alone.
  const value = rawHeaders
    .flatMap((each, at) => (at % 2 === 0 && each.toLowerCase() === name ? [(rawHeaders[at + 1] ?? '').trim()] : []))
    .join(',');
  // Clients sign the text, whether they send it in UTF-8 or a byte for each character.
  return asText(value);
}

/** Milliseconds of a time in the basic form of ISO 8601; null for anything else. */
export function timeOf(text: string): number | null {
  const parts = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(text);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? null : time;
}

/**
 * Reads `<access key id>/<day>/<region>/s3/aws4_request`.
 * @param malformed makes the fault of what is wrong with it
 */
export function readCredential(
  text: string,
  malformed: (message: string) => Fault,
): { accessKeyId: string; scope: Scope } {
  const fields = text.split('/');
  const [terminal, service, region = '', day = ''] = fields.slice(-4).reverse();
  const [accessKeyId = ''] = fields;
  if (fields.length !== 5 || accessKeyId === '')
    throw malformed('the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".');
  if (service !== 's3') throw malformed(`incorrect service "${service}". This endpoint belongs to "s3".`);
  if (terminal !== 'aws4_request')
    throw malformed(`incorrect terminal "${terminal}". This endpoint uses "aws4_request".`);
  if (!/^\d{8}$/.test(day))
    throw malformed(`incorrect date format "${day}". This date in the credential must be in the format "yyyyMMdd".`);
  return { accessKeyId, scope: { day, region } };
}

/** The fault of an `Authorization` header. */
function malformedHeader(message: string): Fault {
  return new Fault('AuthorizationHeaderMalformed', { message: `The authorization header is malformed; ${message}` });
}

/** The fault of the parameters of a link. */
function malformedQuery(message: string): Fault {
  return new Fault('AuthorizationQueryParametersError', { message });
}

/** The fault of the credential of a link. */
function malformedQueryCredential(message: string): Fault {
  return malformedQuery(`Error parsing the X-Amz-Credential parameter; ${message}`);
}

/** What clients that sign in another way are told. */
export const unsupportedMechanism = `The authorization mechanism you have provided is not supported. Please use ${algorithm}.`;

/** The three components of an `Authorization` header. @throws Fault */
function readComponents(authorization: string): { credential: string; signedHeaders: string; signature: string } {
  const [scheme = '', ...rest] = authorization.trim().split(/ +/);
  if (scheme !== algorithm)
    throw scheme === 'AWS'
      ? new Fault('InvalidRequest', { message: unsupportedMechanism })
      : badArgument(
          'Authorization',
          rest.length === 0
            ? "Authorization header is invalid -- one and only one ' ' (space) required."
            : 'Unsupported Authorization Type',
          rest.length === 0 ? authorization : scheme,
        );
  const fields = new Map<string, string>();
  const components = rest.join('').split(',');
  if (components.length !== 3)
    throw malformedHeader(
      'the authorization header requires three components: Credential, SignedHeaders, and Signature.',
    );
  for (const component of components) {
    const equals = component.indexOf('=');
    if (equals < 0) throw malformedHeader(`the authorization component "${component}" is malformed.`);
    fields.set(component.slice(0, equals), component.slice(equals + 1));
  }
  const read = (name: string): string => {
    const value = fields.get(name);
    if (value === undefined || value === '') throw malformedHeader(`missing ${name}.`);
    return value;
  };
  return { credential: read('Credential'), signedHeaders: read('SignedHeaders'), signature: read('Signature') };
}

/** Reads the signature of an `Authorization` header. @throws Fault */
export function readHeader(authorization: string, { headers }: IncomingMessage): SentSignature {
  const { credential, signedHeaders, signature } = readComponents(authorization);
  const { accessKeyId, scope } = readCredential(credential, malformedHeader);
  const amzDate = headers['x-amz-date'];
  const dated = Date.parse(headers.date ?? '');
  const time =
    typeof amzDate === 'string'
      ? amzDate
      : Number.isNaN(dated)
        ? ''
        : new Date(dated).toISOString().replace(/[-:]|\.\d{3}/g, '');
  if (timeOf(time) === null)
    throw new Fault('AccessDenied', { message: 'AWS authentication requires a valid Date or x-amz-date header.' });
  if (!time.startsWith(scope.day))
    throw malformedHeader('Invalid credential date. Date is not the same as X-Amz-Date.');
  return { accessKeyId, scope, time, signedHeaders: signedHeaders.split(';'), signature, expires: null };
}

/** Reads the signature of a link. @throws Fault */
export function readQuery(address: S3Address): SentSignature {
  const read = (name: string): string => {
    const value = parameter(address, name);
    if (value === null || value === '')
      throw malformedQuery(
        'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
      );
    return value;
  };
  const names = ['X-Amz-Credential', 'X-Amz-Signature', 'X-Amz-Date', 'X-Amz-SignedHeaders', 'X-Amz-Expires'];
  const sentAlgorithm = read('X-Amz-Algorithm');
  for (const name of names) read(name);
  if (sentAlgorithm !== algorithm) {
    // The protocol's own words for what is none of its algorithms: the second of them is not offered here.
    const known = sentAlgorithm === ecdsa ? algorithm : `${algorithm} and ${ecdsa}`;
    throw malformedQuery(`X-Amz-Algorithm only supports "${known}"`);
  }
  const { accessKeyId, scope } = readCredential(read('X-Amz-Credential'), malformedQueryCredential);
  const time = read('X-Amz-Date');
  if (timeOf(time) === null)
    throw malformedQuery(`X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`);
  if (!time.startsWith(scope.day))
    throw malformedQuery(
      `Invalid credential date "${scope.day}". This date is not the same as X-Amz-Date: "${time.slice(0, 8)}".`,
    );
  const expires = read('X-Amz-Expires');
  if (!/^-?\d{1,10}$/.test(expires)) throw malformedQuery('X-Amz-Expires should be a number');
  if (Number(expires) < 0) throw malformedQuery('X-Amz-Expires must be non-negative');
  if (Number(expires) > maxPresignedSeconds)
    throw malformedQuery(
      `X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than ${maxPresignedSeconds} seconds`,
    );
  return {
    accessKeyId,
    scope,
    time,
    signedHeaders: read('X-Amz-SignedHeaders').split(';'),
    signature: read('X-Amz-Signature'),
    expires: Number(expires),
  };
}

/** The fault of a signature that names another region than it should. */
export function wrongRegion({ expires, scope }: { expires: number | null; scope: Scope }, expected: string): Fault {
  const malformed = expires === null ? malformedHeader : malformedQueryCredential;
  const { code, message } = malformed(`the region "${scope.region}" is wrong; expecting "${expected}"`);
  return new Fault(code, { message, elements: { Region: expected } });
}
