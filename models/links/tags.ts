import { encodeKey } from '../storage-key.ts';
import { decodedOnce } from './target.ts';

/** Tags of a link: values by name, which traffic can be counted by. */
export interface LinkTags {
  readonly [name: string]: string;
}

/** Most tags of a link. */
export const maxTags = 8;
/** Longest value of a tag, in bytes of UTF-8. */
export const maxTagBytes = 128;

const nameForm = /^[a-z][a-z0-9_]{0,31}$/;

/** Whether a text can be the name of a tag. */
export function isTagName(name: string): boolean {
  return nameForm.test(name);
}

/** What is wrong with the value of a tag; null if it is good. */
export function tagValueFault(value: string): string | null {
  const bytes = Buffer.byteLength(value);
  if (bytes < 1 || bytes > maxTagBytes) return `must have 1 to ${maxTagBytes} bytes of UTF-8`;
  if (/[\u0000-\u001f\u007f-\u009f]/.test(value)) return 'must not hold control characters';
  if (/[&=?#]/.test(value)) return 'must not hold any of & = ? #';
  return value.isWellFormed() ? null : 'must be valid Unicode';
}

/** The part of a link's query that holds tags, in the order of their names; empty without tags. */
export function tagQuery(tags: LinkTags): string {
  return Object.keys(tags)
    .sort()
    .map((name) => `&tag.${name}=${encodeKey(tags[name] ?? '')}`)
    .join('');
}

/** The tags that `tagQuery` wrote; null where a query is not one that it writes. */
export function readTagQuery(query: string): LinkTags | null {
  const tags: { [name: string]: string } = {};
  let last = '';
  for (const part of query === '' ? [] : query.slice(1).split('&')) {
    const [, name, encoded] = /^tag\.([^=]*)=(.*)$/.exec(part) ?? [];
    const value = decodedOnce(encoded ?? '');
    if (name === undefined || value === null || !isTagName(name) || name <= last || tagValueFault(value) !== null)
      return null;
    tags[name] = value;
    last = name;
  }
  return Object.keys(tags).length <= maxTags && tagQuery(tags) === query ? tags : null;
}
