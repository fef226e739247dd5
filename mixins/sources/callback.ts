import { createHmac } from 'node:crypto';
import { refusalOf } from '../../models/errors.ts';
import { instant } from '../../models/schemas/values.ts';
import type { PrivateNetworks } from '../guarded-client/addresses.ts';
import { checkSourceAccess, type GivenAccess } from './addresses.ts';
import { SourceFailure } from './failure.ts';

/*
 * The protocol between Ply and an organization's callback, which docs/sources.md describes. This module sends no
 * requests: request-callback.ts does.
 */

/** Maximum size of a request, in bytes. */
export const maxRequestBytes = 16 * 1024;
/** Maximum size of an answer, in bytes. */
export const maxAnswerBytes = 64 * 1024;
/** An address is no longer used this many milliseconds before `expiresAt`. */
export const expiryMarginMs = 60_000;

/** The file whose address is requested. */
export interface CallbackFile {
  organizationId: string;
  externalId: string;
  sourceVersion: string;
  sourceUrl: string;
}

/** The body of a request: compact JSON with exactly these fields. */
export function callbackBody({ organizationId, externalId, sourceVersion, sourceUrl }: CallbackFile): string {
  return JSON.stringify({ organizationId, externalId, sourceVersion, sourceUrl });
}

/** The inputs of a request's signature. */
export interface Signing {
  /** Unix seconds. */
  timestamp: number;
  /** Unique for each request. */
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

/** An address from a callback. It is a secret. */
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
    // The parser's message would quote the answer, which may contain an address.
    throw refused('a response that is not JSON');
  }
  const fields: { url?: unknown; sasToken?: unknown; expiresAt?: unknown } =
    typeof parsed === 'object' && parsed !== null ? parsed : {};
  const { url, sasToken = null, expiresAt } = fields;
  if (typeof url !== 'string') throw refused('no url');
  if (sasToken !== null && typeof sasToken !== 'string') throw refused('a sasToken that is not text');
  const until = typeof expiresAt === 'string' ? instant(expiresAt) : null;
  if (until === null) throw refused('no expiresAt in ISO 8601 format with a time zone');
  return { access: { url, sasToken }, expiresAt: until };
}

/**
 * Parses a callback's answer with status 200. The address has to equal the registered one up to its query string, so it
 * names the same host.
 * @param now milliseconds since the epoch
 * @throws SourceFailure `source_callback_refused`, `source_access_mismatch`, `ambiguous_source_credentials`,
 * `source_host_not_allowed` (a registered host that is not public)
 */
export function readCallbackAnswer(
  bytes: Uint8Array,
  sourceUrl: string,
  privateNetworks: PrivateNetworks,
  now: number,
): RenewedAddress {
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

/**
 * Maps the refusal of an address to the failure of the job. Messages contain names of fields and never their values.
 */
function failureOf(error: unknown): unknown {
  const refusal = refusalOf(error);
  switch (refusal?.type) {
    case 'ambiguous_source_credentials':
      return new SourceFailure(
        'ambiguous_source_credentials',
        'the callback returned a signed address together with a sasToken',
      );
    case 'source_host_not_allowed':
      return new SourceFailure('source_host_not_allowed', "the callback's address has a host that is not public");
    case 'validation_error':
      if (refusal?.data.fields?.[0] === 'sasToken') return refused('a sasToken that is not a valid query string');
      return mismatch();
    case 'source_access_mismatch':
      return mismatch();
    default:
      return error;
  }
}

function mismatch(): SourceFailure {
  return new SourceFailure(
    'source_access_mismatch',
    "the callback's address differs from sourceUrl before its query string",
  );
}

function refused(what: string): SourceFailure {
  return new SourceFailure('source_callback_refused', `the callback returned ${what}`);
}
