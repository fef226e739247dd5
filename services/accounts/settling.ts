import type { House } from '../../mixins/house.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { settleAll } from './audit.ts';
import { booksOf } from './tools.ts';

const everyMs = 30_000;

/** Carries audit facts that a crash or an absent store left pending, at the start and every half minute. */
export function settling(house: Pick<House, 'records' | 'log' | 'metrics'>): Intake {
  return periodicIntake({
    name: 'audit',
    everyMs,
    firstMs: 0,
    round: () => settleAll(booksOf(house)),
    failed: (error) => {
      house.metrics.auditFailures.inc();
      house.log.warn({ err: error }, 'audit rows wait for the store');
    },
  });
}
