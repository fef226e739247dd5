import type { ServiceBroker } from 'moleculer';
import type { AppContext } from '../../mixins/app-context.ts';
import { migrations, type Migration } from './steps.ts';

/** Whether programs of earlier versions still work on the stores. */
export interface EarlierPrograms {
  /**
   * Whether no program of an earlier version has served for the quiet time: from then on no process writes documents of
   * an earlier form.
   */
  areGone(): boolean;
  /** Restarts the quiet time. */
  restart(): void;
}

/**
 * How long earlier programs must be gone: longer than nodes need to discover each other, and longer than a write in
 * progress.
 */
const quietMs = 30_000;

/** A program with exclusive stores has none beside it. */
export const noEarlierPrograms: EarlierPrograms = { areGone: () => true, restart: () => undefined };

/**
 * Looks for earlier programs at each call.
 * @param now milliseconds of a monotonic clock
 */
export function watchEarlierPrograms(
  isEarlierThere: () => boolean,
  now: () => number,
  forMs: number = quietMs,
): EarlierPrograms {
  let last = now();
  return {
    areGone: () => {
      if (isEarlierThere()) last = now();
      return now() - last >= forMs;
    },
    restart: () => {
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

/** The earlier programs among the other nodes of the cluster, if there is one. */
export function earlierProgramsIn(
  broker: ServiceBroker,
  { configuration }: Pick<AppContext, 'configuration'>,
): EarlierPrograms {
  return configuration.PLY_NATS_URL === null
    ? noEarlierPrograms
    : watchEarlierPrograms(
        () => isEarlierAmong(broker),
        () => performance.now(),
      );
}
