import type { Collection } from '../../adapters/records/port.ts';
import type { House } from '../../mixins/house.ts';
import { drainOutbox, type RecordUsage } from '../../mixins/runs/outbox.ts';
import { tellEnded } from '../../mixins/runs/tell-ended.ts';
import * as transitions from '../../mixins/runs/transitions.ts';
import type { Asset } from '../../models/asset.ts';
import type { Phase } from '../../models/job.ts';

/** Documents that one round repairs of each kind. */
const atOnce = 200;
/** How long an outbox that could not be carried out is left alone, so that it does not stand in the way of others. */
const outboxPauseMs = 30_000;
/** Outboxes of one round that may fail one after another: then a store is away, and all of them wait. */
const failuresInARow = 3;

/**
 * Repairs what a crash left behind: leases that ran out, jobs dispatched and never claimed, attempts that are due,
 * outboxes that wait. Every repair is conditional on what was read, so several sweepers do no harm.
 */
export class Sweeper {
  private readonly house: House;
  private readonly assets: Collection<Asset>;
  private readonly recordUsage: RecordUsage;

  constructor(house: House, assets: Collection<Asset>, recordUsage: RecordUsage) {
    this.house = house;
    this.assets = assets;
    this.recordUsage = recordUsage;
  }

  /** One round. Answers how many runs were moved. */
  async round(): Promise<number> {
    const now = this.house.records.time();
    const moved = [
      await this.each('put_off', now, (asset) => transitions.resume(asset, now)),
      await this.each('dispatched', now, (asset) => transitions.undispatch(asset, now)),
      await this.each('working', now, (asset) => {
        this.house.metrics.leasesLost.inc({ stage: asset.run.stage });
        this.house.log.warn({ assetId: asset._id, jobId: asset.run.jobId, stage: asset.run.stage, owner: asset.run.lease?.owner }, 'a lease ran out without a word');
        return transitions.loseLease(asset, now);
      }),
    ];
    return moved.reduce((sum, count) => sum + count, 0);
  }

  /**
   * After a start with a queue that lived in the process before: what was dispatched or leased by earlier processes
   * waits again at once, and what they owed at the end of runs is due at once, also what could not be told. Nothing is
   * counted against the jobs.
   */
  async takeOverFromEarlierProcesses(): Promise<number> {
    const now = this.house.records.time();
    let moved = 0;
    for (const phase of ['dispatched', 'working'] as const) {
      for (;;) {
        const page = await this.assets.find({ filter: { 'run.phase': phase, 'run.dispatchedBy': { $ne: this.house.nodeId } }, limit: atOnce });
        const taken = await this.apply(page, (asset) => (phase === 'dispatched' ? transitions.undispatch(asset, now) : transitions.handBack(asset, now)));
        moved += taken;
        if (page.length < atOnce || taken === 0) break;
      }
    }
    await this.hastenOutboxesOfEarlierProcesses(now);
    return moved;
  }

  /**
   * Carries out what is due in outboxes, some at a time: answers how many were looked after. One that fails is logged
   * and put off, and the others go on. A removal tells its usage itself, and everything else of it is forgotten anyway.
   * @throws where the records are away
   */
  async drainOutboxes(): Promise<number> {
    const now = this.house.records.time();
    const due = await this.assets.find({ filter: { outboxDue: { $lte: now }, 'run.phase': { $ne: 'removing' } }, sort: [['outboxDue', 1]], limit: atOnce });
    let drained = 0;
    let failures = 0;
    for (const asset of due) {
      try {
        await drainOutbox(this.house, this.assets, this.recordUsage, asset);
        drained++;
        failures = 0;
      } catch (error) {
        this.house.log.warn({ err: error, assetId: asset._id }, 'an outbox is carried out later');
        await this.assets.update(asset._id, { version: asset.version }, { set: { outboxDue: now + outboxPauseMs }, increment: { version: 1 } });
        if (++failures === failuresInARow) break;
      }
    }
    return drained;
  }

  private async hastenOutboxesOfEarlierProcesses(now: number): Promise<void> {
    for (;;) {
      const page = await this.assets.find({ filter: { outboxDue: { $gt: now, $lte: now + outboxPauseMs }, 'run.phase': 'ended' }, sort: [['outboxDue', 1]], limit: atOnce });
      await Promise.all(page.map(({ _id, version }) => this.assets.update(_id, { version }, { set: { outboxDue: now }, increment: { version: 1 } })));
      if (page.length < atOnce) return;
    }
  }

  private async each(phase: Phase, now: number, repair: (asset: Asset) => transitions.Transition): Promise<number> {
    const due = await this.assets.find({ filter: { 'run.phase': phase, 'run.dueAt': { $lte: now } }, sort: [['run.dueAt', 1]], limit: atOnce });
    return this.apply(due, repair);
  }

  private async apply(assets: readonly Asset[], repair: (asset: Asset) => transitions.Transition): Promise<number> {
    const written = await Promise.all(assets.map((asset) => {
      const { filter, change } = repair(asset);
      return this.assets.update(asset._id, filter, change);
    }));
    const moved = written.filter((asset) => asset !== null);
    for (const asset of moved) if (transitions.isFinished(asset.run)) tellEnded(this.house, asset, asset.run);
    return moved.length;
  }
}
