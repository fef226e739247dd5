import type { Grade } from './grade.ts';
import type { ExpandedCandidate } from './substitutes.ts';

/** Results that paging reaches. */
export const maxReachable = 200;

/** Passages of one file in a grouped result. */
export const maxMoments = 20;

/** A graded passage with the fields of its file that decide its rank. */
export interface Hit extends Grade {
  candidate: ExpandedCandidate;
  /** When the file was registered, in milliseconds. */
  createdAt: number;
  /** Whether a pin moved it to the front. */
  isPinned?: true;
}

/** The passages of one file among the hits. */
export interface FileGroup {
  best: Hit;
  /** All matching passages of the file, best first. */
  hits: Hit[];
}

/**
 * Orders hits by score, then by relevance, evidence, the file's age and ids, so that the order never depends on the
 * store.
 */
export function compareHits(one: Hit, other: Hit): number {
  return (
    other.score - one.score ||
    other.relevance - one.relevance ||
    other.evidence - one.evidence ||
    one.createdAt - other.createdAt ||
    compareText(one.candidate.assetId, other.candidate.assetId) ||
    one.candidate.ordinal - other.candidate.ordinal
  );
}

/** Orders ids as the stores do. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Groups ordered hits by file, in the order of the files' best passages. */
export function groupByFile(ordered: readonly Hit[]): FileGroup[] {
  const groups = new Map<string, FileGroup>();
  for (const hit of ordered) {
    const group = groups.get(hit.candidate.assetId);
    if (group === undefined) groups.set(hit.candidate.assetId, { best: hit, hits: [hit] });
    else group.hits.push(hit);
  }
  return [...groups.values()];
}

/** The moments of a grouped result: the best passages, in the file's order. */
export function momentsOf(group: FileGroup): Hit[] {
  return group.hits.slice(0, maxMoments).sort((one, other) => one.candidate.ordinal - other.candidate.ordinal);
}

/** One page of an ordered list. `hasMore` is false at the last reachable result. */
export function pageOf<T>(ordered: readonly T[], offset: number, limit: number): { page: T[]; hasMore: boolean } {
  const end = Math.min(offset + limit, maxReachable);
  return {
    page: ordered.slice(Math.min(offset, maxReachable), end),
    hasMore: end < Math.min(ordered.length, maxReachable),
  };
}

/**
 * Moves the best passage of each pinned file that was found to the front, in the order of the pins. All other hits keep
 * their order. Pinned hits score above all others, so that scores decrease along the list.
 */
export function promote(ordered: Hit[], assetIds: readonly string[]): Hit[] {
  if (assetIds.length === 0) return ordered;
  const best = new Map<string, Hit>();
  for (const hit of ordered) if (!best.has(hit.candidate.assetId)) best.set(hit.candidate.assetId, hit);
  const pinned = assetIds.flatMap((assetId) => best.get(assetId) ?? []);
  if (pinned.length === 0) return ordered;
  const moved = new Set(pinned);
  const highest = ordered[0]?.score ?? 0;
  return [
    ...pinned.map((hit, index): Hit => ({ ...hit, isPinned: true, score: highest + pinned.length - index })),
    ...ordered.filter((hit) => !moved.has(hit)),
  ];
}
