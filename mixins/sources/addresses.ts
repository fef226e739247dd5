import { Refusal, invalid } from '../../models/errors.ts';
import { codePoints } from '../../models/schemas/faults.ts';
import { faultOfTarget, type PrivateNetworks } from '../guarded-client/addresses.ts';
import { hostRefusal } from './hosts.ts';

/** The rules for addresses, and the location of the field in the request. */
export interface AddressRules {
  privateNetworks: PrivateNetworks;
  /** The deployment's allowed hosts; empty or left out: any. */
  ceiling?: readonly string[];
  /** The organization's allowed hosts; empty or left out: any within the ceiling. */
  sourceHosts?: readonly string[];
  /** Location of the field; `['body', 'sourceUrl']` or `['body', 'sourceAccess']` by default. */
  field?: readonly (string | number)[];
}

/** Lower-case names of query parameters that contain a credential. */
const credentials: ReadonlySet<string> = new Set(['sig', 'signature', 'token', 'access_token', 'awsaccesskeyid']);

/**
 * Whether the query of an address contains a credential: a signature of S3, Google, Azure and the like, or a bearer
 * token.
 */
export function isSigned(url: URL): boolean {
  const names = new Set([...url.searchParams.keys()].map((name) => name.toLowerCase()));
  if (names.has('se') && names.has('sp')) return true;
  return [...names].some((name) => credentials.has(name) || name.startsWith('x-amz-') || name.startsWith('x-goog-'));
}

/** Parses a client's address. Control characters and backslashes are refused, because parsers differ in them. */
function parse(text: string, field: (string | number)[]): URL {
  if (codePoints(text) > 4096) throw invalid(field, 'The address is longer than 4096 characters.');
  if (text.trim() !== text || /[\u0000-\u001f\u007f\\]/.test(text) || !URL.canParse(text))
    throw invalid(field, 'Give an absolute http or https address.');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalid(field, 'Give an absolute http or https address.');
  if (!/^https?:\/\/[^/]/i.test(text)) throw invalid(field, 'Write // and the host after the scheme.');
  if (text.includes('#')) throw invalid(field, 'Leave out the fragment (#...): a source does not get it.');
  return url;
}

function checkTarget(url: URL, rules: AddressRules, field: (string | number)[]): void {
  switch (faultOfTarget(url, rules.privateNetworks)) {
    case 'scheme':
      throw invalid(field, 'This service reads https addresses only.');
    case 'port':
      throw invalid(field, 'This service reads from port 443 only.');
    case 'host':
      throw new Refusal('source_host_not_allowed', { detail: 'The host is an address that is not public.' });
    case null:
      checkHost(url.hostname, rules);
  }
}

function checkHost(host: string, { ceiling = [], sourceHosts = [] }: AddressRules): void {
  switch (hostRefusal(host, { ceiling, sourceHosts })) {
    case 'ceiling':
      throw new Refusal('source_host_outside_ceiling', { detail: 'The host is outside what this service reads from.' });
    case 'organization':
      throw new Refusal('source_host_not_allowed', {
        detail: "The host is not among the organization's sourceHosts; GET /settings shows them.",
      });
    case null:
  }
}

/**
 * Checks and parses the address of a file at registration; `href` of the answer is the normalized address.
 * @throws Refusal `validation_error` (not absolute, another scheme, a fragment, a port or scheme that is closed),
 * `source_url_must_be_unsigned`, `source_host_not_allowed`, `source_host_outside_ceiling`
 */
export function checkSourceUrl(sourceUrl: string, rules: AddressRules): URL {
  const field = [...(rules.field ?? ['body', 'sourceUrl'])];
  const url = parse(sourceUrl, field);
  if (url.username !== '' || url.password !== '' || isSigned(url)) throw new Refusal('source_url_must_be_unsigned');
  checkTarget(url, rules, field);
  return url;
}

/** An address to read from. */
export interface SourceAddress {
  /** With credentials where `signed`: then it is a secret, to be stored encrypted. */
  address: string;
  /** False for a public address. */
  signed: boolean;
}

/** What a client or its callback sends to read a file: a signed or public address, or an unsigned one with a token. */
export interface GivenAccess {
  url: string;
  sasToken?: string | null;
}

/**
 * Parses what a client or callback sent to read a file; `query` is the token in the form of a query string, null
 * without one.
 * @param field location path of the object
 * @throws Refusal `validation_error`, `ambiguous_source_credentials`
 */
export function parseSourceAccess(
  access: GivenAccess,
  field: readonly (string | number)[],
): { url: URL; query: string | null } {
  const url = parse(access.url, [...field, 'url']);
  const token = access.sasToken ?? null;
  if (token === null) return { url, query: null };
  const query = token.startsWith('?') ? token.slice(1) : token;
  if (query === '' || /[\u0000-\u0020\u007f#]/.test(query))
    throw invalid([...field, 'sasToken'], 'Give the token as it stands in a query string.');
  if (isSigned(url)) throw new Refusal('ambiguous_source_credentials');
  return { url, query };
}

/**
 * Joins `{url}` or `{url, sasToken}` to one address, which must equal the registered one up to its query string. An
 * unsigned url without a token is a public address.
 * @throws Refusal `validation_error`, `ambiguous_source_credentials`, `source_access_mismatch`,
 * `source_host_not_allowed`, `source_host_outside_ceiling`
 */
export function checkSourceAccess(access: GivenAccess, sourceUrl: string, rules: AddressRules): SourceAddress {
  const field = [...(rules.field ?? ['body', 'sourceAccess'])];
  const { url, query } = parseSourceAccess(access, field);
  const registered = new URL(sourceUrl);
  const same =
    url.origin === registered.origin &&
    url.pathname === registered.pathname &&
    url.username === '' &&
    url.password === '';
  if (!same) throw new Refusal('source_access_mismatch');
  checkTarget(url, rules, [...field, 'url']);
  if (query === null) return { address: url.href, signed: isSigned(url) };
  return {
    address: `${url.href}${url.search === '' ? (url.href.endsWith('?') ? '' : '?') : '&'}${query}`,
    signed: true,
  };
}
