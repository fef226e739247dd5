import type { IncomingMessage } from 'node:http';
import { evaluateConditions } from '../../../mixins/http/api/conditions.ts';
import type { SeenVersion } from '../../../models/schemas/doors.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import { Fault } from './faults.ts';

type Headers = IncomingMessage['headers'];

/** Entity tags with quotes, which some clients leave out. */
function quoted(list: string | undefined): string | undefined {
  if (list === undefined || list.trim() === '*' || list.includes('"')) return list;
  return list
    .split(',')
    .map((tag) => `"${tag.trim()}"`)
    .join(', ');
}

/** The conditions of a request, with entity tags as HTTP has them. @param prefix in front of their names */
export function conditionsOf(headers: Headers, prefix = ''): Headers {
  const found: Headers = {};
  for (const name of ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'] as const) {
    const sent = headers[`${prefix}${name}`];
    const value = typeof sent === 'string' && name.endsWith('match') ? quoted(sent) : sent;
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

/** Checks the conditions of a read. @throws Fault `NotModified` with the object's headers, `PreconditionFailed` */
export function requireRead(
  headers: Headers,
  { etag, updatedAt }: Pick<StoredObject, 'etag' | 'updatedAt'>,
  shown: { readonly [name: string]: string } = {},
): void {
  const result = evaluateConditions({ method: 'GET', headers }, { etag, lastModified: updatedAt });
  if (result === 304) throw new Fault('NotModified', { headers: shown });
  if (result === 412) throw new Fault('PreconditionFailed');
}

/** Whether a write has conditions. */
export function isConditional({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
}

/** Checks the conditions of a write. @throws Fault `PreconditionFailed`, `NoSuchKey` */
export function requireWrite({ headers }: Pick<IncomingMessage, 'headers'>, present: StoredObject | null): void {
  const ifMatch = quoted(headers['if-match']);
  const ifNoneMatch = quoted(headers['if-none-match']);
  if (ifMatch !== undefined && present === null) throw new Fault('NoSuchKey');
  if (present === null) return;
  const tags = {
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
  };
  if (evaluateConditions({ method: 'PUT', headers: tags }, { etag: present.etag }) !== 200)
    throw new Fault('PreconditionFailed');
}

/** The version of an object, by which conditions were judged. */
export function versionOf(present: StoredObject | null): SeenVersion {
  return present === null ? null : { contentId: present.content.id, updatedAt: present.updatedAt };
}
