import type { IncomingHttpHeaders } from 'node:http';
import type { Query } from '../protocol/address.ts';
import { notOffered, type Fault } from '../protocol/faults.ts';
import type { Level } from './table.ts';

/*
 * What the protocol has and is not offered.
 */

/** What a `comp` asks for, at the levels that have it. */
const absent: { readonly [comp: string]: { readonly what: string; readonly levels: readonly Level[] } } = {
  appendblock: { what: 'Append blobs', levels: ['blob'] },
  blobs: { what: 'Tags', levels: ['service', 'container'] },
  expiry: { what: 'Expiry times of blobs', levels: ['blob'] },
  immutabilitypolicies: { what: 'Immutability policies', levels: ['blob'] },
  incrementalcopy: { what: 'Page blobs', levels: ['blob'] },
  lease: { what: 'Leases', levels: ['container', 'blob'] },
  legalhold: { what: 'Legal holds', levels: ['blob'] },
  page: { what: 'Page blobs', levels: ['blob'] },
  pagelist: { what: 'Page blobs', levels: ['blob'] },
  properties: { what: 'Settings of the service', levels: ['service'] },
  query: { what: 'Queries of the content of blobs', levels: ['blob'] },
  rename: { what: 'New names of containers', levels: ['container'] },
  seal: { what: 'Append blobs', levels: ['blob'] },
  snapshot: { what: 'Snapshots', levels: ['blob'] },
  stats: { what: 'Statistics of replication', levels: ['service'] },
  tags: { what: 'Tags', levels: ['blob'] },
  tier: { what: 'Access tiers', levels: ['blob'] },
  undelete: { what: 'Deleted blobs and containers', levels: ['container', 'blob'] },
  userdelegationkey: { what: 'User delegation keys', levels: ['service'] },
};

/** The fault of an operation that the protocol has and is not offered; null where the protocol has none such. */
export function absenceOf(level: Level, method: string, comp: string | null): Fault | null {
  const found = absent[comp?.toLowerCase() ?? ''];
  if (found?.levels.includes(level) !== true) return null;
  // The settings of the service can be read.
  return comp === 'properties' && method !== 'PUT' ? null : notOffered(found.what);
}

/** What a header or parameter asks for besides the operation itself. */
const headersOfAbsent: readonly (readonly [name: string, what: string])[] = [
  ['x-ms-lease-id', 'Leases'],
  ['x-ms-source-lease-id', 'Leases'],
  ['x-ms-tags', 'Tags'],
  ['x-ms-encryption-key', 'Encryption keys of clients'],
  ['x-ms-source-encryption-key', 'Encryption keys of clients'],
  ['x-ms-encryption-scope', 'Encryption scopes'],
  ['x-ms-immutability-policy-mode', 'Immutability policies'],
  ['x-ms-immutability-policy-until-date', 'Immutability policies'],
  ['x-ms-legal-hold', 'Legal holds'],
  ['x-ms-expiry-option', 'Expiry times of blobs'],
  // What frames the bytes would be stored with them.
  ['x-ms-structured-body', 'Structured bodies'],
];
/** The tier that every blob has. */
const onlyTier = 'Hot';

/**
 * Refuses what an offered operation asks for that is not offered: it would be ignored.
 * @param isWrite whether bytes or properties are written, which a signature may bind to an encryption scope
 * @throws Fault `NotImplemented`
 */
export function refuseUnoffered(headers: IncomingHttpHeaders, query: Query, isWrite: boolean): void {
  if (query.get('snapshot') !== null) throw notOffered('Snapshots');
  if (query.get('versionid') !== null) throw notOffered('Versions');
  if (query.get('deletetype') !== null) throw notOffered('Permanent deletions');
  for (const [name, what] of headersOfAbsent) if (headers[name] !== undefined) throw notOffered(what);
  const tier = headers['x-ms-access-tier'];
  if (tier !== undefined && tier !== onlyTier) throw notOffered('Access tiers');
  if (isWrite && (query.get('ses') ?? '') !== '') throw notOffered('Encryption scopes');
}
