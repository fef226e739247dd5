import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { BlobAddress } from '../protocol/address.ts';

/*
 * Signatures with an account's key in the Authorization header
 * (https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key).
 */

/** The parts of a request that a signature covers. */
export type SignedRequest = Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>;

/** What an Authorization header says. */
export interface SharedKey {
  /** `SharedKeyLite` covers less of the request. */
  form: 'SharedKey' | 'SharedKeyLite';
  account: string;
  signature: string;
}

/** Reads an Authorization header; null if it is of another form. */
export function readSharedKey(header: string): SharedKey | null {
  const [, form, account = '', signature = ''] =
    /^(SharedKey|SharedKeyLite) ([a-z0-9]{1,64}):(\S+)$/.exec(header) ?? [];
  return form === 'SharedKey' || form === 'SharedKeyLite' ? { form, account, signature } : null;
}

/** The texts that a signature may be over: clients sort names of headers in two ways. */
export function textsToSign({ form, account }: SharedKey, request: SignedRequest, address: BlobAddress): string[] {
  const { headers, method = 'GET' } = request;
  const of = (name: string): string => String(headers[name] ?? '');
  const date = headers['x-ms-date'] === undefined ? of('date') : '';
  const length = of('content-length') === '0' ? '' : of('content-length');
  const standard =
    form === 'SharedKeyLite'
      ? [of('content-md5'), of('content-type'), date]
      : [
          ...[of('content-encoding'), of('content-language'), length, of('content-md5'), of('content-type'), date],
          ...[of('if-modified-since'), of('if-match'), of('if-none-match'), of('if-unmodified-since'), of('range')],
        ];
  const resource = form === 'SharedKeyLite' ? liteResource(account, address) : resourceOf(account, address);
  const named = serviceHeaders(request);
  const ordinal = linesOf(named, (one, other) => (one < other ? -1 : 1));
  const cultural = linesOf(named, byCulture);
  const text = (lines: string): string => [method, ...standard, `${lines}${resource}`].join('\n');
  return ordinal === cultural ? [text(ordinal)] : [text(ordinal), text(cultural)];
}

/** The `x-ms-` headers with their values: lower case, values of a repeated one joined. */
function serviceHeaders({ headers }: SignedRequest): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    name.startsWith('x-ms-') ? [[name, [value ?? ''].flat().join(',').replace(/\s+/g, ' ').trim()]] : [],
  );
}

function linesOf(named: [string, string][], compare: (one: string, other: string) => number): string {
  return [...named]
    .sort(([one], [other]) => compare(one, other))
    .map(([name, value]) => `${name}:${value}\n`)
    .join('');
}

/** Names as Windows sorts words: hyphens decide last, and `_` comes before digits. */
function byCulture(one: string, other: string): number {
  const [a, b] = [one, other].map((name) => name.replaceAll('-', '').replaceAll('_', '!'));
  if (a === undefined || b === undefined || a === b) return one < other ? -1 : 1;
  return a < b ? -1 : 1;
}

/** Account, path as sent, and all parameters. */
function resourceOf(account: string, { path, query }: BlobAddress): string {
  const lines = query.sorted.map(([name, values]) => `\n${name}:${[...values].sort().join(',')}`);
  return `/${account}${path}${lines.join('')}`;
}

function liteResource(account: string, { path, query }: BlobAddress): string {
  const comp = query.get('comp');
  return `/${account}${path}${comp === null ? '' : `?comp=${comp}`}`;
}

/** The signature of a text with a key of an account, base64. */
export function signatureOf(text: string, key: string): string {
  return createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');
}

/**
 * Whether a signature is that of one of the texts with this key, character by character: base64 with more behind its end
 * would decode to the same bytes. It takes the same time wherever they differ.
 */
export function isSignedBy(texts: readonly string[], key: string, signature: string): boolean {
  const given = Buffer.from(signature);
  return texts.some((text) => {
    const expected = Buffer.from(signatureOf(text, key));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
}
