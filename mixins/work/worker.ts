import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, Delivery } from '../../adapters/queue/port.ts';
import type { Collection } from '../../adapters/records/port.ts';
import { scopeOf } from '../../models/scope.ts';
import type { Runnable } from '../../models/work.ts';
import type { AppContext } from '../app-context.ts';
import type { Intake } from '../lifecycle.ts';
import { workingFor } from '../work-context.ts';
import type { WorkKind } from './kind.ts';
import { keepLease, type KeptLease } from './lease.ts';
import { drainOutbox } from './outbox.ts';
import * as transitions from './transitions.ts';

/** Pause before a worker that could not begin tries again, in milliseconds. */
const retryMs = 1000;
/** Share of the time for stopping after which jobs under way are aborted. */
const graceShare = 0.4;

/** The job may not begin at present: it is held back until the scheduler releases it. Decide by `name`. */
export class HeldBack extends Error {
  constructor(detail: string) {
    super(detail);
    this.name = 'HeldBack';
  }
}

/** What a stage gets to work with. */
export interface StageWork<T extends Runnable> {
  /** The document as it was when the stage was claimed. */
  document: T;
  /** Aborted when the lease is lost, the job is cancelled or the process stops: end at once, write nothing more. */
  signal: AbortSignal;
  /** Reports the progress within the stage, 0-100. */
  progress(percent: number): void;
  /** Sets the outbox items that are written if the stage fails for good; replaces those set before. */
  setFailureOutbox(items: T['outbox']): void;
}

/** How a stage that was done changes the run: to the next stage, or to its end. */
export type StageResult<T extends Runnable> = (document: T, now: number) => transitions.Transition;

/** What a service reports to the cluster about the stage that it does. */
export interface StageMetadata {
  stage: string;
  slots: number;
}

/** The same of a service with several stages: the slots of each, by its name. */
export interface StagesMetadata {
  stages: { readonly [stage: string]: number };
}

/** One stage of a kind of work, as this process does it. */
export interface StageOptions<T extends Runnable> {
  stage: T['run']['stage'];
  /** Jobs that this process does at a time. */
  slots: number;
  /** Does the stage. Returns the transition of its success. */
  work(work: StageWork<T>): Promise<StageResult<T>>;
  /** Resolves when the work can begin; nothing is claimed before, and the start of the process does not wait for it. */
  prepared?(stopping: AbortSignal): Promise<void>;
  /** Slots of these stages have become free, or so many `runs` wait for them: a hint for the scheduler. */
  changed(organizationId: string, stages: readonly string[], runs: number): void;
  /** This worker lost a run while it worked: what it wrote may be of no use to anybody. */
  lost?(document: T): void;
}

/** A job whose stage has come to an end. */
interface Finished {
  organizationId: string;
  /** The stage, and the one that follows where it is another. */
  stages: readonly string[];
  /** Delivers the outbox of a run that has ended; what fails is left to the sweeper. */
  flushOutbox(): Promise<void>;
}

/**
 * Makes the intake that does the jobs of one stage: it claims what the queue hands over, keeps the lease, works, and
 * writes the outcome conditionally on the lease. A worker that lost its lease changes nothing.
 */
export function stageWorker<T extends Runnable>(app: AppContext, kind: WorkKind<T>, options: StageOptions<T>): Intake {
  const stopping = new AbortController();
  const jobs = new StageJobs(app, kind, options, stopping.signal);
  /** Outboxes of ended jobs that are being delivered, after their slots were given back. */
  const pendingOutbox = new Set<Promise<void>>();
  /** Jobs that ended in the same turn of the event loop are reported together. */
  const changes = new Map<string, { stages: Set<string>; runs: number }>();
  const report = (): void => {
    const reported = [...changes];
    changes.clear();
    for (const [organizationId, { stages, runs }] of reported) options.changed(organizationId, [...stages], runs);
  };
  let consumer: Consumer | null = null;
  const consume = async (): Promise<void> => {
    consumer = await app.queue.consume(options.stage, options.slots, async (delivery) => {
      const finished = await jobs.handle(delivery);
      if (finished === null) return;
      const { organizationId, stages, flushOutbox } = finished;
      // Bounded, so that a ledger that is away stops the stage.
      if (pendingOutbox.size >= options.slots) await Promise.race(pendingOutbox);
      const pending = flushOutbox().finally(() => pendingOutbox.delete(pending));
      pendingOutbox.add(pending);
      // After this the queue counts the slot as free.
      if (changes.size === 0) setImmediate(report);
      const known = changes.get(organizationId) ?? { stages: new Set(), runs: 0 };
      for (const stage of stages) known.stages.add(stage);
      changes.set(organizationId, { ...known, runs: known.runs + 1 });
    });
  };
  const starting = new AbortController();
  let started: Promise<void> = Promise.resolve();
  /** Begins as soon as it can, however often the queue is away meanwhile. */
  const consumeWhenPrepared = async (prepared: (stopping: AbortSignal) => Promise<void>): Promise<void> => {
    while (!starting.signal.aborted && consumer === null) {
      try {
        await prepared(starting.signal);
        if (!starting.signal.aborted) await consume();
      } catch (error) {
        if (starting.signal.aborted) return;
        app.log.warn({ err: error, stage: options.stage }, 'the worker could not begin, will retry');
        await sleep(retryMs);
      }
    }
  };
  return {
    name: `${options.stage} worker`,
    start: async () => {
      if (options.prepared === undefined) await consume();
      else started = consumeWhenPrepared(options.prepared.bind(options));
    },
    stop: async (milliseconds) => {
      starting.abort();
      await started;
      const grace = setTimeout(
        () => stopping.abort(new Error('the process stops')),
        Math.max(0, milliseconds * graceShare),
      );
      try {
        await consumer?.stop();
        await Promise.all(pendingOutbox);
      } finally {
        clearTimeout(grace);
      }
    },
  };
}

