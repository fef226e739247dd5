import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, Delivery } from '../../adapters/queue/port.ts';
import type { Collection } from '../../adapters/records/port.ts';
import { assets as assetsDefinition, type Asset, type OutboxEntry, type RevisionFacts } from '../../models/asset.ts';
import { formatName } from '../../models/formats.ts';
import type { Stage } from '../../models/job.ts';
import { scopeOf } from '../../models/scope.ts';
import type { House } from '../house.ts';
import type { Intake } from '../lifecycle.ts';
import { workingFor } from '../work-context.ts';
import { backoff } from './backoff.ts';
import { failureOf } from './failure.ts';
import { Hands } from './hands.ts';
import { keepLease } from './lease-keeper.ts';
import { drainOutbox, type RecordUsage } from './outbox.ts';
import { tellEnded } from './tell-ended.ts';
import * as transitions from './transitions.ts';

/** Pause before the queue is asked again for a stage that could not begin, in milliseconds. */
const retryMs = 1000;

/** What a stage gets to work with. */
export interface StageWork {
  /** The asset as it was when the stage was claimed. */
  asset: Asset;
  /** Aborted when the lease is lost, the job is cancelled or the process stops: end at once, write nothing more. */
  signal: AbortSignal;
  /** Tells the progress within the stage, 0-100. */
  progress(percent: number): void;
  /** Tells what the stage owes where it fails for good, in place of what it told before. A stage that is done says it in its result. */
  owe(entries: OutboxEntry[]): void;
}

/** What a stage ends with: the next stage, or (null) a revision that is ready to be the active one. */
export interface StageResult {
  next: Stage | null;
  facts: RevisionFacts;
  outbox: OutboxEntry[];
}

/** A stage: its name, how many of its jobs this process does at a time, its work, and how it tells what it did. */
export interface StageOptions {
  stage: Stage;
  slots: number;
  work(work: StageWork): Promise<StageResult>;
  /** Resolves when the work can begin; nothing is claimed before, and the start of the process does not wait for it. */
  prepared?(stopping: AbortSignal): Promise<void>;
  recordUsage: RecordUsage;
  /** Places of the stage have become free, or jobs wait for their next one, so many `runs` in all: the scheduler may want to know of these stages. */
  freed(organizationId: string, stages: readonly Stage[], runs: number): void;
  /** This worker lost a revision while it worked: what it wrote since then may be of no use to anybody. */
  left(revision: { organizationId: string; assetId: string; revision: number }): void;
}

/**
 * Makes the intake that does one stage's jobs: it claims what the queue hands over, keeps the lease, works, and writes
 * the outcome conditionally on the lease. A worker that lost its lease changes nothing.
 */
export function stageWorker(house: House, options: StageOptions): Intake {
  const stopping = new AbortController();
  const hands = new Hands();
  /** What ended jobs owe to other stores, while it is carried out: their places are others' by then. */
  const debts = new Set<Promise<void>>();
  /** What ended in one turn of the event loop is told at once: as many jobs do as shared a flush to the disk. */
  const freed = new Map<string, { stages: Set<Stage>; runs: number }>();
  const tellFreed = (): void => {
    const told = [...freed];
    freed.clear();
    for (const [organizationId, { stages, runs }] of told) options.freed(organizationId, [...stages], runs);
  };
  let consumer: Consumer | null = null;
  let beginning: Promise<void> = Promise.resolve();
  const consume = async (): Promise<void> => {
    consumer = await house.queue.consume(options.stage, options.slots, async (delivery) => {
      hands.take(delivery.message.organizationId);
      let ended: Ended | null;
      try {
        ended = await handle(house, options, delivery, hands, stopping.signal);
      } finally {
        hands.letGo(delivery.message.organizationId);
      }
      if (ended === null) return;
      const { organizationId, stages, settle } = ended;
      // No more at a time than the stage has places: a ledger that is away holds the stage up.
      if (debts.size >= options.slots) await Promise.race(debts);
      const debt = settle().finally(() => debts.delete(debt));
      debts.add(debt);
      // Only then does the queue know that the place is free.
      if (freed.size === 0) setImmediate(tellFreed);
      const known = freed.get(organizationId) ?? { stages: new Set(), runs: 0 };
      for (const stage of stages) known.stages.add(stage);
      freed.set(organizationId, { ...known, runs: known.runs + 1 });
    });
  };
  let isStopping = false;
  /** Begins as soon as it can, however often the queue is away meanwhile. */
  const beginPrepared = async (prepared: (stopping: AbortSignal) => Promise<void>): Promise<void> => {
    const unprepared = new AbortController();
    giveUp = () => unprepared.abort();
    while (!isStopping && consumer === null) {
      try {
        await prepared(unprepared.signal);
        if (!isStopping) await consume();
      } catch (error) {
        if (isStopping) return;
        house.log.warn({ err: error, stage: options.stage }, 'the stage begins later');
        await pause(retryMs);
      }
    }
  };
  let giveUp = (): void => undefined;
  return {
    name: `${options.stage} worker`,
    start: async () => {
      if (options.prepared === undefined) await consume();
      else beginning = beginPrepared(options.prepared.bind(options));
    },
    stop: async (milliseconds) => {
      isStopping = true;
      giveUp();
      await beginning;
      const patience = setTimeout(() => stopping.abort(new Error('the process stops')), Math.max(0, milliseconds * 0.4));
      try {
        await consumer?.stop();
        await Promise.all(debts);
      } finally {
        clearTimeout(patience);
      }
    },
  };
}

