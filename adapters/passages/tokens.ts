import { hash } from 'node:crypto';
import type { FileAttributes } from '../../models/passage.ts';
import type { MetadataValue } from '../../models/asset.ts';
import { stemsOnly } from '../../models/passage-words.ts';

/** Longer tokens, in characters, are replaced by a digest. The limit is far below that of any index. */
const longestToken = 200;
const plain = /^[a-z0-9]+$/;
const escape = 'zz';

/**
 * A stem as the word indexes store it. Stems of a-z and 0-9 stay unchanged; all others become `zz` and the hexadecimal
 * digits of their UTF-8 bytes. So no tokenizer splits, folds or drops a stem, and different stems stay different.
 */
export function indexToken(stem: string): string {
  if (stem.length <= longestToken && plain.test(stem) && !stem.startsWith(escape)) return stem;
  const token = escape + Buffer.from(stem).toString('hex');
  return token.length <= longestToken ? token : `${escape}h${hash('sha256', stem)}`;
}

/** The stems of a passage's stored words as index tokens, separated by single spaces. */
export function indexText(stored: string): string {
  const stems = stemsOnly(stored);
  return stems === '' ? '' : stems.split(' ').map(indexToken).join(' ');
}

/**
 * Digest of a file attribute that searches filter by: a principal, a collection or a metadata value. The SHA-256 of its
 * parts as JSON in lower-case hexadecimal, so that kinds, types and special characters cannot collide.
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

/** The marks of a metadata value: one for a scalar, one for each member of a list. 1, "1" and true differ. */
export function metadataMarks(key: string, value: MetadataValue): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) => mark('metadata', key, typeof each, each));
}

/** All marks of a file except those of its principals. */
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
