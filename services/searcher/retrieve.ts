import type { RetrievalResult, TermStatistics } from '../../adapters/passages/port.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { RelevanceModel } from '../../models/relevance/relevance.ts';
import { isLeftOver, judge, overtaken, type AssetRecord } from './check.ts';
import { gradeCandidates } from './grade.ts';
import { compareHits, type Hit } from './order.ts';

/** Candidates of each leg: as many as paging reaches, the same for every page. */
export const candidatesPerLeg = 200;
/** Candidates of each leg at most, when stale rows took the places of others. */
const candidatesAtMost = 1600;
/** Share of a leg that rows may be stale before their places are asked for again. */
const staleShare = 0.1;
/** Retrievals of one search at most. */
const retrievals = 4;

/** What is left after grading and the check against the records. */
export interface CheckedResult {
  /** Hits at or above the floor, in order. */
  hits: Hit[];
  /** Passages that were found, may be seen, and lie below the floor. */
  withheldAsWeak: number;
  /** The documents that the check read, each once. */
  assets: Map<string, AssetRecord>;
  statistics: TermStatistics;
}

/** What the check works with. */
export interface CheckTools {
  /** Documents of those assets that exist. Of their principals only those in `granted` are asked for. */
  readAssets: (scope: OrganizationScope, ids: string[], granted: ReadonlySet<string>) => Promise<AssetRecord[]>;
  relevance: RelevanceModel;
  permissionDropped: (hit: { assetId: string; revision: number }) => void;
  /** Told of rows of a revision that nobody will show again: somebody should discard it. */
  leftOver: (hit: { organizationId: string; assetId: string; revision: number }) => void;
}

/**
 * Retrieves, grades and checks every candidate against the records, read once for each asset and retrieval.
 * It asks again when a revision became active after the retrieval (or the search would find neither revision), and with
 * a larger limit when rows that the records no longer back filled a leg. `occurrences` tells how often each term stands
 * in the query.
 */
export async function retrieveChecked(tools: CheckTools, scope: OrganizationScope, principals: readonly string[] | null, occurrences: readonly number[], retrieve: (limit: number) => Promise<RetrievalResult>): Promise<CheckedResult> {
  const granted = new Set(principals);
  const knownBefore = new Map<string, number>();
  const reported = new Set<string>();
  let limit = candidatesPerLeg;
  for (let round = 1; ; round += 1) {
    const result = await retrieve(limit);
    const ids = [...new Set(result.candidates.map((candidate) => candidate.assetId))];
    const assets = new Map((ids.length === 0 ? [] : await tools.readAssets(scope, ids, granted)).map((asset) => [asset._id, asset]));
    const hits: Hit[] = [];
    let withheldAsWeak = 0;
    let dropped = 0;
    for (const graded of gradeCandidates(tools.relevance, result, occurrences)) {
      const { candidate, relevance } = graded;
      const asset = assets.get(candidate.assetId);
      const verdict = judge(candidate, asset, granted);
      if (verdict === 'shown' && asset !== undefined) {
        if (relevance >= tools.relevance.floor) hits.push({ ...graded, createdAt: asset.createdAt });
        else withheldAsWeak += 1;
        continue;
      }
      dropped += 1;
      if (isLeftOver(candidate, asset)) tools.leftOver({ organizationId: scope.organizationId, assetId: candidate.assetId, revision: candidate.revision });
      const key = `${candidate.assetId}/${candidate.revision}/${candidate.ordinal}`;
      if (verdict === 'leaked' && !reported.has(key)) {
        reported.add(key);
        tools.permissionDropped(candidate);
      }
    }
    const missed = overtaken(result.candidates, assets, knownBefore);
    const crowdedOut = dropped > limit * staleShare && result.candidates.length >= limit && limit < candidatesAtMost;
    if (round < retrievals && (missed.length > 0 || crowdedOut)) {
      for (const asset of assets.values()) if (asset.activeRevision !== null) knownBefore.set(asset._id, asset.activeRevision);
      if (crowdedOut) limit = Math.min(candidatesAtMost, limit * 2);
      continue;
    }
    return { hits: hits.sort(compareHits), withheldAsWeak, assets, statistics: result.statistics };
  }
}
