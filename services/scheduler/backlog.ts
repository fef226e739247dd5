import type { Collection } from '../../adapters/records/port.ts';
import type { House } from '../../mixins/house.ts';
import type { Asset } from '../../models/asset.ts';
import type { Stage } from '../../models/job.ts';

/** Organizations whose oldest job is looked at: reading more would cost more than the figure is worth. */
const mostOrganizations = 1000;

/** Tells the metrics what waits: the jobs of each stage, how long the oldest has waited, and the oldest outbox. */
export class Backlog {
  private readonly house: Pick<House, 'metrics' | 'records' | 'ambient'>;
  private readonly assets: Collection<Asset>;
  private readonly stages: readonly Stage[];

  constructor(house: Pick<House, 'metrics' | 'records' | 'ambient'>, assets: Collection<Asset>, stages: readonly Stage[]) {
    this.house = house;
    this.assets = assets;
    this.stages = stages;
  }

  /** One reading. The records are asked one thing at a time, so that it stands in nobody's way. */
  async tell(): Promise<void> {
    const { metrics, records, ambient } = this.house;
    for (const stage of this.stages) {
      metrics.waiting.set({ stage }, await this.assets.count({ 'run.phase': { $in: ['waiting', 'dispatched'] }, 'run.stage': stage }));
      metrics.underWay.set({ stage }, await this.assets.count({ 'run.phase': 'working', 'run.stage': stage }));
      const oldest = await this.oldest(stage);
      metrics.oldestWaiting.set({ stage }, oldest === null ? 0 : Math.max(0, ambient.now() - oldest) / 1000);
    }
    for (const organization of metrics.watched) {
      for (const stage of this.stages) {
        metrics.organizationWaiting.set({ organization, stage }, await this.assets.count({ 'run.phase': { $in: ['waiting', 'dispatched'] }, 'run.stage': stage, organizationId: organization }));
      }
    }
    const now = records.time();
    const [overdue] = await this.assets.find({ filter: { outboxDue: { $lte: now } }, sort: [['outboxDue', 1]], limit: 1 });
    metrics.outboxAge.set(overdue?.outboxDue === undefined ? 0 : (now - overdue.outboxDue) / 1000);
  }

  /** When the job that has waited longest for a stage began to wait: the index knows it for each organization. */
  private async oldest(stage: Stage): Promise<number | null> {
    let oldest: number | null = null;
    let organizationId = '';
    for (let seen = 0; seen < mostOrganizations; seen++) {
      const [first] = await this.assets.find({
        filter: { 'run.phase': 'waiting', 'run.stage': stage, organizationId: { $gt: organizationId } }, sort: [['organizationId', 1], ['run.queuedAt', 1]], limit: 1,
      });
      if (first === undefined) break;
      organizationId = first.organizationId;
      if (oldest === null || first.run.queuedAt < oldest) oldest = first.run.queuedAt;
    }
    return oldest;
  }
}
