import type { AppContext } from '../../mixins/app-context.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { foldRound, oldestUncountedMs } from './fold.ts';
import { oldestReconciledMs, reconcileRound } from './reconcile.ts';

/** Milliseconds between two rounds of counting. */
const foldPauseMs = 1000;
/** Milliseconds between two looks for accounts to reconcile. */
const reconcilePauseMs = 60_000;

/** Counts what reached the log, while the program runs. Several processes may do so. */
export function addLedgerIntakes(app: Pick<AppContext, 'lifecycle' | 'records' | 'log' | 'metrics'>): void {
  app.lifecycle.add(
    periodicIntake({
      name: 'usage roll-ups',
      everyMs: foldPauseMs,
      round: async (isStopping) => {
        while (!isStopping() && (await foldRound(app)) > 0);
        app.metrics.usageUncountedAge.set((await oldestUncountedMs(app)) / 1000);
      },
      failed: (error) => app.log.warn({ err: error }, 'usage could not be counted, will retry'),
    }),
  );
  app.lifecycle.add(
    periodicIntake({
      name: 'usage reconciliation',
      everyMs: reconcilePauseMs,
      round: async (isStopping) => {
        app.metrics.usageReconciliationDifferences.inc(await reconcileRound(app, isStopping));
        app.metrics.usageReconciledAge.set((await oldestReconciledMs(app)) / 1000);
      },
      failed: (error) => app.log.warn({ err: error }, 'usage could not be reconciled, will retry'),
    }),
  );
}
