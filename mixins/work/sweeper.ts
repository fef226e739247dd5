import type { Collection } from '../../adapters/records/port.ts';
import { systemScope } from '../../models/scope.ts';
import type { Phase, Runnable } from '../../models/work.ts';
import type { AppContext } from '../app-context.ts';
import type { WorkKind } from './kind.ts';
import { drainOutbox } from './outbox.ts';
import * as transitions from './transitions.ts';

/** Documents that one round repairs of each phase. */
const pageSize = 200;
/** How long an outbox that could not be delivered is left alone, so that it does not block others. */
const outboxRetryMs = 30_000;
/** Outboxes of one round that may fail in a row: then a store is away, and all of them wait. */
const maxFailuresInARow = 3;

/**
 * Repairs what a crash left behind in one kind of work: expired leases, runs that were dispatched and never claimed,
 * attempts and outboxes that are due. Every repair is conditional on what was read, so several sweepers do no harm.
 */
export class Sweeper<T extends Runnable> {
  readonly #app: AppContext;
  readonly #kind: WorkKind<T>;
  readonly #documents: Collection<T>;

  constructor(app: AppContext, kind: WorkKind<T>) {
    this.#app = app;
    this.#kind = kind;
    this.#documents = app.records.collection(kind.collection, systemScope);
  }

  /** One round. Returns how many runs were moved. */
  async round(): Promise<number> {
    const now = this.#app.records.time();
    const resumed = await this.#repairDue('put_off', now, (document) => transitions.resume(document, now));
    const undispatched = await this.#repairDue('dispatched', now, (document) => transitions.undispatch(document, now));
    const expired = await this.#repairDue(
      'working',
      now,
      (document) => transitions.expire(this.#kind, document, now),
      ({ _id, run: { jobId, stage, lease } }) => {
        this.#app.metrics.leasesLost.inc({ stage });
        this.#app.log.warn({ documentId: _id, jobId, stage, owner: lease?.owner }, 'lease expired');
      },
    );
    return resumed + undispatched + expired;
  }

  /**
   * After a start with a queue that lived in the process before: what earlier processes dispatched or leased waits
   * again at once, and the outboxes of their ended runs are due at once. Nothing counts against the runs.
   */
  async takeOverFromEarlierProcesses(): Promise<number> {
    const now = this.#app.records.time();
    let moved = 0;
    for (const [phase, repair] of [
      ['dispatched', transitions.undispatch],
      ['working', transitions.handBack],
    ] as const) {
      for (;;) {
        const page = await this.#documents.find({
          filter: { 'run.phase': phase, 'run.dispatchedBy': { $ne: this.#app.nodeId } },
          limit: pageSize,
        });
        const taken = await this.#apply(page, (document) => repair(document, now));
        moved += taken;
        if (page.length < pageSize || taken === 0) break;
      }
    }
    await this.#scheduleOutboxes(now);
    return moved;
  }

  /**
   * Delivers outboxes that are due, some at a time. Returns how many were delivered. One that fails is logged and
   * retried later, and the others go on. A removal reports its usage itself, and everything else of it is deleted
   * anyway.
   * @throws where the records are away
   */
  async drainOutboxes(): Promise<number> {
    const now = this.#app.records.time();
    const due = await this.#documents.find({
      filter: { outboxDue: { $lte: now }, 'run.phase': { $ne: 'removing' } },
      sort: [['outboxDue', 1]],
      limit: pageSize,
    });
    let drained = 0;
    let failures = 0;
    for (const document of due) {
      try {
        await drainOutbox(this.#app, this.#kind, this.#documents, document);
        drained++;
        failures = 0;
      } catch (error) {
        this.#app.log.warn({ err: error, documentId: document._id }, 'an outbox could not be delivered, will retry');
        await this.#dueAt(document, now + outboxRetryMs);
        if (++failures === maxFailuresInARow) break;
      }
    }
    return drained;
  }

  async #scheduleOutboxes(now: number): Promise<void> {
    for (;;) {
      const page = await this.#documents.find({
        filter: { outboxDue: { $gt: now, $lte: now + outboxRetryMs }, 'run.phase': 'ended' },
        sort: [['outboxDue', 1]],
        limit: pageSize,
      });
      await Promise.all(page.map((document) => this.#dueAt(document, now)));
      if (page.length < pageSize) return;
    }
  }

  #dueAt({ _id, version }: T, outboxDue: number): Promise<T | null> {
    return this.#documents.update(_id, { version }, { set: { outboxDue }, increment: { version: 1 } });
  }

  async #repairDue(
    phase: Phase,
    now: number,
    repair: (document: T) => transitions.Transition,
    repaired?: (before: T) => void,
  ): Promise<number> {
    const due = await this.#documents.find({
      filter: { 'run.phase': phase, 'run.dueAt': { $lte: now } },
      sort: [['run.dueAt', 1]],
      limit: pageSize,
    });
    return this.#apply(due, repair, repaired);
  }

  /** Of several sweepers one repairs a document, and only that one reports it. */
  async #apply(
    documents: readonly T[],
    repair: (document: T) => transitions.Transition,
    repaired?: (before: T) => void,
  ): Promise<number> {
    const written = await Promise.all(
      documents.map(async (document) => {
        const { filter, change } = repair(document);
        const after = await this.#documents.update(document._id, filter, change);
        if (after === null) return false;
        repaired?.(document);
        if (transitions.isFinished(after.run)) this.#kind.ended(after);
        return true;
      }),
    );
    return written.filter(Boolean).length;
  }
}