/** A job whose stage came to an end in these hands. */
interface Ended {
  organizationId: string;
  /** The stage, and the one that follows where it is another. */
  stages: readonly Stage[];
  /** Carries out what follows; what fails is left to the sweeper. */
  settle(): Promise<void>;
}

/** How a stage came out, for the metrics and traces, and what follows. */
interface Worked extends Pick<Ended, 'settle' | 'stages'> {
  outcome: string;
}

/** Does one job's stage; null where there was nothing to do. */
async function handle(house: House, options: StageOptions, delivery: Delivery, hands: Hands, stopping: AbortSignal): Promise<Ended | null> {
  const { message } = delivery;
  const assets = house.records.collection(assetsDefinition, scopeOf(message.organizationId), hands.hasteOf(message.organizationId));
  const found = await assets.get(message.assetId);
  if (found === null || found.run.jobId !== message.jobId || found.run.stageSeq !== message.stageSeq || found.run.stage !== options.stage || stopping.aborted) return null;
  const leaseMs = house.configuration.PLY_LEASE_SECONDS * 1000;
  const claim = transitions.claim(found, { owner: house.nodeId, held: hands.held }, house.records.time(), leaseMs);
  const claimed = await assets.update(found._id, claim.filter, claim.change);
  if (claimed === null) return null;
  const { _id: assetId, organizationId, run: { jobId } } = claimed;
  const context = { organizationId, assetId, jobId, stage: options.stage };
  const span = house.tracing.stage(jobId, options.stage, { 'ply.organization.id': organizationId, 'ply.asset.id': assetId, 'ply.attempt': claimed.run.attempt });
  const traced = { ...context, span };
  let outcome: string | null = null;
  try {
    const ended = await workingFor(traced, () => work(house, options, delivery, hands, stopping, claimed));
    outcome = ended.outcome;
    return { organizationId, stages: ended.stages, settle: () => workingFor(traced, ended.settle) };
  } finally {
    span?.tell({ 'ply.outcome': outcome ?? 'broken_off' });
    span?.end(outcome === null || outcome === 'failed');
  }
}

