import type { TermStatistics } from '../../adapters/passages/port.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { RelevanceModel } from '../../models/relevance/relevance.ts';
import { Checker, type CheckTools } from './check.ts';
import { grader, type Grade } from './grade.ts';
import { compareHits, promote, type Hit } from './order.ts';
import type { ExpandedCandidate, ExpandedResult } from './substitutes.ts';
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
  statistics: TermStatistics;
}

/** An organization's tuning, applied to one search. */
export interface Tuned {
  /** The query's synonyms; null for none. */
  widening: Widening | null;
  /** The factor on the scores of a file's passages; null for none. */
  boostOf: ((file: BoostedFile) => number) | null;
  /** Files that are moved to the front where they were found. */
  pins: readonly string[];
}

const untuned: Tuned = { widening: null, boostOf: null, pins: [] };

/** What retrieving works with. */
export type RetrieveTools = CheckTools & { relevance: RelevanceModel };

/**
 * Retrieves, grades and checks candidates against the records. Retrieves again when a revision became active after the
 * retrieval (the search would find neither revision), and with more candidates when stale rows filled a leg.
 * @param occurrences how often each term occurs in the query
 */
export async function retrieveChecked(
  tools: RetrieveTools,
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
    const { candidates, statistics } = result;
    // Grading needs no record: it goes on while these are read.
    const [{ shown, dropped, missed }, grades] = await Promise.all([
      checker.check(candidates),
      gradesOf(tools.relevance, result, occurrences, widening),
    ]);
    const isDisplaced = dropped > limit * maxStaleShare && candidates.length >= limit && limit < maxCandidatesPerLeg;
    if (checker.rounds < maxRetrievals && (missed || isDisplaced)) {
      if (isDisplaced) limit = Math.min(maxCandidatesPerLeg, limit * 2);
      continue;
    }
    const found: Hit[] = [];
    let withheldAsWeak = 0;
    for (const [index, candidate] of candidates.entries()) {
      const [state, grade] = [shown[index], grades[index]];
      if (state === undefined || grade === undefined) continue;
      if (grade.relevance < tools.relevance.floor) withheldAsWeak += 1;
      else found.push({ candidate, ...grade, createdAt: state.createdAt });
    }
    const factorOf = boostOf === null ? () => 1 : await factorsOf(tools, scope, granted, found, boostOf);
    // A table of contents ranks below the text that it leads to: its score is under every relevance that is shown.
    for (const hit of found)
      hit.score = hit.score * factorOf(hit.candidate) * (hit.candidate.isContents === true ? tools.relevance.floor : 1);
    return { hits: promote(found.sort(compareHits), pins), withheldAsWeak, statistics };
  }
}

async function gradesOf(
  relevance: RelevanceModel,
  result: ExpandedResult,
  occurrences: readonly number[],
  widening: Widening | null,
): Promise<Grade[]> {
  const gradeOf = grader(relevance, result, occurrences, widening);
  return result.candidates.map((candidate) => gradeOf(candidate));
}

/** The boosts of found passages: they depend on more of a file than its state. */
async function factorsOf(
  tools: RetrieveTools,
  scope: OrganizationScope,
  granted: ReadonlySet<string>,
  hits: readonly Hit[],
  boostOf: (file: BoostedFile) => number,
): Promise<(candidate: ExpandedCandidate) => number> {
  const ids = [...new Set(hits.map(({ candidate }) => candidate.assetId))];
  const records = ids.length === 0 ? [] : await tools.readAssets(scope, ids, granted);
  const factors = new Map(records.map((asset) => [asset._id, boostOf(asset)]));
  return ({ assetId }) => factors.get(assetId) ?? 1;
}
