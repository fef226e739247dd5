import { FairTurns } from '../../models/fair-turns.ts';

/** An organization that may have so many jobs more, or fewer, and had none, goes with them before others. */
const headStart = 8;
/** One of so many places is kept for organizations that have few jobs out; none where there are fewer than `leastPlaces`. */
const keptOneOf = 4;
const leastPlaces = 6;

/** How long an organization counts as one that others share the places with, after it had a job that waited, in milliseconds. */
const companyMs = 10_000;

/** What an organization has waiting, as a round sees it. */
export interface Standing {
  /** How many more jobs it may have out; 0 where it has all that it may. */
  room: number;
  /** Jobs that are dispatched or under way. */
  out: number;
}

/**
 * Shares places out among organizations, job by job, in fair turns. A part of the places is kept free for who comes next, and
 * the others are divided among those who have had work of late: one that is alone has them all. So who comes while others
 * are busy with thousands waits for none of their jobs to end, and does not share processor and disk with many of one.
 */
export class FairOrder {
  private readonly turns = new FairTurns(headStart);
  /** When each organization was last seen with a job that waited. */
  private readonly seen = new Map<string, number>();

  /**
   * How many jobs of each organization to dispatch now.
   * @param slots places of the stage
   * @param out jobs of all organizations that are dispatched or under way
   * @param now milliseconds, of a clock that does not go back
   */
  shareOut(standings: ReadonlyMap<string, Standing>, slots: number, out: number, now: number): Map<string, number> {
    const kept = slots < leastPlaces ? 0 : Math.floor(slots / keptOneOf);
    const most = kept === 0 ? Infinity : Math.max(kept, Math.floor((slots - kept) / this.lately(standings.keys(), now)));
    const rooms = new Map([...standings].map(([organizationId, standing]) => [organizationId, Math.min(standing.room, most - standing.out)]));
    // Behind the busy places stands at most one waiting job for each: what is dispatched is served in its order, so the window is what a late-comer waits for.
    return this.share(rooms, 2 * slots - out);
  }

  /** How many organizations have had work of late. */
  private lately(waiting: Iterable<string>, now: number): number {
    for (const organizationId of waiting) this.seen.set(organizationId, now);
    for (const [organizationId, at] of this.seen) if (at < now - companyMs) this.seen.delete(organizationId);
    return Math.max(1, this.seen.size);
  }

  /**
   * Shares out places.
   * @param waiting jobs of each organization that may have one
   * @param places as many as there are; below 0 is none
   */
  share(waiting: ReadonlyMap<string, number>, places: number): Map<string, number> {
    const left = new Map([...waiting].filter(([, count]) => count > 0));
    const shares = new Map<string, number>();
    for (let place = 0; place < places; place++) {
      const next = this.turns.take(left);
      if (next === null) break;
      shares.set(next, (shares.get(next) ?? 0) + 1);
      const remaining = (left.get(next) ?? 0) - 1;
      if (remaining > 0) left.set(next, remaining);
      else left.delete(next);
    }
    return shares;
  }
}
