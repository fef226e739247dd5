import type { Hit } from '../order.ts';

/**
 * Ordered hits with the best passage of each pinned file first, in the order of the pin. What was not found is not there
 * to be moved, and nothing else changes places. Their scores lie above all others, so that scores fall along the list.
 */
export function promote(ordered: Hit[], assetIds: readonly string[]): Hit[] {
  if (assetIds.length === 0) return ordered;
  const best = new Map<string, Hit>();
  for (const hit of ordered) if (!best.has(hit.candidate.assetId)) best.set(hit.candidate.assetId, hit);
  const pinned = assetIds.flatMap((assetId) => best.get(assetId) ?? []);
  if (pinned.length === 0) return ordered;
  const moved = new Set(pinned);
  const highest = ordered[0]?.score ?? 0;
  return [...pinned.map((hit, place): Hit => ({ ...hit, isPinned: true, score: highest + pinned.length - place })), ...ordered.filter((hit) => !moved.has(hit))];
}
