import type { ServiceBroker } from 'moleculer';
import type { Collection } from '../../adapters/records/port.ts';
import { systemScope } from '../../models/scope.ts';
import { isObject } from '../../models/schemas/schema.ts';
import type { Runnable, WorkMessage } from '../../models/work.ts';
import type { AppContext } from '../app-context.ts';
import { FairOrder, type Standing } from './fair-order.ts';
import type { WorkKind } from './kind.ts';
import * as transitions from './transitions.ts';

/** Organizations considered in one round. */
const maxOrganizations = 500;
/** Published and unclaimed jobs of an organization, as many as there usually are. */
const usuallyUnclaimed = 3;

/** How a stage is dispatched. */
export interface DispatchOptions<T extends Runnable> {
  stage: T['run']['stage'];
  /** Slots of the stage in all live workers together. */
  slots(): number;
  /** Of documents of one organization, oldest first: those that may begin. It may hold the others back. */
  admit?(documents: readonly T[]): Promise<readonly T[]>;
}

/** Jobs that are dispatched or leased, as one round sees them. */
interface Outstanding {
  total: number;
  /** By whose turn it was. */
  byTurn: ReadonlyMap<string, number>;
  /** Whether the queue of this process holds the message of a waiting run that has had leases up to this token. */
  isPublished(run: { jobId: string; stageSeq: number; token: number }): boolean;
}

/**
 * Hands waiting runs of one stage to its queue, fairly between organizations (or what else the kind of work names), a
 * small window at a time. Where the queue
 * outlives the process, or is shared, the dispatch is written to the document first. A queue that reports what it holds
 * lives and dies with this process, so what was published is remembered with it alone.
 */
export class Dispatcher<T extends Runnable> {
  readonly #app: AppContext;
  readonly #documents: Collection<T>;
  readonly #options: DispatchOptions<T>;
  /** The field that names whose turn it is, and how many jobs each may have outstanding. */
  readonly #turns: { by: string; cap: number };
  readonly #order = new FairOrder();
  /** The last organization that the previous round considered; empty if it considered all. */
  #cursor = '';
  /**
   * Tokens of the runs that were published to the queue of this process, by job and stage, and whose turn it was: a run
   * whose lease was lost since is published again.
   */
  #published = new Map<string, { token: number; turn: string }>();
  #publications = 0;
  /** Whether runs were held back in this round: their slots are free for others. */
  #hasHeldBack = false;

