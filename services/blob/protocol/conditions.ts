import type { IncomingMessage } from 'node:http';
import { evaluateConditions } from '../../../mixins/http/api/conditions.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import { badHeader, Fault, notOffered } from './faults.ts';
import { etagOf } from './properties.ts';

type Conditional = Pick<IncomingMessage, 'method' | 'headers'>;

/** Conditions of a request; those of the source of a copy where `prefix` says so. */
export interface Conditions {
  'if-match'?: string;
  'if-none-match'?: string;
  'if-modified-since'?: string;
  'if-unmodified-since'?: string;
}

/** `*`, or entity tags with their quotes (RFC 9110, 8.8.3). */
const tagList = /^\s*(?:\*|(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*)\s*$/;

/** Names of conditions. */
const names = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'] as const;

/**
 * Reads the conditions of a request. Entity tags may stand without quotes.
 * @param prefix `x-ms-source-` for those of the source of a copy. @throws Fault `InvalidHeaderValue`, `NotImplemented`
 */
export function readConditions({ headers }: Pick<Conditional, 'headers'>, prefix = ''): Conditions {
  if (headers['x-ms-if-tags'] !== undefined || headers['x-ms-source-if-tags'] !== undefined) throw notOffered('Tags');
  const conditions: Conditions = {};
  for (const name of names) {
    const sent = headers[`${prefix}${name}`];
    if (typeof sent !== 'string' || sent === '') continue;
    if (name.endsWith('since') && Number.isNaN(Date.parse(sent))) throw badHeader(`${prefix}${name}`, sent);
    conditions[name] = name.endsWith('match') && !tagList.test(sent) ? bareTags(sent) : sent;
  }
  return conditions;
}

/** A list of entity tags of which some lack their quotes, as a list of them. One that names `*` names every version. */
function bareTags(sent: string): string {
  const tags = sent.split(',').map((tag) => tag.trim().replaceAll('"', ''));
  return tags.includes('*') ? '*' : tags.map((tag) => `"${tag}"`).join(', ');
}

/**
 * Checks the conditions of a read.
 * @throws Fault `ConditionNotMet`, with 304 where the client has the version already; `UnsatisfiableCondition` where
 *   nothing may be there
 */
export function checkRead({ method, headers }: Conditional, object: StoredObject): void {
  const conditions = readConditions({ headers });
  if (conditions['if-none-match']?.trim() === '*') throw new Fault('UnsatisfiableCondition');
  const status = evaluateConditions(
    { method, headers: { ...conditions } },
    { etag: `"${etagOf(object)}"`, lastModified: object.updatedAt },
  );
  if (status !== 200) throw new Fault('ConditionNotMet', { status });
}

/**
 * Checks the conditions of a change against what is there.
 * @throws Fault `ConditionNotMet`; `BlobAlreadyExists` where nothing may be there
 */
export function checkChange(conditions: Conditions, object: StoredObject | null): void {
  if (object === null) {
    if (conditions['if-match'] !== undefined) throw new Fault('ConditionNotMet');
    return;
  }
  if (conditions['if-none-match'] === '*') throw new Fault('BlobAlreadyExists');
  const { 'if-modified-since': since, ...others } = conditions;
  const status = evaluateConditions(
    { method: 'PUT', headers: others },
    { etag: `"${etagOf(object)}"`, lastModified: object.updatedAt },
  );
  const isUnchanged = since !== undefined && Math.floor(object.updatedAt / 1000) * 1000 <= Date.parse(since);
  if (status !== 200 || isUnchanged) throw new Fault('ConditionNotMet');
}
