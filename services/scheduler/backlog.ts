import type { Collection } from '../../adapters/records/port.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { oldestQueued } from '../../mixins/work/oldest-queued.ts';
import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import { systemScope } from '../../models/scope.ts';

/** Updates between two counts of the whole library, which takes longer than the other figures. */
const updatesPerCount = 20;

/**
 * Updates the metrics of the backlog: the jobs and slots of each stage, the wait of the oldest, the oldest outbox, and the
 * size of the library.
 */
export class Backlog {
  readonly #app: Pick<AppContext, 'metrics' | 'records' | 'runtime'>;
  readonly #assets: Collection<Asset>;
  readonly #stages: readonly string[];
  readonly #slotsOf: (stage: string) => number;
  #updates = 0;

  /** @param slotsOf the slots of all workers of a stage */
  constructor(
    app: Pick<AppContext, 'metrics' | 'records' | 'runtime'>,
    stages: readonly string[],
    slotsOf: (stage: string) => number,
  ) {
    this.#app = app;
    this.#slotsOf = slotsOf;
    this.#assets = app.records.collection(assetsDefinition, systemScope);
    this.#stages = stages;
  }

  /** Reads the records one query at a time, so that it delays nobody. */
  async update(): Promise<void> {
    const { metrics, records, runtime } = this.#app;
    for (const stage of this.#stages) {
      metrics.slots.set({ stage }, this.#slotsOf(stage));
      metrics.waiting.set({ stage }, await this.#countQueued(stage));
      metrics.underWay.set({ stage }, await this.#assets.count({ 'run.phase': 'working', 'run.stage': stage }));
      const oldest = await oldestQueued(this.#assets, stage);
      metrics.oldestWaiting.set({ stage }, oldest === null ? 0 : Math.max(0, runtime.now() - oldest) / 1000);
      for (const organization of metrics.watched)
        metrics.organizationWaiting.set({ organization, stage }, await this.#countQueued(stage, organization));
    }
    const now = records.time();
    const [overdue] = await this.#assets.find({
      filter: { outboxDue: { $lte: now } },
      sort: [['outboxDue', 1]],
      limit: 1,
    });
    metrics.outboxAge.set(overdue?.outboxDue === undefined ? 0 : (now - overdue.outboxDue) / 1000);
    if (this.#updates % updatesPerCount === 0) metrics.libraryFiles.set(await this.#assets.count({}));
    this.#updates += 1;
  }

  #countQueued(stage: string, organizationId?: string): Promise<number> {
    return this.#assets.count({
      'run.phase': { $in: ['waiting', 'dispatched'] },
      'run.stage': stage,
      ...(organizationId === undefined ? {} : { organizationId }),
    });
  }
}
