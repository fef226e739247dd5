import type { ServiceBroker } from 'moleculer';
import type { House } from '../../mixins/house.ts';
import { migrations, type Migration } from './steps.ts';

/** Who else works on the stores. */
export interface Company {
  /** Whether no program of an earlier version has served beside this one for a while: from then on nobody writes documents of an earlier form. */
  isAlone(): boolean;
  /** Lets that while begin anew. */
  beginAnew(): void;
}

/** How long earlier programs have to be gone: longer than nodes need to hear of each other, and than a write that was under way. */
const quietMs = 30_000;

/** The company of a program that has its stores for itself. */
export const noCompany: Company = { isAlone: () => true, beginAnew: () => undefined };

/**
 * A company in which earlier programs are looked for whenever it is asked.
 * @param now milliseconds, of any clock that goes on
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

/** Whether a program is there that does not know all of these migrations. Programs tell theirs in the node's metadata; the first versions tell nothing. */
export function isEarlierAmong(broker: ServiceBroker, steps: readonly Migration[] = migrations): boolean {
  const nodes: { metadata?: Record<string, unknown> | null }[] = broker.registry.getNodeList({ onlyAvailable: true, withServices: false });
  return nodes.some(({ metadata }) => {
    const known: unknown = metadata?.['migrations'];
    return !Array.isArray(known) || steps.some(({ id }) => !known.includes(id));
  });
}

/** The company of a program: the other nodes of its cluster, or nobody. */
export function companyIn(broker: ServiceBroker, { configuration }: Pick<House, 'configuration'>): Company {
  return configuration.PLY_NATS_URL === null ? noCompany : companyOf(() => isEarlierAmong(broker), () => performance.now());
}
