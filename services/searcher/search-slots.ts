import type { Counter } from 'prom-client';
import { Refusal } from '../../models/errors.ts';

/** Seconds after which a refused client may try again: by then what was in progress has long been answered. */
const retryAfter = 1;

/**
 * Searches that run at a time. More would only wait for each other: they would all get slow together, until clients give up
 * on answers that are still being computed. So further ones are refused at once.
 */
export class SearchSlots {
  private readonly max: number;
  private readonly shed: Pick<Counter<'by'>, 'inc'>;
  private running = 0;

  constructor(max: number, shed: Pick<Counter<'by'>, 'inc'>) {
    this.max = max;
    this.shed = shed;
  }

  /** Runs a search if a slot is free. @throws Refusal `content_service_unavailable`, retryable */
  async run<T>(search: () => Promise<T>): Promise<T> {
    if (this.running >= this.max) {
      this.shed.inc({ by: 'searcher' });
      throw new Refusal('content_service_unavailable', {
        detail: 'More searches run than can be answered in time; try again after `Retry-After`.',
        retryable: true,
        retryAfter,
        isShed: true,
      });
    }
    this.running += 1;
    try {
      return await search();
    } finally {
      this.running -= 1;
    }
  }
}
