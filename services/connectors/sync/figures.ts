import type { AppContext } from '../../../mixins/app-context.ts';
import { connectors, type SyncSummary } from '../../../models/connector.ts';
import { systemScope } from '../../../models/scope.ts';
import { mayBeSynced } from '../notify.ts';

const pageSize = 500;
const counted = [
  'new',
  'changed',
  'unchanged',
  'reauthorized',
  'moved',
  'removed',
  'failed',
] as const satisfies readonly (keyof SyncSummary)[];

/** The metrics of syncs. */
export class SyncFigures {
  readonly #app: Pick<AppContext, 'records' | 'runtime' | 'log'>;
  readonly #ended;
  readonly #files;
  readonly #age;
  readonly #failing;

  constructor(app: Pick<AppContext, 'records' | 'runtime' | 'log' | 'metrics'>) {
    this.#app = app;
    const { metrics } = app;
    this.#ended = metrics.counter(
      'ply_syncs_total',
      'Syncs of connectors by outcome; put_off: the sync continues later.',
      { outcome: ['done', 'failed', 'put_off', 'lost'] },
    );
    this.#files = metrics.counter('ply_sync_files_total', 'Files of completed syncs, by outcome.', {
      outcome: counted,
    });
    this.#age = metrics.gauge(
      'ply_sync_oldest_success_age_seconds',
      'Seconds since the last successful sync, or a later change, of the nightly connector with the oldest one; 0 without any.',
      [],
    );
    this.#failing = metrics.gauge(
      'ply_connectors_failing',
      'Enabled connectors whose last sync failed, or waits to be retried.',
      [],
    );
  }

  /** Counts a sync that ended or was postponed. */
  ended(outcome: 'done' | 'failed' | 'put_off' | 'lost', summary: SyncSummary | null): void {
    this.#ended.inc({ outcome });
    if (summary !== null) for (const name of counted) this.#files.inc({ outcome: name }, summary[name]);
  }

  /** Updates the gauges from all connectors. Failures are logged. */
  async survey(): Promise<void> {
    const { records, runtime, log } = this.#app;
    const collection = records.collection(connectors, systemScope);
    let oldest: number | null = null;
    let failing = 0;
    try {
      for (let after: string | null = ''; after !== null;) {
        const page = await collection.find({ filter: { _id: { $gt: after } }, sort: [['_id', 1]], limit: pageSize });
        for (const connector of page) {
          const { enabled, schedule, lastError, lastSuccessAt, updatedAt } = connector;
          if (!enabled) continue;
          if (lastError !== null) failing += 1;
          // The time of a change counts too: a connector that was just enabled is not overdue.
          const since = Math.max(lastSuccessAt ?? 0, updatedAt);
          if (schedule === 'nightly' && since < (oldest ?? Infinity) && (await mayBeSynced(this.#app, connector)))
            oldest = since;
        }
        after = page.length < pageSize ? null : (page.at(-1)?._id ?? null);
      }
      this.#age.set(oldest === null ? 0 : (runtime.now() - oldest) / 1000);
      this.#failing.set(failing);
    } catch (error) {
      log.warn({ err: error }, 'counting connectors failed, will retry');
    }
  }
}
