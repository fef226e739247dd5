import type { EventMap } from '../../mixins/events.ts';

type LeftOver = EventMap['index.stale'];

/** Revisions that are remembered as told at most. */
const mostTold = 1000;
/** Milliseconds before the same revision is told again: a replaced revision is usually gone by then. */
const silence = 10_000;

/**
 * Tells of revisions in the index that nobody will show again, each once in a while: searches meet the same one many
 * times before it is gone, and whoever hears of it reads its file's record.
 */
export function leftOvers(tell: (leftOver: LeftOver) => void, now: () => number): (leftOver: LeftOver) => void {
  const told = new Map<string, number>();
  return (leftOver) => {
    const key = `${leftOver.organizationId}/${leftOver.assetId}/${leftOver.revision}`;
    const last = told.get(key);
    if (last !== undefined && Math.abs(now() - last) < silence) return;
    told.delete(key);
    told.set(key, now());
    const [oldest] = told.keys();
    if (told.size > mostTold && oldest !== undefined) told.delete(oldest);
    tell(leftOver);
  };
}
