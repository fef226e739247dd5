import type { AppContext } from '../../../mixins/app-context.ts';
import { derivedKey } from '../../../mixins/blocks/blocks.ts';
import { assets as assetsDefinition, type Asset } from '../../../models/asset.ts';
import { contentClaims } from '../../../models/job.ts';
import { systemScope } from '../../../models/scope.ts';
import { derivedNames } from '../../../models/transcript.ts';
import { keyOf } from './sound-writer.ts';

/** Facts about a recording that was read. */
export interface ReadContent {
  /** Digest of its bytes, lower-case hex. */
  sha256: string;
  /** Whether its pictures were searched for slides. */
  isLookedAt: boolean;
}

/**
 * Copies what was transcribed and read of identical content of the account, where there is such. The digest must be
 * that of bytes that this service has read from this asset's source: a digest from a caller gives nobody
 * another's text.
 * @returns the id of the asset whose text was copied, or null: then the recording is transcribed
 */
export async function copyIdentical(
  app: AppContext,
  asset: Asset,
  { sha256, isLookedAt }: ReadContent,
): Promise<string | null> {
  const other = await findIdentical(app, asset, sha256);
  if (other === null || other.activeRevision === null) return null;
  const { blobs } = app;
  const from = (name: string): string => derivedKey(other.organizationId, other._id, other.activeRevision ?? 0, name);
  try {
    const hasSlides = await blobs.exists(from(derivedNames.slides));
    // Read with another setting, or where the reader was missing.
    if (asset.kind === 'video' && hasSlides !== isLookedAt) return null;
    if (hasSlides) await blobs.write(keyOf(asset, derivedNames.slides), blobs.read(from(derivedNames.slides)));
    // Corrections are the other asset's alone.
    const isCorrected = await blobs.exists(from(derivedNames.uncorrected));
    await blobs.write(
      keyOf(asset, derivedNames.transcript),
      blobs.read(from(isCorrected ? derivedNames.uncorrected : derivedNames.transcript)),
    );
    return other._id;
  } catch (error) {
    // It was deleted or replaced concurrently, or has no transcript.
    if (error instanceof Error && error.name === 'BlobNotFound') return null;
    throw error;
  }
}

/**
 * The asset of the account whose ready text came from the same bytes, the same sound track and the same language; null
 * if there is none.
 */
async function findIdentical(app: AppContext, asset: Asset, sha256: string): Promise<Asset | null> {
  const claim = await app.records.collection(contentClaims, systemScope).get(`${asset.accountId}:${sha256}`);
  if (claim === null || claim.assetId === asset._id) return null;
  const other = await app.records.collection(assetsDefinition, systemScope).get(claim.assetId);
  if (other === null || other.deletedAt !== null || other.accountId !== asset.accountId || other.kind !== asset.kind)
    return null;
  // The fields of the asset describe its latest run: they are those of its active revision only where that is the one.
  const isCurrent =
    other.run.state === 'ready' && other.run.revision === other.activeRevision && other.facts?.sha256 === sha256;
  const isAlike = other.audioTrack === asset.audioTrack && other.language === asset.language;
  return isCurrent && isAlike ? other : null;
}
