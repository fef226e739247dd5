import { FairTurns } from '../../models/fair-queue.ts';

/** An organization that had no jobs, and now has room for no more than this, goes before others. */
const headStart = 8;
/** One of this many slots is reserved for organizations with few jobs; none where there are fewer than `minSlots`. */
const reserveOneOf = 4;
const minSlots = 6;
/** How long an organization counts as active after it had a waiting job, in milliseconds. */
const activeMs = 10_000;

/** An organization with waiting jobs, as a round sees it. */
export interface Standing {
  /** How many more jobs it may have outstanding; 0 at its cap. */
  room: number;
  /** Jobs that are dispatched or under way. */
  out: number;
}

/**
 * Shares slots out among organizations, job by job, in fair turns. Some slots are reserved for newcomers, and the
 * others are divided among the organizations that were active recently: a single one gets them all. So a newcomer waits
 * for none of the jobs of organizations that are busy with thousands, and does not share processor and disk with many
 * of one.
 */
export class FairOrder {
  readonly #turns = new FairTurns(headStart);
  /** When each organization was last seen with a waiting job. */
  readonly #seen = new Map<string, number>();

  /**
   * How many jobs of each organization to dispatch now.
   * @param slots slots of the stage
   * @param out jobs of all organizations that are dispatched or under way
   * @param now milliseconds of a monotonic clock
   */
  shareOut(standings: ReadonlyMap<string, Standing>, slots: number, out: number, now: number): Map<string, number> {
    const reserved = slots < minSlots ? 0 : Math.floor(slots / reserveOneOf);
    const max =
      reserved === 0
        ? Infinity
        : Math.max(reserved, Math.floor((slots - reserved) / this.#countActive(standings.keys(), now)));
    const rooms = new Map(
      [...standings].map(([organizationId, standing]) => [organizationId, Math.min(standing.room, max - standing.out)]),
    );
    // At most one job waits behind each busy slot: the queue is first in, first out, so a newcomer waits for the
    // window.
    return this.share(rooms, 2 * slots - out);
  }

  #countActive(waiting: Iterable<string>, now: number): number {
    for (const organizationId of waiting) this.#seen.set(organizationId, now);
    for (const [organizationId, at] of this.#seen) if (at < now - activeMs) this.#seen.delete(organizationId);
    return Math.max(1, this.#seen.size);
  }

  /**
   * Shares slots out in fair turns.
   * @param waiting jobs of each organization that may get a slot
   * @param slots below 0 counts as none
   */
  share(waiting: ReadonlyMap<string, number>, slots: number): Map<string, number> {
    const remaining = new Map([...waiting].filter(([, count]) => count > 0));
    const shares = new Map<string, number>();
    for (let given = 0; given < slots; given++) {
      const next = this.#turns.take(remaining);
      if (next === null) break;
      shares.set(next, (shares.get(next) ?? 0) + 1);
      const left = (remaining.get(next) ?? 0) - 1;
      if (left > 0) remaining.set(next, left);
      else remaining.delete(next);
    }
    return shares;
  }
}
