import type { Retrieval } from '../port.ts';
import { collectionMark, metadataMarks, primaryLanguage, principalMark } from '../tokens.ts';
import { fileKey, half, keyOfDigest, organizationKey, valueKey } from './keys.ts';
import type { Key } from './keys.ts';

const noRows = 'revision < 0';

/**
 * The restriction of a retrieval as a filter expression; every request includes it. All its values are numbers, so that
 * no client input can change its meaning.
 */
export function restriction(
  organizationId: string,
  retrieval: Pick<Retrieval, 'principals' | 'filter' | 'exceptAsset'>,
): string {
  const { principals, filter, exceptAsset } = retrieval;
  const parts = [`organization == ${organizationKey(organizationId)}`, 'live == true'];
  parts.push(
    principals === null || principals.length === 0
      ? 'open == true'
      : `(open == true or ${contains('grants', principals.map(principalMark))})`,
  );
  if (exceptAsset !== undefined) parts.push(`file != ${fileKey(organizationId, exceptAsset)}`);
  if (filter.kind !== undefined) parts.push(`kind == ${valueKey('kind', filter.kind)}`);
  if (filter.createdAfter !== undefined) parts.push(`created >= ${Math.ceil(filter.createdAfter)}`);
  if (filter.createdBefore !== undefined) parts.push(`created < ${Math.ceil(filter.createdBefore)}`);
  if (filter.assetIds !== undefined)
    parts.push(
      isIn(
        'file',
        filter.assetIds.map((id) => fileKey(organizationId, id)),
      ),
    );
  if (filter.externalIds !== undefined)
    parts.push(
      isIn(
        'external',
        filter.externalIds.map((id) => valueKey('external', id)),
      ),
    );
  if (filter.speaker !== undefined) parts.push(`speaker == ${valueKey('speaker', filter.speaker)}`);
  if (filter.language !== undefined)
    parts.push(`language == ${valueKey('language', primaryLanguage(filter.language))}`);
  if (filter.collections !== undefined) parts.push(contains('marks', filter.collections.map(collectionMark)));
  for (const [name, value] of Object.entries(filter.metadata ?? {}))
    parts.push(contains('marks', metadataMarks(name, value)));
  return parts.join(' and ');
}

/** All rows of an organization. */
export function organizationRows(organizationId: string): string {
  return `organization == ${organizationKey(organizationId)}`;
}

/** All rows of a file. */
export function fileRows(organizationId: string, assetId: string): string {
  return `${organizationRows(organizationId)} and file == ${fileKey(organizationId, assetId)}`;
}

/** The rows of one revision with ordinals in [from, to). */
export function revisionRows(
  organizationId: string,
  assetId: string,
  revision: number,
  from: number,
  to: number,
): string {
  return `${fileRows(organizationId, assetId)} and revision == ${revision} and ordinal >= ${from} and ordinal < ${to}`;
}

/** Rows of the organization with these primary keys. */
export function rowsOf(organizationId: string, keys: readonly Key[]): string {
  return `${organizationRows(organizationId)} and ${isIn('id', keys)}`;
}

function isIn(field: string, keys: readonly Key[]): string {
  return keys.length === 0 ? noRows : `${field} in [${keys.join(',')}]`;
}

function contains(field: 'grants' | 'marks', digests: readonly string[]): string {
  const halves: [Key[], Key[]] = [[], []];
  for (const digest of new Set(digests)) {
    const key = keyOfDigest(digest);
    halves[half(key)].push(key);
  }
  const parts = halves.flatMap((keys, index) =>
    keys.length === 0 ? [] : [`array_contains_any(${field}${index}, [${keys.join(',')}])`],
  );
  return parts.length === 0 ? noRows : `(${parts.join(' or ')})`;
}
