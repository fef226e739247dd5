import { FairTurns } from '../../models/fair-turns.ts';

/** Jobs of an organization that had none that go before those of others. */
const headStart = 8;
/** One of so many places is kept for organizations that have few jobs out; none where there are fewer than `leastPlaces`. */
const keptOneOf = 4;
const leastPlaces = 6;

/** What an organization has waiting, as a round sees it. */
export interface Standing {
  /** How many more jobs it may have out; 0 where it has all that it may. */
  room: number;
  /** Jobs that are dispatched or under way. */
  out: number;
}

/**
 * Shares places out among organizations, job by job, in fair turns. A part of the places is kept for those who have fewer jobs
 * out than their share: who comes while others are busy with thousands finds places free, and waits for none of their jobs to
 * end.
 */
export class FairOrder {
  private readonly turns = new FairTurns(headStart);

  /**
   * How many jobs of each organization to dispatch now.
   * @param slots places of the stage
   * @param out jobs of all organizations that are dispatched or under way
   */
  shareOut(waiting: ReadonlyMap<string, Standing>, slots: number, out: number): Map<string, number> {
    const kept = slots < leastPlaces ? 0 : Math.floor(slots / keptOneOf);
    // Behind the busy places stands at most one waiting job for each: what is dispatched is served in its order, so the window is what a late-comer waits for.
    const window = 2 * slots - out;
    const share = Math.max(kept, Math.floor((slots - kept) / waiting.size));
    const below = new Map([...waiting].map(([organizationId, standing]) => [organizationId, Math.min(standing.room, share - standing.out)]));
    const first = kept === 0 ? new Map<string, number>() : this.share(below, window);
    const given = [...first.values()].reduce((sum, count) => sum + count, 0);
    const left = new Map([...waiting].map(([organizationId, { room }]) => [organizationId, room - (first.get(organizationId) ?? 0)]));
    const second = this.share(left, (kept === 0 ? window : slots - kept - out) - given);
    return new Map([...waiting.keys()].map((organizationId) => [organizationId, (first.get(organizationId) ?? 0) + (second.get(organizationId) ?? 0)]));
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
      const next = this.turns.take(left.keys());
      if (next === null) break;
      shares.set(next, (shares.get(next) ?? 0) + 1);
      const remaining = (left.get(next) ?? 0) - 1;
      if (remaining > 0) left.set(next, remaining);
      else left.delete(next);
    }
    return shares;
  }
}