/** Does the stage of a run that was claimed, and writes how it came out. */
async function work(house: House, options: StageOptions, delivery: Delivery, hands: Hands, stopping: AbortSignal, claimed: Asset): Promise<Worked> {
  const { log } = house;
  const leaseMs = house.configuration.PLY_LEASE_SECONDS * 1000;
  const scope = scopeOf(claimed.organizationId);
  const assets = house.records.collection(assetsDefinition, scope, hands.hasteOf(claimed.organizationId));
  const started = house.ambient.now();
  const lease = keepLease({ house, assets, claimed, leaseMs, stopping, log, held: () => hands.held, renewed: () => delivery.working() });
  let written: Asset | null;
  let outcome: string;
  let owed: OutboxEntry[] = [];
  const owe = (entries: OutboxEntry[]): void => {
    owed = entries;
  };
  try {
    const result = await options.work({ asset: claimed, signal: lease.signal, progress: (percent) => lease.progress(percent), owe });
    lease.signal.throwIfAborted();
    await lease.end();
    const now = house.records.time();
    const done = result.next === null ? transitions.complete(claimed, result.facts, result.outbox, now) : transitions.advance(claimed, result.next, result.facts, result.outbox, now);
    written = await assets.update(claimed._id, done.filter, done.change);
    outcome = written === null ? 'refused' : 'done';
  } catch (error) {
    await lease.end();
    const failed = failedTransition(house, claimed, error, { stopping: stopping.aborted, lost: lease.lost, owed });
    outcome = failed.outcome;
    log[['lost', 'handed_back', 'held_back'].includes(outcome) ? 'info' : 'warn']({ ...told(error, failed.code), outcome, code: failed.code }, 'the stage was not done');
    written = failed.transition === null ? null : await assets.update(claimed._id, failed.transition.filter, failed.transition.change);
    if (written === null && outcome === 'paused') {
      // Access was given meanwhile (or the lease was lost, and this is refused as well).
      const again = transitions.handBack(claimed, house.records.time());
      written = await assets.update(claimed._id, again.filter, again.change);
    }
  }
  house.metrics.stageSeconds.observe({ stage: options.stage, format: formatName(claimed.filename, claimed.kind), outcome }, (house.ambient.now() - started) / 1000);
  // Woken after a long sleep, it may have written after the revision was discarded.
  if (outcome === 'lost' || outcome === 'refused') options.left({ organizationId: claimed.organizationId, assetId: claimed._id, revision: claimed.run.revision });
  const next = written?.run.stage ?? options.stage;
  return {
    outcome,
    stages: next === options.stage ? [next] : [options.stage, next],
    settle: async () => {
      if (written !== null) await afterwards(house, options, house.records.collection(assetsDefinition, scope, 'patient'), written);
    },
  };
}

/** What the log says of a failure: where in the code it happened matters only where the code may be at fault. */
function told(error: unknown, code: string | null): object {
  return code === null || code === 'internal_error' || !(error instanceof Error) ? { err: error } : { reason: error.message };
}

async function afterwards(house: House, options: StageOptions, assets: Collection<Asset>, asset: Asset): Promise<void> {
  if (transitions.isFinished(asset.run)) tellEnded(house, asset, asset.run);
  // A run that goes on tells what it owes when it ends; the sweeper does where that takes long.
  if (asset.outbox.length === 0 || !transitions.isFinished(asset.run)) return;
  try {
    await drainOutbox(house, assets, options.recordUsage, asset);
  } catch (error) {
    house.log.warn({ err: error }, 'the outbox waits for the sweeper');
  }
}

function failedTransition(house: House, asset: Asset, error: unknown, why: { stopping: boolean; lost: boolean; owed: OutboxEntry[] }): { transition: transitions.Transition | null; outcome: string; code: string | null } {
  const now = house.records.time();
  if (why.lost) return { transition: null, outcome: 'lost', code: null };
  if (why.stopping) return { transition: transitions.handBack(asset, now), outcome: 'handed_back', code: null };
  if (error instanceof Error && error.name === 'HeldBack') return { transition: transitions.hold(asset, now), outcome: 'held_back', code: null };
  const { code, outcome } = failureOf(error);
  if (outcome === 'definite') return { transition: transitions.fail(asset, code, now, why.owed), outcome: 'failed', code };
  if (outcome === 'access') return { transition: transitions.awaitAccess(asset, code, now), outcome: 'paused', code };
  const wait = backoff(asset.run.attempt, house.configuration.PLY_RETRY_BASE_MS, house.ambient.random());
  house.metrics.retries.inc({ stage: asset.run.stage, code });
  return { transition: transitions.putOff(asset, code, now + wait, now, why.owed), outcome: 'put_off', code };
}
