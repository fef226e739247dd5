import type { AppContext } from '../../mixins/app-context.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { DamagedRollUp, foldRound, oldestUncountedMs } from './fold.ts';
import { oldestReconciledMs, reconcileRound, reconcileSoon } from './reconcile.ts';

/** Milliseconds between two rounds of counting. */
const foldPauseMs = 1000;
/** Milliseconds between two looks for accounts to reconcile. */
const reconcilePauseMs = 60_000;

type Context = Pick<AppContext, 'records' | 'log' | 'metrics'>;

/**
 * Counts what reached the log, and says how late it is, also where counting fails: the alert looks at that alone. A roll-up
 * that cannot be read is left to the reconciliation, which makes it anew.
 * @throws StoreUnavailable
 */
export async function countRound(app: Context, isStopping: () => boolean): Promise<void> {
  try {
    while (!isStopping() && (await foldRound(app)) > 0);
  } catch (error) {
    if (!(error instanceof DamagedRollUp)) throw error;
    app.log.error({ err: error }, 'a roll-up of usage cannot be read, and is made anew');
    await reconcileSoon(app, error.accountId, error.month);
  } finally {
    app.metrics.usageUncountedAge.set((await oldestUncountedMs(app)) / 1000);
  }
}

/** Reconciles the accounts that are due, and says how long ago the last time was, also where that fails. */
async function comparisonRound(app: Context, isStopping: () => boolean): Promise<void> {
  try {
    app.metrics.usageReconciliationDifferences.inc(await reconcileRound(app, isStopping));
  } finally {
    app.metrics.usageReconciledAge.set((await oldestReconciledMs(app)) / 1000);
  }
}

/** Counts what reached the log, while the program runs. Several processes may do so. */
export function addLedgerIntakes(app: Context & Pick<AppContext, 'lifecycle'>): void {
  app.lifecycle.add(
    periodicIntake({
      name: 'usage roll-ups',
      everyMs: foldPauseMs,
      round: (isStopping) => countRound(app, isStopping),
      failed: (error) => app.log.warn({ err: error }, 'usage could not be counted, will retry'),
    }),
  );
  app.lifecycle.add(
    periodicIntake({
      name: 'usage reconciliation',
      everyMs: reconcilePauseMs,
      round: (isStopping) => comparisonRound(app, isStopping),
      failed: (error) => app.log.warn({ err: error }, 'usage could not be reconciled, will retry'),
    }),
  );
}
