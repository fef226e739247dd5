import { createHmac } from 'node:crypto';
import { refusalOf } from '../../models/errors.ts';
import { instant } from '../../models/schemas/values.ts';
import type { PrivateNetworks } from '../guarded-client/addresses.ts';
import { checkSourceAccess, type GivenAccess } from './addresses.ts';
import { SourceFailure } from './failure.ts';

/*
 * What is said between Ply and an organization's callback, as docs/sources.md describes it to who writes one. Nothing
 * here talks to anybody: ask-callback.ts does.
 */

/** Largest request, in bytes. */
export const mostRequestBytes = 16 * 1024;
/** Largest answer that is read, in bytes. */
export const mostAnswerBytes = 64 * 1024;
/** How long before `expiresAt` an address is given up, in milliseconds. */
export const expiryMarginMs = 60_000;

/** The file that an address is asked for. */
export interface CallbackFile {
  organizationId: string;
  externalId: string;
  sourceVersion: string;
  sourceUrl: string;
}

/** The body of a request: compact JSON with these fields and no others. */
export function callbackBody({ organizationId, externalId, sourceVersion, sourceUrl }: CallbackFile): string {
  return JSON.stringify({ organizationId, externalId, sourceVersion, sourceUrl });
}

/** What a request is signed with. */
export interface Signing {
  /** Unix seconds. */
  timestamp: number;
  /** Never used twice. */
  nonce: string;
  /** Its UTF-8 bytes are the key. */
  secret: string;
}

/** HMAC-SHA256 (RFC 2104) over `<timestamp>\n<nonce>\n<body>`, in base64. */
function signatureOf(body: string, { timestamp, nonce, secret }: Signing): string {
  return createHmac('sha256', secret).update(`${timestamp}\n${nonce}\n${body}`).digest('base64');
}

/** The headers of a request. */
export function callbackHeaders(body: string, signing: Signing): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-content-timestamp': String(signing.timestamp),
    'x-content-nonce': signing.nonce,
    'x-content-signature': signatureOf(body, signing),
  };
}

/** An address that a callback gave: a secret. */
export interface RenewedAddress {
  address: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Parses an answer's bytes. @throws SourceFailure `source_callback_refused` */
function parseAnswer(bytes: Uint8Array): { access: GivenAccess; expiresAt: number } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // What the parser says would quote the answer, which may hold an address.
    throw refused('an answer that is no JSON');
  }
  const fields: { url?: unknown; sasToken?: unknown; expiresAt?: unknown } = typeof parsed === 'object' && parsed !== null ? parsed : {};
  const { url, sasToken = null, expiresAt } = fields;
  if (typeof url !== 'string') throw refused('no url');
  if (sasToken !== null && typeof sasToken !== 'string') throw refused('a sasToken that is no text');
  const until = typeof expiresAt === 'string' ? instant(expiresAt) : null;
  if (until === null) throw refused('no expiresAt that is an ISO 8601 date-time with its zone');
  return { access: { url, sasToken }, expiresAt: until };
}

/**
 * Reads what a callback answered with status 200. The address has to be the registered one before its query string, so
 * it leads to no other host.
 * @param now milliseconds since the epoch
 * @throws SourceFailure `source_callback_refused`, `source_access_mismatch`, `ambiguous_source_credentials`,
 * `source_host_not_allowed` (a registered host that is not public)
 */
export function readCallbackAnswer(bytes: Uint8Array, sourceUrl: string, privateNetworks: PrivateNetworks, now: number): RenewedAddress {
  const { access, expiresAt } = parseAnswer(bytes);
  let address: string;
  try {
    ({ address } = checkSourceAccess(access, sourceUrl, { privateNetworks, field: [] }));
  } catch (error) {
    throw failureOf(error);
  }
  if (expiresAt <= now) throw refused('an address that has expired');
  return { address, expiresAt };
}

/** What a refused address means for the job. Texts of refusals name fields, never what stands in them. */
function failureOf(error: unknown): unknown {
  const refusal = refusalOf(error);
  switch (refusal?.type) {
    case 'ambiguous_source_credentials':
      return new SourceFailure('ambiguous_source_credentials', 'the callback answered a signed address together with a sasToken');
    case 'source_host_not_allowed':
      return new SourceFailure('source_host_not_allowed', "the callback's address has a host that is not public");
    case 'validation_error':
      if (refusal?.data.fields?.[0] === 'sasToken') return refused('a sasToken that cannot stand in a query string');
      return mismatch();
    case 'source_access_mismatch':
      return mismatch();
    default:
      return error;
  }
}

function mismatch(): SourceFailure {
  return new SourceFailure('source_access_mismatch', "the callback's address differs from sourceUrl before its query string");
}

function refused(what: string): SourceFailure {
  return new SourceFailure('source_callback_refused', `the callback answered ${what}`);
}
