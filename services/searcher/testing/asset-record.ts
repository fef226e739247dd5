import type { AssetRecord } from '../check.ts';

/** The record of an open document whose first revision is active. */
export function assetRecord(id: string, fields: Partial<AssetRecord> = {}): AssetRecord {
  return {
    _id: id,
    aclMode: 'open',
    principals: [],
    attributesVersion: 1,
    activeRevision: 1,
    sourceMissingSince: null,
    createdAt: 1,
    deletedAt: null,
    filename: `${id}.txt`,
    kind: 'document',
    metadata: {},
    externalId: id,
    sourceUrl: `https://example.com/${id}.txt`,
    sourceVersion: 'v1',
    ...fields,
  };
}
