import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { erasures } from '../../../models/erasure.ts';
import { systemScope } from '../../../models/scope.ts';
import type { Registrar } from '../registrar.ts';
import { eraseSome } from './account.ts';

const everyMs = 1000;
/** Erasures that one round continues. */
const atOnce = 20;
/** Milliseconds before an erasure that failed is continued, so that it does not block others. */
const pauseMs = 15_000;

/** Erases accounts: every second a part of each, until nothing is left of them. */
export function erasureIntake(registrar: Registrar): Intake {
  const { records, log } = registrar.app;
  return periodicIntake({
    name: 'erasures',
    everyMs,
    round: async (isStopping) => {
      const waiting = records.collection(erasures, systemScope);
      const due = await waiting.find({
        filter: { due: { $lte: records.time() } },
        sort: [
          ['due', 1],
          ['_id', 1],
        ],
        limit: atOnce,
      });
      for (const erasure of due) {
        if (isStopping()) return;
        try {
          await eraseSome(registrar, erasure, isStopping);
        } catch (error) {
          log.warn({ err: error, accountId: erasure.accountId }, 'an erasure failed, will retry');
          await waiting.update(erasure._id, {}, { set: { due: records.time() + pauseMs } });
        }
      }
    },
    failed: (error) => log.warn({ err: error }, 'erasures failed, will retry'),
  });
}
