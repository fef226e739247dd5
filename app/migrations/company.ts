import type { ServiceBroker } from 'moleculer';
import type { AppContext } from '../../mixins/app-context.ts';
import { migrations, type Migration } from './steps.ts';

/** The other programs that work on the stores. */
export interface Company {
  /**
   * Whether no program of an earlier version has served for the quiet time: from then on no process writes documents of
   * an earlier form.
   */
  isAlone(): boolean;
  /** Restarts the quiet time. */
  beginAnew(): void;
}

/**
 * How long earlier programs must be gone: longer than nodes need to discover each other, and longer than a write in
 * progress.
 */
const quietMs = 30_000;

/** The company of a program with exclusive stores. */
export const noCompany: Company = { isAlone: () => true, beginAnew: () => undefined };

/**
 * A company that looks for earlier programs at each call.
 * @param now milliseconds of a monotonic clock
 */
export function companyOf(isEarlierThere: () => boolean, now: () => number, forMs: number = quietMs): Company {
  let last = now();
  return {
    isAlone: () => {
      if (isEarlierThere()) last = now();
      return now() - last >= forMs;
    },
    beginAnew: () => {
      last = now();
    },
  };
}

/**
 * Whether a running program does not know all of these migrations. Programs publish theirs in the node's metadata; the
 * first versions do not.
 */
export function isEarlierAmong(broker: ServiceBroker, steps: readonly Migration[] = migrations): boolean {
  const nodes: { metadata?: Record<string, unknown> | null }[] = broker.registry.getNodeList({
    onlyAvailable: true,
    withServices: false,
  });
  return nodes.some(({ metadata }) => {
    const known: unknown = metadata?.['migrations'];
    return !Array.isArray(known) || steps.some(({ id }) => !known.includes(id));
  });
}

/** The company of a program: the other nodes of its cluster, if any. */
export function companyIn(broker: ServiceBroker, { configuration }: Pick<AppContext, 'configuration'>): Company {
  return configuration.PLY_NATS_URL === null
    ? noCompany
    : companyOf(
        () => isEarlierAmong(broker),
        () => performance.now(),
      );
}
