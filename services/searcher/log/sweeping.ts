import type { House } from '../../../mixins/house.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { sweepSearchLogs, type RetentionHouse } from './retention.ts';

/** Milliseconds between two rounds: texts go so long after their last day at most, days after all are many. */
const everyMs = 10 * 60_000;
/** Milliseconds within which the first one comes, at different times in each process and never at its start. */
const firstWithin = 60_000;

/**
 * Removes what is too old from the search logs, now and then until it is stopped. A round that fails is logged, and the
 * next one comes. Several processes may do so at once.
 */
export function startSweeping(house: RetentionHouse & Pick<House, 'log'>): Pick<Intake, 'stop'> {
  const sweeping = periodicIntake({
    name: 'search logs',
    everyMs,
    firstMs: house.ambient.random() * firstWithin,
    round: (isStopping) => sweepSearchLogs(house, () => !isStopping()),
    failed: (error) => house.log.warn({ err: error }, 'the search logs are swept later'),
  });
  void sweeping.start();
  return sweeping;
}
