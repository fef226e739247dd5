import type { House } from '../../../mixins/house.ts';
import { connectors, type SyncSummary } from '../../../models/connector.ts';
import { systemScope } from '../../../models/scope.ts';
import { mayBeSynced } from '../notify.ts';

const pageSize = 500;
const counted = ['new', 'changed', 'unchanged', 'reauthorized', 'moved', 'removed', 'failed'] as const satisfies readonly (keyof SyncSummary)[];

/** The metrics of syncs. */
export class SyncFigures {
  readonly #house: Pick<House, 'records' | 'ambient' | 'log'>;
  readonly #ended;
  readonly #files;
  readonly #age;
  readonly #failing;

  constructor(house: Pick<House, 'records' | 'ambient' | 'log' | 'metrics'>) {
    this.#house = house;
    const { metrics } = house;
    this.#ended = metrics.counter('ply_syncs_total', 'Syncs of connectors by how they ended; put_off: they go on later.', ['outcome']);
    this.#files = metrics.counter('ply_sync_files_total', 'Files of syncs that came to their end, by what was found.', ['outcome']);
    this.#age = metrics.gauge('ply_sync_oldest_success_age_seconds', 'Age of the last successful sync, or later change, of the nightly connector that has waited longest for one; 0 without any.', []);
    this.#failing = metrics.gauge('ply_connectors_failing', 'Enabled connectors whose last sync ended with an error, or waits after one.', []);
  }

  /** A sync ended, or was put off. */
  ended(outcome: 'done' | 'failed' | 'put_off' | 'lost', summary: SyncSummary | null): void {
    this.#ended.inc({ outcome });
    if (summary !== null) for (const name of counted) this.#files.inc({ outcome: name }, summary[name]);
  }

  /** Looks at all connectors. What fails is logged. */
  async survey(): Promise<void> {
    const { records, ambient, log } = this.#house;
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
          // One that was off until it was changed, and has not had its night since, is not overdue.
          const since = Math.max(lastSuccessAt ?? 0, updatedAt);
          if (schedule === 'nightly' && since < (oldest ?? Infinity) && (await mayBeSynced(this.#house, connector))) oldest = since;
        }
        after = page.length < pageSize ? null : (page.at(-1)?._id ?? null);
      }
      this.#age.set(oldest === null ? 0 : (ambient.now() - oldest) / 1000);
      this.#failing.set(failing);
    } catch (error) {
      log.warn({ err: error }, 'connectors are counted later');
    }
  }
}
