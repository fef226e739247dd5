import type { Collection } from '../../adapters/records/port.ts';
import type { House } from '../../mixins/house.ts';
import * as transitions from '../../mixins/runs/transitions.ts';
import type { Asset } from '../../models/asset.ts';
import type { Stage, StageMessage } from '../../models/job.ts';
import { AudioDays, isRecording } from './audio-days.ts';
import { FairOrder, type Standing } from './fairness.ts';

/** Organizations looked at in one round. */
const organizationsAtOnce = 500;
/** Jobs of an organization that are rung for and not yet claimed, as many as there usually are. */
const fewUnclaimed = 3;

/** Jobs that are dispatched or leased, as one round sees them. */
interface Out {
  total: number;
  of(organizationId: string): number | Promise<number>;
  /** Whether the queue of this process holds the ring of a waiting job that has had leases up to this token. */
  isRung(jobId: string, stageSeq: number, token: number): boolean;
}

/**
 * Hands waiting jobs of one stage to its queue, fairly between organizations, a small window at a time. A queue that
 * outlives the process, or is another's, is rung after the dispatch was written down. One that tells what it holds lives
 * and dies with this process: what it was rung for is remembered with it alone.
 */
export class Dispatcher {
  readonly stage: Stage;
  private readonly house: House;
  private readonly assets: Collection<Asset>;
  private readonly order = new FairOrder();
  private readonly slots: () => number;
  /** Where the last round stopped looking, if it did not see all organizations. */
  private place = '';
  /** Tokens of the jobs that the queue of this process was rung for, by job and stage: one whose lease was lost since is rung for anew. */
  private rung = new Map<string, number>();
  private rings = 0;
  private readonly days: AudioDays;
  /** Whether the round held recordings back: then others may have their places. */
  private hasHeldBack = false;

  /** @param slots places of this stage in all live workers together */
  constructor(house: House, assets: Collection<Asset>, stage: Stage, slots: () => number) {
    this.house = house;
    this.assets = assets;
    this.stage = stage;
    this.slots = slots;
    this.days = new AudioDays(house, assets);
  }

  /**
   * One round. Answers how many jobs were dispatched where it did not get to all organizations, else 0: whatever comes to
   * wait then hints at it. Where recordings were held back, the places go to others at once.
   */
  async roundForMore(): Promise<number> {
    this.hasHeldBack = false;
    const dispatched = await this.round();
    return this.place === '' ? Number(this.hasHeldBack) : dispatched;
  }

