import type { Collection } from '../../adapters/records/port.ts';
import type { House } from '../../mixins/house.ts';
import * as transitions from '../../mixins/runs/transitions.ts';
import type { Asset } from '../../models/asset.ts';
import type { Stage } from '../../models/job.ts';
import { FairOrder } from './fairness.ts';

/** Organizations looked at in one round. */
const organizationsAtOnce = 500;

/** Hands waiting jobs of one stage to its queue, fairly between organizations, a small window at a time. */
export class Dispatcher {
  readonly stage: Stage;
  private readonly house: House;
  private readonly assets: Collection<Asset>;
  private readonly order = new FairOrder();
  private readonly slots: () => number;
  /** Where the last round stopped looking, if it did not see all organizations. */
  private place = '';

  /** @param slots places of this stage in all live workers together */
  constructor(house: House, assets: Collection<Asset>, stage: Stage, slots: () => number) {
    this.house = house;
    this.assets = assets;
    this.stage = stage;
    this.slots = slots;
  }

  /** One round. Answers how many jobs were dispatched; 0 means that the window is full or nothing waits. */
  async round(): Promise<number> {
    const slots = this.slots();
    if (slots === 0) return 0;
    const out = await this.out();
    // Behind the busy places stands at most one waiting job for each: what is dispatched is served in its order, so the window is what a late-comer waits for.
    const places = 2 * slots - out;
    if (places <= 0) return 0;
    const shares = this.order.share(await this.waiting(out), places);
    const counts = await Promise.all([...shares].map(([organizationId, count]) => this.dispatchOldest(organizationId, count)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Jobs that are dispatched or leased, of one organization or of all. */
  private out(organizationId?: string): Promise<number> {
    return this.assets.count({ 'run.phase': { $in: ['dispatched', 'working'] }, 'run.stage': this.stage, ...(organizationId === undefined ? {} : { organizationId }) });
  }

  /**
   * Organizations with waiting jobs, and how many more each may have out. Where there are more than one round looks at,
   * the next round goes on behind them, and from the last to the first again.
   */
  private async waiting(out: number): Promise<Map<string, number>> {
    const cap = this.house.configuration.PLY_ORGANIZATION_SLOTS;
    const found = new Map<string, number>();
    const first = this.place;
    let last = first;
    let isPastEnd = first === '';
    while (found.size < organizationsAtOnce) {
      const [next] = await this.assets.find({ filter: { 'run.phase': 'waiting', 'run.stage': this.stage, organizationId: { $gt: last } }, sort: [['organizationId', 1]], limit: 1 });
      if (next === undefined && !isPastEnd) {
        isPastEnd = true;
        last = '';
        continue;
      }
      if (next === undefined || (isPastEnd && first !== '' && next.organizationId > first)) break;
      last = next.organizationId;
      const busy = out === 0 ? 0 : await this.out(last);
      if (busy < cap) found.set(last, cap - busy);
    }
    this.place = found.size < organizationsAtOnce ? '' : last;
    return found;
  }

  private async dispatchOldest(organizationId: string, count: number): Promise<number> {
    const oldest = await this.assets.find({ filter: { 'run.phase': 'waiting', 'run.stage': this.stage, organizationId }, sort: [['run.queuedAt', 1]], limit: count });
    const done = await Promise.all(oldest.map((asset) => this.dispatchOne(asset)));
    return done.filter(Boolean).length;
  }

  private async dispatchOne(asset: Asset): Promise<boolean> {
    const { filter, change } = transitions.dispatch(asset, this.house.nodeId, this.house.records.time());
    const dispatched = await this.assets.update(asset._id, filter, change);
    if (dispatched === null) return false;
    const { jobId, stageSeq, attempt } = dispatched.run;
    // The version makes every dispatch its own message: a later dispatch of the same attempt must ring again.
    await this.house.queue.publish(this.stage, { organizationId: asset.organizationId, assetId: asset._id, jobId, stageSeq, attempt }, `${jobId}.${stageSeq}.${dispatched.version}`);
    return true;
  }
}
