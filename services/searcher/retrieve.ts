import type { TermStatistics } from '../../adapters/passages/port.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { RelevanceModel } from '../../models/relevance/relevance.ts';
import type { AssetRecord } from './check.ts';
import { Checker } from './checker.ts';
import { grader } from './grade.ts';
import type { LikeResult } from './like-words.ts';
import { compareHits, type Hit } from './order.ts';
import type { BoostedFile } from './tuning/boosts.ts';
import { promote } from './tuning/pins.ts';
import type { Widening } from './tuning/synonyms.ts';

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

/** What an organization's tuning makes of one search. */
export interface Tuned {
  /** What synonyms add to the query; null for none. */
  widening: Widening | null;
  /** What the scores of a file's passages are multiplied by. */
  boostOf: (file: BoostedFile) => number;
  /** Files that stand first where they were found. */
  pins: readonly string[];
}

const untuned: Tuned = { widening: null, boostOf: () => 1, pins: [] };

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
export async function retrieveChecked(tools: CheckTools, scope: OrganizationScope, principals: readonly string[] | null, occurrences: readonly number[], retrieve: (limit: number) => Promise<LikeResult>, { widening, boostOf, pins }: Tuned = untuned): Promise<CheckedResult> {
  const granted = new Set(principals);
  const checker = new Checker(tools, scope, granted);
  let limit = candidatesPerLeg;
  for (;;) {
    const result = await retrieve(limit);
    const { assets, shown, dropped, missed } = await checker.check(result.candidates);
    const hits: Hit[] = [];
    let withheldAsWeak = 0;
    const gradeOf = grader(tools.relevance, result, occurrences, widening);
    result.candidates.forEach((candidate, place) => {
      const asset = shown[place];
      if (asset === undefined) return;
      const { relevance, score, evidence } = gradeOf(candidate);
      if (relevance >= tools.relevance.floor) hits.push({ candidate, relevance, score: score * boostOf(asset), evidence, createdAt: asset.createdAt });
      else withheldAsWeak += 1;
    });
    const crowdedOut = dropped > limit * staleShare && result.candidates.length >= limit && limit < candidatesAtMost;
    if (checker.rounds < retrievals && (missed || crowdedOut)) {
      if (crowdedOut) limit = Math.min(candidatesAtMost, limit * 2);
      continue;
    }
    return { hits: promote(hits.sort(compareHits), pins), withheldAsWeak, assets, statistics: result.statistics };
  }
}
