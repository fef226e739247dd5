import type { Asset } from '../../models/asset.ts';
import type { Candidate } from '../../adapters/passages/port.ts';

/** What the searcher needs of an asset's document. */
export type AssetRecord = Pick<Asset, '_id' | 'aclMode' | 'principals' | 'attributesVersion' | 'activeRevision' | 'sourceMissingSince' | 'createdAt' | 'deletedAt' | 'filename' | 'kind' | 'metadata' | 'externalId' | 'sourceUrl' | 'sourceVersion' | 'activeSource'>;

/** What the check needs of what the index gave: which passage it is, and by which attributes it was permitted. */
export type Indexed = Pick<Candidate, 'assetId' | 'revision' | 'ordinal' | 'attributesVersion'>;

/**
 * What the records say of a candidate. `stale`: the index is behind (deleted, another revision is active, the source is
 * missing, permissions or attributes changed since). `leaked`: the index was told of the permissions and gave the
 * passage all the same, which must never happen.
 */
export type Verdict = 'shown' | 'stale' | 'leaked';

/** Whether the principals of a request may see a file. None sent, or an empty list: open files only. */
export function maySee(asset: Pick<Asset, 'aclMode' | 'principals'>, principals: ReadonlySet<string>): boolean {
  return asset.aclMode === 'open' || asset.principals.some((principal) => principals.has(principal));
}

/** Judges one candidate by its asset's document as it was read once for this search; undefined where there is none. */
export function judge(candidate: Indexed, asset: AssetRecord | undefined, principals: ReadonlySet<string>): Verdict {
  if (asset === undefined || asset.deletedAt !== null || asset.sourceMissingSince !== null) return 'stale';
  if (asset.activeRevision !== candidate.revision) return 'stale';
  if (maySee(asset, principals)) return 'shown';
  return candidate.attributesVersion === asset.attributesVersion ? 'leaked' : 'stale';
}

/**
 * Whether a candidate is of a revision that nobody will show again: its file is gone, or a later revision is active.
 * A revision above the active one may be about to become it, and what is deleted is being removed.
 */
export function isLeftOver(candidate: Indexed, asset: AssetRecord | undefined): boolean {
  return asset === undefined || (asset.deletedAt === null && asset.activeRevision !== null && candidate.revision < asset.activeRevision);
}

/**
 * Assets whose active revision may have become retrievable only after the retrieval ran: rows of an older revision
 * were given, none of the active one, and the active revision was not known before the retrieval began. For these the
 * search must ask once more, or it would find neither revision.
 */
export function overtaken(candidates: readonly Indexed[], assets: ReadonlyMap<string, AssetRecord>, knownBefore: ReadonlyMap<string, number>): string[] {
  const found = new Map<string, { active: number; hasActive: boolean }>();
  for (const { assetId, revision } of candidates) {
    const active = assets.get(assetId)?.activeRevision ?? null;
    if (active === null) continue;
    const state = found.get(assetId) ?? { active, hasActive: false };
    found.set(assetId, state);
    if (revision === active) state.hasActive = true;
  }
  return [...found].filter(([assetId, { active, hasActive }]) => !hasActive && knownBefore.get(assetId) !== active).map(([assetId]) => assetId);
}
