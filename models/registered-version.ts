import { hash } from 'node:crypto';
import type { Asset } from './asset.ts';
import { defineCollection } from './collection.ts';

/**
 * A source version that an asset was registered with before its current one. The row is written before the asset's
 * document moves on to the next version. A failure between the two writes leaves a row of a version that was
 * registered, and never a missing row.
 */
export interface RegisteredVersion {
  /** `<asset id>/<version>` */
  _id: string;
  organizationId: string;
  assetId: string;
  /** `versionDigest` of the source version. */
  version: string;
}

/** The earlier source versions of all assets. */
export const registeredVersions = defineCollection<RegisteredVersion>({
  name: 'registered_versions',
  owner: 'organization',
  indexes: [{ name: 'version', fields: ['organizationId', 'assetId', 'version'], unique: true }],
});

/** Digests of source versions in an asset's own document. */
export const maxRecentVersions = 50;

/** The first half of a source version's SHA-256, in lower-case hexadecimal digits. */
export function versionDigest(sourceVersion: string): string {
  return hash('sha256', sourceVersion, 'hex').slice(0, 32);
}

/** Id of the row of an asset's version, by its digest. */
export function versionId(assetId: string, version: string): string {
  return `${assetId}/${version}`;
}

/** The rows of an asset's versions, by their digests. */
export function versionRows(
  { _id: assetId, organizationId }: Pick<Asset, '_id' | 'organizationId'>,
  versions: readonly string[],
): RegisteredVersion[] {
  return versions.map((version) => ({ _id: versionId(assetId, version), organizationId, assetId, version }));
}
