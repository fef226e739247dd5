import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { instant } from '../../../models/schemas/values.ts';
import type { BlobAddress, Query } from '../protocol/address.ts';
import { Fault } from '../protocol/faults.ts';

/*
 * Shared access signatures: permissions in an address, signed with an account's key
 * (https://learn.microsoft.com/rest/api/storageservices/create-service-sas and create-account-sas).
 */

/** What a shared access signature says, verified or not. */
export interface SharedAccess {
  kind: 'account' | 'container' | 'blob';
  version: string;
  permissions: ReadonlySet<string>;
  /** Of an account SAS: the types of resources, of `s`, `c`, `o`. */
  resourceTypes: ReadonlySet<string>;
  signature: string;
  /** What it is over. */
  text: string;
}

const oldestVersion = '2015-02-21';
const versionForm = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a text is a version of the protocol that the door speaks: each since 2015-02-21. */
export function isVersion(text: string): boolean {
  return versionForm.test(text) && text >= oldestVersion;
}

function failed(message: string): Fault {
  return new Fault('AuthenticationFailed', { elements: { AuthenticationErrorDetail: message } });
}

/** Parameters that a signature is made over, and itself. */
const sasParameters = ['sig', 'sv', 'sp', 'ss', 'srt', 'sr', 'st', 'se', 'sip', 'spr', 'ses'];

/**
 * Reads the signature in an address; null if there is none.
 * @throws Fault `AuthenticationFailed` where it lacks a part, or is of a form that is not offered
 */
export function readSas(address: BlobAddress): SharedAccess | null {
  const { query } = address;
  const signature = query.get('sig');
  if (signature === null) return null;
  // Which of them would be signed is not certain.
  const repeated = sasParameters.find((name) => query.isRepeated(name));
  if (repeated !== undefined) throw failed(`${repeated} is repeated.`);
  const version = query.get('sv') ?? '';
  if (!isVersion(version)) throw failed('sv is missing, or is not a version since 2015-02-21.');
  if (query.get('skoid') !== null) throw failed('User delegation is not offered.');
  if (query.get('si') !== null) throw failed('Stored access policies are not offered.');
  const permissions = query.get('sp');
  if (permissions === null || permissions === '' || query.get('se') === null) throw failed('sp or se is missing.');
  const shared = { version, permissions: new Set(permissions), signature };
  const types = query.get('srt');
  if (types !== null)
    return {
      ...shared,
      kind: 'account',
      resourceTypes: new Set(types),
      text: accountText(address, version),
    };
  const resource = query.get('sr');
  if ((resource !== 'b' && resource !== 'c') || address.container === null) throw failed('sr is not valid.');
  if (resource === 'b' && address.blob === null) throw failed('sr is not that of the address.');
  return {
    ...shared,
    kind: resource === 'b' ? 'blob' : 'container',
    resourceTypes: new Set(),
    text: serviceText(address, version, resource),
  };
}

function fields(query: Query, ...names: string[]): string[] {
  return names.map((name) => query.get(name) ?? '');
}

function accountText({ account, query }: BlobAddress, version: string): string {
  return [
    account,
    ...fields(query, 'sp', 'ss', 'srt', 'st', 'se', 'sip', 'spr', 'sv'),
    ...(version >= '2020-12-06' ? fields(query, 'ses') : []),
    '',
  ].join('\n');
}

function serviceText({ account, container, blob, query }: BlobAddress, version: string, resource: string): string {
  const name = `/blob/${account}/${container ?? ''}${resource === 'b' ? `/${blob ?? ''}` : ''}`;
  return [
    ...fields(query, 'sp', 'st', 'se'),
    name,
    ...fields(query, 'si'),
    ...(version >= '2015-04-05' ? fields(query, 'sip', 'spr') : []),
    ...fields(query, 'sv'),
    ...(version >= '2018-11-09' ? fields(query, 'sr', 'snapshot') : []),
    ...(version >= '2020-12-06' ? fields(query, 'ses') : []),
    ...fields(query, 'rscc', 'rscd', 'rsce', 'rscl', 'rsct'),
  ].join('\n');
}

/** From where and when a request came. */
export interface RequestOrigin {
  now: number;
  address: string;
  isSecure: boolean;
}

/**
 * Checks what a verified signature says of time, address, protocol and service.
 * @throws Fault
 */
export function checkTerms(query: Query, { kind }: Pick<SharedAccess, 'kind'>, origin: RequestOrigin): void {
  const [start, expiry] = [query.get('st'), query.get('se')];
  if (start !== null && start !== '' && origin.now < timeOf(start)) throw failed('The signature is not valid yet.');
  if (origin.now >= timeOf(expiry ?? '')) throw failed('The signature has expired.');
  const addresses = query.get('sip');
  if (addresses !== null && addresses !== '' && !isWithin(origin.address, addresses))
    throw new Fault('AuthorizationSourceIPMismatch');
  const protocol = query.get('spr');
  if (protocol === 'https' && !origin.isSecure) throw new Fault('AuthorizationProtocolMismatch');
  if (kind === 'account' && !(query.get('ss') ?? '').includes('b')) throw new Fault('AuthorizationServiceMismatch');
}

/** Milliseconds of a time of a signature: a day, a minute, a second or parts of it, in UTC. @throws Fault */
function timeOf(text: string): number {
  const full = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text.replace(/T(\d{2}:\d{2})Z$/, 'T$1:00Z');
  const time = instant(full);
  if (time === null) throw failed('A time of the signature is not valid.');
  return time;
}

/** Whether an address is the one, or within the range, that a signature names. */
function isWithin(address: string, range: string): boolean {
  const [first = '', last = first] = range.split('-');
  if (isIP(address) === 0 || isIP(first) === 0 || isIP(last) === 0) return false;
  const [at, from, to] = [address, first, last].map((each) => ipaddr.process(each).toByteArray());
  if (at === undefined || from === undefined || to === undefined) return false;
  if (at.length !== from.length || at.length !== to.length) return false;
  return (
    Buffer.compare(Buffer.from(at), Buffer.from(from)) >= 0 && Buffer.compare(Buffer.from(at), Buffer.from(to)) <= 0
  );
}