  /** One round. Answers how many jobs were dispatched; 0 means that the window is full or nothing waits. */
  async round(): Promise<number> {
    const slots = this.slots();
    if (slots === 0) return 0;
    const held = this.house.queue.outstanding(this.stage);
    const out = held === null ? await this.written() : this.remembered(held);
    if (out.total >= 2 * slots) return 0;
    const shares = this.order.shareOut(await this.waiting(out), slots, out.total, performance.now());
    const counts = await Promise.all([...shares].filter(([, count]) => count > 0).map(async ([organizationId, count]) => this.dispatchOldest(organizationId, count, held === null ? 0 : await out.of(organizationId), out)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** What is out as the records tell it. */
  private async written(): Promise<Out> {
    const count = (organizationId?: string): Promise<number> =>
      this.assets.count({ 'run.phase': { $in: ['dispatched', 'working'] }, 'run.stage': this.stage, ...(organizationId === undefined ? {} : { organizationId }) });
    const total = await count();
    return { total, of: (organizationId) => (total === 0 ? 0 : count(organizationId)), isRung: () => false };
  }

  /** What is out as the queue of this process tells it. */
  private remembered(held: readonly StageMessage[]): Out {
    const counts = new Map<string, number>();
    const rung = new Map<string, number>();
    for (const message of held) {
      counts.set(message.organizationId, (counts.get(message.organizationId) ?? 0) + 1);
      rung.set(ringOf(message), this.rung.get(ringOf(message)) ?? -1);
    }
    this.rung = rung;
    return { total: held.length, of: (organizationId) => counts.get(organizationId) ?? 0, isRung: (jobId, stageSeq, token) => rung.get(ringOf({ jobId, stageSeq })) === token };
  }

  /**
   * Organizations with waiting jobs, how many each has out and how many more it may. Where there are more than one round looks at,
   * the next round goes on behind them, and from the last to the first again.
   */
  private async waiting(out: Out): Promise<Map<string, Standing>> {
    const cap = this.house.configuration.PLY_ORGANIZATION_SLOTS;
    const found = new Map<string, Standing>();
    const first = this.place;
    let last = first;
    let isPastEnd = first === '';
    while (found.size < organizationsAtOnce) {
      // One index holds all that is asked for: no document is read.
      const [row] = await this.assets.pick({ filter: { 'run.phase': 'waiting', 'run.stage': this.stage, organizationId: { $gt: last } }, sort: [['organizationId', 1]], limit: 1 }, ['organizationId']);
      const next = row === undefined ? null : String(row[0]);
      if (next === null && !isPastEnd) {
        isPastEnd = true;
        last = '';
        continue;
      }
      if (next === null || (isPastEnd && first !== '' && next > first)) break;
      last = next;
      const busy = await out.of(last);
      found.set(last, { room: Math.max(0, cap - busy), out: busy });
    }
    this.place = found.size < organizationsAtOnce ? '' : last;
    return found;
  }

  /** `known`: how many of the oldest may be rung for already. */
  private async dispatchOldest(organizationId: string, count: number, known: number, out: Out): Promise<number> {
    const next = await this.oldest(organizationId, count, known, out);
    const isHeldBack = this.stage === 'extracting' && (await this.days.holdBack(next));
    this.hasHeldBack ||= isHeldBack;
    const done = await Promise.all(next.filter((asset) => !isHeldBack || !isRecording(asset)).map((asset) => this.dispatchOne(asset)));
    return done.filter(Boolean).length;
  }

  /** Those that have waited longest and are not rung for. Few of the known ones are still among them: most are claimed, and wait no more. */
  private async oldest(organizationId: string, count: number, known: number, out: Out): Promise<Asset[]> {
    for (let more = Math.min(known, fewUnclaimed); ; more = known) {
      const filter = { 'run.phase': 'waiting', 'run.stage': this.stage, organizationId };
      const oldest = await this.assets.pick({ filter, sort: [['run.queuedAt', 1]], limit: count + more }, ['_id', 'run.jobId', 'run.stageSeq', 'run.token']);
      const next = oldest.filter(([, jobId, stageSeq, token]) => !out.isRung(String(jobId), Number(stageSeq), Number(token))).slice(0, count);
      if (next.length < count && oldest.length === count + more && more !== known) continue;
      // Those that go on to another stage were read by its worker, and the store knows them still.
      return (await this.assets.getMany(next.map(([id]) => String(id)))).filter(({ run }) => run.phase === 'waiting' && run.stage === this.stage);
    }
  }

  private async dispatchOne(asset: Asset): Promise<boolean> {
    const { queue } = this.house;
    const { jobId, stageSeq, attempt, token } = asset.run;
    const message: StageMessage = { organizationId: asset.organizationId, assetId: asset._id, jobId, stageSeq, attempt };
    if (queue.outstanding(this.stage) !== null) {
      this.rung.set(ringOf(message), token);
      await queue.publish(this.stage, message, `${jobId}.${stageSeq}.ring-${++this.rings}`);
      return true;
    }
    const { filter, change } = transitions.dispatch(asset, this.house.nodeId, this.house.records.time());
    const dispatched = await this.assets.update(asset._id, filter, change);
    if (dispatched === null) return false;
    // The version makes every dispatch its own message: a later dispatch of the same attempt must ring again.
    await queue.publish(this.stage, message, `${jobId}.${stageSeq}.${dispatched.version}`);
    return true;
  }
}

function ringOf({ jobId, stageSeq }: { jobId: string; stageSeq: number }): string {
  return `${jobId}.${stageSeq}`;
}
