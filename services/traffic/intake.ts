import type { AppContext } from '../../mixins/app-context.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { foldRound, oldestWaitingMs } from './fold.ts';
import { sweepTraffic } from './retention.ts';

/** Milliseconds between two rounds of adding traffic to the totals, and between two rounds of removing what is old. */
const foldPauseMs = 1000;
const sweepPauseMs = 600_000;

/** Adds traffic to the totals and removes what is too old, while the program runs. Several processes may do so. */
export function addTrafficIntakes(
  app: Pick<AppContext, 'lifecycle' | 'records' | 'runtime' | 'log' | 'metrics'>,
): void {
  app.lifecycle.add(
    periodicIntake({
      name: 'traffic totals',
      everyMs: foldPauseMs,
      round: async (isStopping) => {
        while (!isStopping() && (await foldRound(app, isStopping)) > 0);
        app.metrics.trafficUnfoldedAge.set((await oldestWaitingMs(app)) / 1000);
      },
      failed: (error) => app.log.warn({ err: error }, 'traffic could not be added to the totals, will retry'),
    }),
  );
  app.lifecycle.add(
    periodicIntake({
      name: 'traffic retention',
      everyMs: sweepPauseMs,
      firstMs: app.runtime.random() * 60_000,
      round: (isStopping) => sweepTraffic(app, isStopping),
      failed: (error) => app.log.warn({ err: error }, 'old traffic could not be removed, will retry'),
    }),
  );
}