/** The jobs of one stage that this process has under way. */
class StageJobs<T extends Runnable> {
  readonly #app: AppContext;
  readonly #kind: WorkKind<T>;
  readonly #options: StageOptions<T>;
  readonly #stopping: AbortSignal;
  readonly #leaseMs: number;
  #underWay = 0;

  constructor(app: AppContext, kind: WorkKind<T>, options: StageOptions<T>, stopping: AbortSignal) {
    this.#app = app;
    this.#kind = kind;
    this.#options = options;
    this.#stopping = stopping;
    this.#leaseMs = app.configuration.PLY_LEASE_SECONDS * 1000;
  }

  /** Does the stage of one job; null if there is nothing to do. */
  async handle(delivery: Delivery): Promise<Finished | null> {
    this.#underWay++;
    try {
      const { stage } = this.#options;
      const { message } = delivery;
      const { organizationId, documentId, jobId } = message;
      const documents = this.#app.records.collection(this.#kind.collection, scopeOf(organizationId));
      const found = await documents.get(documentId);
      if (found === null || this.#stopping.aborted) return null;
      const { run } = found;
      if (run.jobId !== jobId || run.stageSeq !== message.stageSeq || run.stage !== stage) return null;
      const worker = { owner: this.#app.nodeId, held: this.#underWay };
      const claim = transitions.claim(found, worker, this.#app.records.time(), this.#leaseMs);
      const claimed = await documents.update(found._id, claim.filter, claim.change);
      return claimed === null ? null : await this.#traced(documents, claimed, delivery);
    } finally {
      this.#underWay--;
    }
  }

  async #traced(documents: Collection<T>, claimed: T, delivery: Delivery): Promise<Finished> {
    const { stage } = this.#options;
    const { organizationId, run } = claimed;
    const context = { organizationId, jobId: run.jobId, stage, ...this.#kind.context(claimed) };
    const span = this.#app.tracing.stage(run.jobId, stage, {
      'ply.organization.id': organizationId,
      'ply.attempt': run.attempt,
      ...(context.assetId === undefined ? {} : { 'ply.asset.id': context.assetId }),
    });
    const traced = { ...context, span };
    let outcome: string | null = null;
    try {
      const done = await workingFor(traced, () => this.#work(documents, claimed, delivery));
      outcome = done.outcome;
      return { organizationId, stages: done.stages, flushOutbox: () => workingFor(traced, done.flushOutbox) };
    } finally {
      span?.setAttributes({ 'ply.outcome': outcome ?? 'broken_off' });
      span?.end(outcome === null || outcome === 'failed');
    }
  }

  /** Does the stage of a run that was claimed, and writes how it came out. */
  async #work(
    documents: Collection<T>,
    claimed: T,
    delivery: Delivery,
  ): Promise<Omit<Finished, 'organizationId'> & { outcome: string }> {
    const app = this.#app;
    const { stage } = this.#options;
    const began = app.runtime.now();
    let { progress } = claimed.run;
    const lease = keepLease({
      durationMs: this.#leaseMs,
      stopping: this.#stopping,
      log: app.log,
      renew: async () => {
        const worker = { progress, held: this.#underWay };
        const { filter, change } = transitions.renew(claimed, worker, app.records.time(), this.#leaseMs);
        const isHeld = (await documents.update(claimed._id, filter, change)) !== null;
        if (isHeld) delivery.working();
        return isHeld;
      },
    });
    let failureOutbox: T['outbox'] = [];
    let written: T | null;
    let outcome: string;
    try {
      const result = await this.#options.work({
        document: claimed,
        signal: lease.signal,
        // A stage that is done again goes on from the progress it had: it never falls.
        progress: (percent) => {
          const next = Math.max(progress, Math.min(100, Math.floor(percent)));
          if (next > progress) lease.renewSoon();
          progress = next;
        },
        setFailureOutbox: (items) => {
          failureOutbox = items;
        },
      });
      lease.signal.throwIfAborted();
      await lease.end();
      const { filter, change } = result(claimed, app.records.time());
      written = await documents.update(claimed._id, filter, change);
      outcome = written === null ? 'refused' : 'done';
    } catch (error) {
      await lease.end();
      ({ written, outcome } = await this.#failed(documents, claimed, error, lease, failureOutbox));
    }
    this.#kind.measure({ document: claimed, stage, outcome, seconds: (app.runtime.now() - began) / 1000 });
    // Resumed after a long pause, it may have written after its results were discarded.
    if (outcome === 'lost' || outcome === 'refused') this.#options.lost?.(claimed);
    const next = written?.run.stage ?? stage;
    return {
      outcome,
      stages: next === stage ? [stage] : [stage, next],
      flushOutbox: async () => {
        if (written !== null) await this.#flushOutbox(documents, written);
      },
    };
  }

  async #failed(
    documents: Collection<T>,
    claimed: T,
    error: unknown,
    lease: KeptLease,
    failureOutbox: T['outbox'],
  ): Promise<{ written: T | null; outcome: string }> {
    const { transition, outcome, code } = this.#transitionOf(claimed, error, lease, failureOutbox);
    // Where in the code it happened matters only where the code may be at fault.
    const cause =
      code === null || code === 'internal_error' || !(error instanceof Error)
        ? { err: error }
        : { reason: error.message };
    const level = ['lost', 'handed_back', 'held_back'].includes(outcome) ? 'info' : 'warn';
    this.#app.log[level]({ ...cause, outcome, code }, 'the stage was not done');
    if (transition === null) return { written: null, outcome };
    const written = await documents.update(claimed._id, transition.filter, transition.change);
    if (written !== null || outcome !== 'paused') return { written, outcome };
    // What it would wait for was given meanwhile (or the lease was lost, and this is refused as well).
    const again = transitions.handBack(claimed, this.#app.records.time());
    return { written: await documents.update(claimed._id, again.filter, again.change), outcome };
  }

  #transitionOf(
    document: T,
    error: unknown,
    lease: KeptLease,
    failureOutbox: T['outbox'],
  ): { transition: transitions.Transition | null; outcome: string; code: string | null } {
    const kind = this.#kind;
    const { records, metrics, configuration, runtime } = this.#app;
    const now = records.time();
    if (lease.isLost) return { transition: null, outcome: 'lost', code: null };
    if (this.#stopping.aborted)
      return { transition: transitions.handBack(document, now), outcome: 'handed_back', code: null };
    if (error instanceof Error && error.name === 'HeldBack')
      return { transition: transitions.hold(document, now), outcome: 'held_back', code: null };
    const { code, outcome } = kind.failureOf(error);
    if (outcome === 'definite')
      return { transition: transitions.fail(kind, document, code, now, failureOutbox), outcome: 'failed', code };
    if (outcome === 'access' && kind.pause !== undefined)
      return { transition: kind.pause(document, code, now), outcome: 'paused', code };
    const wait = transitions.backoff(document.run.attempt, configuration.PLY_RETRY_BASE_MS, runtime.random());
    metrics.retries.inc({ stage: document.run.stage, code });
    return {
      transition: transitions.putOff(kind, document, code, now + wait, now, failureOutbox),
      outcome: 'put_off',
      code,
    };
  }

  /** A run that goes on delivers its outbox when it ends; the sweeper does where that takes long. */
  async #flushOutbox(documents: Collection<T>, written: T): Promise<void> {
    if (!transitions.isFinished(written.run)) return;
    this.#kind.ended(written);
    if (written.outbox.length === 0) return;
    try {
      await drainOutbox(this.#app, this.#kind, documents, written);
    } catch (error) {
      this.#app.log.warn({ err: error }, 'the outbox could not be delivered, left to the sweeper');
    }
  }
}
