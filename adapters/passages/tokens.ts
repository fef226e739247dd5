import { hash } from 'node:crypto';
import type { FileAttributes } from '../../models/passage.ts';
import type { MetadataValue } from '../../models/asset.ts';

/** Tokens longer than this many characters are replaced by a digest, far below what any index cuts off. */
const longestToken = 200;
const plain = /^[a-z0-9]+$/;
const escape = 'zz';

/**
 * A stem as the word indexes hold it. Stems of a-z and 0-9 stay; all others become `zz` and the hexadecimal digits of
 * their UTF-8 bytes. So no tokenizer splits, folds or drops a stem, and unlike stems stay unlike.
 */
export function indexToken(stem: string): string {
  if (stem.length <= longestToken && plain.test(stem) && !stem.startsWith(escape)) return stem;
  const token = escape + Buffer.from(stem).toString('hex');
  return token.length <= longestToken ? token : `${escape}h${hash('sha256', stem)}`;
}

/** The stems of a passage as index tokens, separated by single spaces; `prefix` stands before each. */
export function indexText(stems: string, prefix: string): string {
  if (stems === '') return '';
  return stems.split(' ').map((stem) => prefix + indexToken(stem)).join(' ');
}

/**
 * What a file carries and a search may ask for: a principal, a collection, a value of a metadata key. It is the
 * SHA-256 of its parts as JSON, so that sorts, types and odd characters never meet; lower-case hexadecimal.
 */
function mark(...parts: readonly (string | number | boolean)[]): string {
  return hash('sha256', JSON.stringify(parts));
}

/** The mark of a grant to a principal. */
export function principalMark(principal: string): string {
  return mark('principal', principal);
}

/** The mark of belonging to a collection. */
export function collectionMark(collection: string): string {
  return mark('collection', collection);
}

/** The marks of a metadata value: one for a scalar, one for each member of a list. 1, "1" and true are unlike. */
export function metadataMarks(key: string, value: MetadataValue): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) => mark('metadata', key, typeof each, each));
}

/** All marks of a file but its principals'. */
export function descriptionMarks(attributes: FileAttributes): string[] {
  return [
    ...attributes.collections.map(collectionMark),
    ...Object.entries(attributes.metadata).flatMap(([key, value]) => metadataMarks(key, value)),
  ];
}

/** The part of a language tag that filters compare: `en` of `en-GB`, in lower case. */
export function primaryLanguage(tag: string): string {
  return (tag.split(/[-_]/)[0] ?? '').toLowerCase();
}
