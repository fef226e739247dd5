import type { Collection } from '../../adapters/records/port.ts';
import type { Asset } from '../../models/asset.ts';
import {
  maxRecentVersions,
  versionDigest,
  versionId,
  versionRows,
  type RegisteredVersion,
} from '../../models/registered-version.ts';

/** Rows of one insert. */
const batchSize = 500;

/**
 * Whether an asset was ever registered with a source version. The answer holds for the document as it was read: a write
 * that is conditional on its `version` may rely on it.
 */
export async function isRegistered(
  versions: Collection<RegisteredVersion>,
  asset: Asset,
  sourceVersion: string,
): Promise<boolean> {
  const version = versionDigest(sourceVersion);
  if (asset.sourceVersion === sourceVersion || asset.registeredVersions.includes(version)) return true;
  return (await versions.get(versionId(asset._id, version))) !== null;
}

/**
 * Records the source versions that an asset's document is about to give up: the current one, and those that do not fit
 * into its list of recent ones. Repeating it changes nothing.
 * @param next the source version that the document is to have
 * @returns the document's list of recent versions, with the next one
 */
export async function recordVersions(
  versions: Collection<RegisteredVersion>,
  asset: Asset,
  next: string,
): Promise<string[]> {
  const last = versionDigest(next);
  const known = [...asset.registeredVersions.filter((version) => version !== last), last];
  await insertVersions(versions, asset, [...known.slice(0, -maxRecentVersions), versionDigest(asset.sourceVersion)]);
  return known.slice(-maxRecentVersions);
}

/** Inserts the rows of an asset's versions, by their digests, unless they are there. */
export async function insertVersions(
  versions: Collection<RegisteredVersion>,
  asset: Asset,
  digests: readonly string[],
): Promise<void> {
  const rows = versionRows(asset, [...new Set(digests)]);
  for (let start = 0; start < rows.length; start += batchSize)
    await versions.insertNew(rows.slice(start, start + batchSize));
}
