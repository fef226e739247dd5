import type { Logger } from 'pino';

/** Another process has taken the lease over, or the document no longer allows the work. Decide by `name`. */
export class LeaseLost extends Error {
  constructor(reason = 'the lease was lost') {
    super(reason);
    this.name = 'LeaseLost';
  }
}

/** A lease that this process holds and renews. */
export interface KeptLease {
  /** Aborted when the lease is lost (with a LeaseLost) or the process stops (with its reason). */
  readonly signal: AbortSignal;
  /** From then on nothing may be written any more. */
  readonly isLost: boolean;
  /** Renews within about a second, for a write that can wait so long. */
  renewSoon(): void;
  /** Another write has just extended the lease. */
  extended(): void;
  /** Stops renewing; waits for a renewal that is under way. */
  end(): Promise<void>;
}

/** How a lease is kept. */
export interface KeepOptions {
  durationMs: number;
  /** Writes a later expiry, conditional on the token. Returns false if nothing matched. */
  renew(): Promise<boolean>;
  stopping?: AbortSignal;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** How often it is looked whether to renew, at most; also the least time between renewals that were asked for. */
const tickMs = 1000;

/**
 * Renews a lease every third of its time. A renewal that matches nothing means that the lease is lost; a store that
 * does not answer is asked again until the lease has expired.
 */
export function keepLease({ durationMs, renew, stopping, log }: KeepOptions): KeptLease {
  const abort = new AbortController();
  let isLost = false;
  let isEnded = false;
  let isWanted = false;
  let renewedAt = performance.now();
  let underWay: Promise<void> | null = null;

  const lose = (reason: string): void => {
    isLost = true;
    log.info({ reason }, 'the lease is lost');
    abort.abort(new LeaseLost(reason));
  };
  const attempt = async (): Promise<void> => {
    isWanted = false;
    const began = performance.now();
    try {
      if (await renew()) renewedAt = began;
      else if (!isEnded) lose('another worker, a cancellation or a newer version took the work');
    } catch (error) {
      log.warn({ err: error }, 'the lease could not be renewed');
      if (performance.now() - renewedAt > durationMs) lose('the lease could not be renewed in time');
    }
  };
  const timer = setInterval(
    () => {
      if (isLost || underWay !== null) return;
      const since = performance.now() - renewedAt;
      if (since >= durationMs / 3 || (isWanted && since >= tickMs))
        underWay = attempt().finally(() => (underWay = null));
    },
    Math.min(tickMs, durationMs / 6),
  );
  const onStop = (): void => abort.abort(stopping?.reason);
  stopping?.addEventListener('abort', onStop, { once: true });

  return {
    signal: abort.signal,
    get isLost() {
      return isLost;
    },
    renewSoon: () => {
      isWanted = true;
    },
    extended: () => {
      renewedAt = performance.now();
    },
    end: async () => {
      isEnded = true;
      clearInterval(timer);
      stopping?.removeEventListener('abort', onStop);
      await underWay;
    },
  };
}