  constructor(app: AppContext, kind: Pick<WorkKind<T>, 'collection' | 'turns'>, options: DispatchOptions<T>) {
    this.#app = app;
    this.#turns = {
      by: kind.turns?.by ?? 'organizationId',
      cap: kind.turns?.cap(options.stage) ?? app.configuration.PLY_ORGANIZATION_SLOTS,
    };
    this.#documents = app.records.collection(kind.collection, systemScope);
    this.#options = options;
  }

  /**
   * One round. Returns how many jobs were dispatched where not all organizations were considered, else 0: new work is
   * announced by a hint. Where runs were held back, their slots are given to others at once.
   */
  async roundForMore(): Promise<number> {
    this.#hasHeldBack = false;
    const dispatched = await this.round();
    return this.#cursor === '' ? Number(this.#hasHeldBack) : dispatched;
  }

  /** One round. Returns how many jobs were dispatched; 0 means that the window is full or nothing waits. */
  async round(): Promise<number> {
    const slots = this.#options.slots();
    if (slots === 0) return 0;
    const held = this.#app.queue.outstanding(this.#options.stage);
    const outstanding = held === null ? await this.#recorded(2 * slots) : this.#remembered(held);
    if (outstanding.total >= 2 * slots) return 0;
    const standings = this.#standings(await this.#waitingOrganizations(), outstanding);
    const shares = this.#order.shareOut(standings, slots, outstanding.total, performance.now());
    const counts = await Promise.all(
      [...shares]
        .filter(([, count]) => count > 0)
        .map(([turn, count]) => {
          const known = held === null ? 0 : (outstanding.byTurn.get(turn) ?? 0);
          return this.#dispatchOldest(turn, count, known, outstanding);
        }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** What is outstanding by the records; no more than `limit`, which fills the window. */
  async #recorded(limit: number): Promise<Outstanding> {
    const rows = await this.#documents.pick(
      { filter: { 'run.phase': { $in: ['dispatched', 'working'] }, 'run.stage': this.#options.stage }, limit },
      [this.#turns.by],
    );
    return {
      total: rows.length,
      byTurn: countsOf(rows.map(([turn]) => String(turn))),
      isPublished: () => false,
    };
  }

  /** What is outstanding by the queue of this process. */
  #remembered(held: readonly WorkMessage[]): Outstanding {
    const published = new Map(
      held.map((message) => [
        keyOf(message),
        this.#published.get(keyOf(message)) ?? { token: -1, turn: message.organizationId },
      ]),
    );
    this.#published = published;
    return {
      total: held.length,
      byTurn: countsOf([...published.values()].map(({ turn }) => turn)),
      isPublished: (run) => published.get(keyOf(run))?.token === run.token,
    };
  }

  /**
   * Organizations (or what else has turns) with waiting runs. Where there are more than one round considers, the next round continues behind the
   * last one, and starts again from the first.
   */
  async #waitingOrganizations(): Promise<string[]> {
    const filter = { 'run.phase': 'waiting', 'run.stage': this.#options.stage };
    const after = this.#cursor;
    const found = await this.#documents.distinct(filter, this.#turns.by, { after, limit: maxOrganizations });
    const room = maxOrganizations - found.length;
    if (room > 0 && after !== '') {
      const fromStart = await this.#documents.distinct(filter, this.#turns.by, { after: '', limit: room });
      found.push(...fromStart.filter((organizationId) => organizationId <= after));
    }
    this.#cursor = found.length < maxOrganizations ? '' : (found.at(-1) ?? '');
    return found;
  }

  #standings(waiting: readonly string[], { byTurn }: Outstanding): Map<string, Standing> {
    const { cap } = this.#turns;
    return new Map(
      waiting.map((turn) => {
        const out = byTurn.get(turn) ?? 0;
        return [turn, { room: Math.max(0, cap - out), out }];
      }),
    );
  }

  /** @param known how many of the oldest may be published already */
  async #dispatchOldest(turn: string, count: number, known: number, outstanding: Outstanding): Promise<number> {
    const oldest = await this.#oldest(turn, count, known, outstanding);
    const admitted = this.#options.admit === undefined ? oldest : await this.#options.admit(oldest);
    this.#hasHeldBack ||= admitted.length < oldest.length;
    const done = await Promise.all(admitted.map((document) => this.#dispatch(document, turn)));
    return done.filter(Boolean).length;
  }

  /** Those that have waited longest and are not published. Few of the known ones are among them: most are claimed. */
  async #oldest(turn: string, count: number, known: number, { isPublished }: Outstanding): Promise<T[]> {
    const { stage } = this.#options;
    for (let more = Math.min(known, usuallyUnclaimed); ; more = known) {
      const filter = { 'run.phase': 'waiting', 'run.stage': stage, [this.#turns.by]: turn };
      const oldest = await this.#documents.pick({ filter, sort: [['run.queuedAt', 1]], limit: count + more }, [
        '_id',
        'run.jobId',
        'run.stageSeq',
        'run.token',
      ]);
      const next = oldest
        .filter(
          ([, jobId, stageSeq, token]) =>
            !isPublished({ jobId: String(jobId), stageSeq: Number(stageSeq), token: Number(token) }),
        )
        .slice(0, count);
      if (next.length < count && oldest.length === count + more && more !== known) continue;
      // Those that go on to another stage were read by its worker, and the store may have them in memory.
      return (await this.#documents.getMany(next.map(([id]) => String(id)))).filter(
        ({ run }) => run.phase === 'waiting' && run.stage === stage,
      );
    }
  }

  async #dispatch(document: T, turn: string): Promise<boolean> {
    const { queue, nodeId, records } = this.#app;
    const { stage } = this.#options;
    const { jobId, stageSeq, attempt, token } = document.run;
    const { organizationId, _id: documentId } = document;
    const message: WorkMessage = { organizationId, documentId, jobId, stageSeq, attempt };
    if (queue.outstanding(stage) !== null) {
      this.#published.set(keyOf(message), { token, turn });
      await queue.publish(stage, message, `${jobId}.${stageSeq}.ring-${++this.#publications}`);
      return true;
    }
    const { filter, change } = transitions.dispatch(document, nodeId, records.time());
    const dispatched = await this.#documents.update(documentId, filter, change);
    if (dispatched === null) return false;
    // The version makes every dispatch its own message: a later dispatch of the same attempt must be delivered again.
    await queue.publish(stage, message, `${jobId}.${stageSeq}.${dispatched.version}`);
    return true;
  }
}

function keyOf({ jobId, stageSeq }: { jobId: string; stageSeq: number }): string {
  return `${jobId}.${stageSeq}`;
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Slots of a stage in all live workers together, as the registry knows them. */
export function stageSlots(broker: ServiceBroker, stage: string): number {
  const services: { metadata?: Record<string, unknown> }[] = broker.registry.getServiceList({
    onlyAvailable: true,
    withActions: false,
    withEvents: false,
    skipInternal: true,
  });
  return services.reduce((sum, { metadata }) => sum + slotsIn(metadata, stage), 0);
}

/** Slots of a service: of its one stage (`stage`, `slots`), or of each of its stages (`stages`). */
function slotsIn(metadata: Record<string, unknown> | undefined, stage: string): number {
  const { stages } = metadata ?? {};
  const slots = metadata?.['stage'] === stage ? metadata['slots'] : isObject(stages) ? stages[stage] : 0;
  return typeof slots === 'number' ? slots : 0;
}
