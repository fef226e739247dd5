import type { Logger } from 'pino';
import type { Collection } from '../../adapters/records/port.ts';
import type { Asset } from '../../models/asset.ts';
import type { House } from '../house.ts';
import * as transitions from './transitions.ts';

/** A lease in the hands of a worker. */
export interface KeptLease {
  /** Aborted when the lease is lost, the job was cancelled, or the process stops. */
  readonly signal: AbortSignal;
  /** True once somebody else has the job, or nobody: then nothing may be written any more. */
  readonly lost: boolean;
  progress(percent: number): void;
  /** Stops renewing; waits for a renewal that is under way. */
  end(): Promise<void>;
}

interface LeaseOptions {
  house: House;
  assets: Collection<Asset>;
  claimed: Asset;
  leaseMs: number;
  stopping: AbortSignal;
  log: Logger;
  /** How many jobs of the stage are in this worker's hands. */
  held(): number;
  /** Called after each renewal. */
  renewed(): void;
}

/** How often the progress is written at most. */
const progressMs = 1000;

/**
 * Renews a lease every third of its time, and sooner when there is progress to tell. A renewal that matches nothing
 * means that the lease is lost; a store that does not answer is asked again until the lease would have run out.
 */
export function keepLease({ house, assets, claimed, leaseMs, stopping, log, held, renewed }: LeaseOptions): KeptLease {
  const abort = new AbortController();
  let lost = false;
  let ended = false;
  // A stage that is done again goes on telling what was told before: progress never falls.
  let told = claimed.run.progress;
  let percent = told;
  let lastRenewal = performance.now();
  let underWay: Promise<void> = Promise.resolve();

  const lose = (reason: string): void => {
    lost = true;
    log.info({ reason }, 'the lease is lost');
    abort.abort(new Error(reason));
  };
  const renew = async (): Promise<void> => {
    const telling = percent;
    try {
      const now = house.records.time();
      const { filter, change } = transitions.renew(claimed, { progress: telling, held: held() }, now, leaseMs);
      const current = await assets.update(claimed._id, filter, change);
      if (current === null) {
        if (!ended) lose('another worker, a cancellation or a newer revision took the job');
        return;
      }
      told = telling;
      lastRenewal = performance.now();
      renewed();
    } catch (error) {
      log.warn({ err: error }, 'the lease could not be renewed');
      if (performance.now() - lastRenewal > leaseMs) lose('the lease could not be renewed in time');
    }
  };
  let isRenewing = false;
  const tick = (): void => {
    const since = performance.now() - lastRenewal;
    if (ended || isRenewing || lost) return;
    if (since < leaseMs / 3 && !(percent > told && since >= progressMs)) return;
    isRenewing = true;
    underWay = renew().finally(() => {
      isRenewing = false;
    });
  };
  const timer = setInterval(tick, Math.min(250, leaseMs / 6));
  const onStop = (): void => abort.abort(stopping.reason);
  stopping.addEventListener('abort', onStop, { once: true });

  return {
    signal: abort.signal,
    get lost() {
      return lost;
    },
    progress: (value) => {
      percent = Math.max(percent, Math.min(100, Math.floor(value)));
    },
    end: async () => {
      ended = true;
      clearInterval(timer);
      stopping.removeEventListener('abort', onStop);
      await underWay;
    },
  };
}
