import type { Candidate } from '../../adapters/passages/port.ts';
import type { Grade } from './grade.ts';

/** Places that paging reaches. */
export const reachablePlaces = 200;

/** Passages shown of one file in a grouped result. */
export const momentsShown = 20;

/** A graded passage with what ordering needs of its file. */
export interface Hit extends Grade {
  candidate: Candidate;
  /** When the file was registered, in milliseconds. */
  createdAt: number;
  /** Whether a pin moved it to its place. */
  isPinned?: true;
}

/** The passages of one file among the hits. */
export interface FileGroup {
  best: Hit;
  /** All matching passages of the file, best first. */
  hits: Hit[];
}

/** Better first; equal scores by relevance, then by evidence, by the file's age, then by ids, so that the order never depends on the store. */
export function compareHits(one: Hit, other: Hit): number {
  return other.score - one.score || other.relevance - one.relevance || other.evidence - one.evidence || one.createdAt - other.createdAt
    || compareText(one.candidate.assetId, other.candidate.assetId) || one.candidate.ordinal - other.candidate.ordinal;
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Groups ordered hits by file. Files stand in the order of their best passages. */
export function groupByFile(ordered: readonly Hit[]): FileGroup[] {
  const groups = new Map<string, FileGroup>();
  for (const hit of ordered) {
    const group = groups.get(hit.candidate.assetId);
    if (group === undefined) groups.set(hit.candidate.assetId, { best: hit, hits: [hit] });
    else group.hits.push(hit);
  }
  return [...groups.values()];
}

/** The moments that a grouped result shows: the best ones, in the file's order. */
export function momentsOf(group: FileGroup): Hit[] {
  return group.hits.slice(0, momentsShown).sort((one, other) => one.candidate.ordinal - other.candidate.ordinal);
}

/** One page of an ordered list. `hasMore` looks one place ahead, and never beyond the last reachable one. */
export function pageOf<T>(ordered: readonly T[], offset: number, limit: number): { page: T[]; hasMore: boolean } {
  const end = Math.min(offset + limit, reachablePlaces);
  return { page: ordered.slice(Math.min(offset, reachablePlaces), end), hasMore: end < Math.min(ordered.length, reachablePlaces) };
}
