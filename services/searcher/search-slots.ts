import type { Counter } from 'prom-client';
import { BurstSlots } from '../../models/burst-slots.ts';
import { Refusal } from '../../models/errors.ts';

/** Seconds after which a refused client may try again: by then what was in progress has long been answered. */
const retryAfter = 1;

/**
 * Searches that run at a time. Under a lasting overload more would only wait for each other: they would all get slow
 * together, until clients give up on answers that are still being computed. So further ones are refused at once; a burst that
 * is worked off soon is taken (BurstSlots).
 */
export class SearchSlots {
  private readonly max: number;
  private readonly shed: Pick<Counter<'by'>, 'inc'>;
  private readonly slots: BurstSlots;

  /** @param now a monotonic clock in milliseconds */
  constructor(max: number, shed: Pick<Counter<'by'>, 'inc'>, now: () => number = () => performance.now()) {
    this.max = max;
    this.shed = shed;
    this.slots = new BurstSlots(now);
  }

  /** Runs a search if a slot is free. @throws Refusal `content_service_unavailable`, retryable */
  async run<T>(search: () => Promise<T>): Promise<T> {
    if (!this.slots.begin(this.max)) {
      this.shed.inc({ by: 'searcher' });
      throw new Refusal('content_service_unavailable', {
        detail: 'More searches run than can be answered in time; try again after `Retry-After`.',
        retryable: true,
        retryAfter,
        isShed: true,
      });
    }
    try {
      return await search();
    } finally {
      this.slots.end(this.max);
    }
  }
}
