import type { TermStatistics } from '../../adapters/passages/port.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { RelevanceModel } from '../../models/relevance/relevance.ts';
import { Checker, type AssetRecord, type CheckTools } from './check.ts';
import { grader } from './grade.ts';
import { compareHits, promote, type Hit } from './order.ts';
import type { ExpandedResult } from './substitutes.ts';
import type { Widening } from './tuning/synonyms.ts';
import type { BoostedFile } from './tuning/tuning.ts';

/** Candidates of each leg: as many as paging reaches, the same for every page. */
export const candidatesPerLeg = 200;
/** Candidates of each leg, at most, when stale rows displace others. */
const maxCandidatesPerLeg = 1600;
/** Share of stale rows in a leg above which more candidates are retrieved. */
const maxStaleShare = 0.1;
/** Retrievals of one search. */
const maxRetrievals = 4;

/** The hits of a search, graded and checked against the records. */
export interface CheckedResult {
  /** Hits at or above the floor, in order. */
  hits: Hit[];
  /** Passages below the floor that may be seen. */
  withheldAsWeak: number;
  /** The documents that the check read, by id. */
  assets: Map<string, AssetRecord>;
  statistics: TermStatistics;
}

/** An organization's tuning, applied to one search. */
export interface Tuned {
  /** The query's synonyms; null for none. */
  widening: Widening | null;
  /** The factor on the scores of a file's passages. */
  boostOf: (file: BoostedFile) => number;
  /** Files that are moved to the front where they were found. */
  pins: readonly string[];
}

const untuned: Tuned = { widening: null, boostOf: () => 1, pins: [] };

/**
 * Retrieves, grades and checks candidates against the records. Retrieves again when a revision became active after the
 * retrieval (the search would find neither revision), and with more candidates when stale rows filled a leg.
 * @param occurrences how often each term occurs in the query
 */
export async function retrieveChecked(
  tools: CheckTools & { relevance: RelevanceModel },
  scope: OrganizationScope,
  principals: readonly string[] | null,
  occurrences: readonly number[],
  retrieve: (limit: number) => Promise<ExpandedResult>,
  { widening, boostOf, pins }: Tuned = untuned,
): Promise<CheckedResult> {
  const granted = new Set(principals);
  const checker = new Checker(tools, scope, granted);
  let limit = candidatesPerLeg;
  for (;;) {
    const result = await retrieve(limit);
    const { assets, shown, dropped, missed } = await checker.check(result.candidates);
    const hits: Hit[] = [];
    let withheldAsWeak = 0;
    const gradeOf = grader(tools.relevance, result, occurrences, widening);
    result.candidates.forEach((candidate, index) => {
      const asset = shown[index];
      if (asset === undefined) return;
      const { relevance, score, evidence } = gradeOf(candidate);
      if (relevance >= tools.relevance.floor)
        // A table of contents ranks below the text that it leads to: its score is under every relevance that is shown.
        hits.push({
          candidate,
          relevance,
          score: score * boostOf(asset) * (candidate.isContents === true ? tools.relevance.floor : 1),
          evidence,
          createdAt: asset.createdAt,
        });
      else withheldAsWeak += 1;
    });
    const isDisplaced =
      dropped > limit * maxStaleShare && result.candidates.length >= limit && limit < maxCandidatesPerLeg;
    if (checker.rounds < maxRetrievals && (missed || isDisplaced)) {
      if (isDisplaced) limit = Math.min(maxCandidatesPerLeg, limit * 2);
      continue;
    }
    return { hits: promote(hits.sort(compareHits), pins), withheldAsWeak, assets, statistics: result.statistics };
  }
}
