import { recordAudit } from '../../../mixins/storage/audit.ts';
import { PollLoop } from '../../../mixins/work/poll-loop.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { edgeChangeBatches, type EdgeChangeBatch } from '../../../models/edge-change.ts';
import { purges, type Purge } from '../../../models/purge.ts';
import { systemScope } from '../../../models/scope.ts';
import { allBuckets, settleBucket, type StorageContext } from '../tools.ts';

/** Within which each live edge has to acknowledge a change, in milliseconds. */
const acknowledgeMs = 5 * 60_000;
/** How often it looks without being woken, in milliseconds, and after how many looks it cleans. */
const lookMs = 1000;
const cleanEvery = 60;
/** How long purges are kept after their end, in milliseconds: 90 days. */
const purgeRetentionMs = 90 * 24 * 3_600_000;
/** Batches and purges that are looked at in a round. */
const maxOpen = 200;

/**
 * Follows what edges acknowledge: settings that do not reach them, and purges from their order to their end. Each step is
 * one conditional write, so several keepers do no harm.
 */
export class EdgeKeeper {
  readonly #app: StorageContext;
  #rounds = 0;

  constructor(app: StorageContext) {
    this.#app = app;
  }

  /** One look at everything that is open. */
  async round(): Promise<void> {
    const { edgeChanges } = this.#app;
    const acknowledged = await edgeChanges.acknowledged();
    await this.#settleBatches(acknowledged);
    const open = await this.#app.records
      .collection(purges, systemScope)
      .find({ filter: { openSince: { $exists: true } }, sort: [['openSince', 1]], limit: maxOpen });
    for (const purge of open) await this.#advance(purge, acknowledged);
    await this.#measure();
    this.#rounds += 1;
    if (this.#rounds % cleanEvery !== 1) return;
    await edgeChanges.clean();
    const endedBefore = this.#app.runtime.now() - purgeRetentionMs;
    await this.#app.records.collection(purges, systemScope).removeMany({ completedAt: { $lte: endedBefore } }, maxOpen);
  }

  async #measure(): Promise<void> {
    const open = { filter: { openSince: { $exists: true } }, sort: [['openSince', 1]], limit: 1 } as const;
    const { records, metrics } = this.#app;
    const [batch] = await records.collection(edgeChangeBatches, systemScope).find(open);
    const [purge] = await records.collection(purges, systemScope).find(open);
    const since = Math.min(batch?.openSince ?? Infinity, purge?.openSince ?? Infinity);
    metrics.edgeChangesAge.set(since === Infinity ? 0 : Math.max(0, records.time() - since) / 1000);
  }

  /** Ends the wait for batches that all edges have applied, and marks the buckets of those that they did not in time. */
  async #settleBatches(acknowledged: number): Promise<void> {
    const batches = this.#app.records.collection(edgeChangeBatches, systemScope);
    const now = this.#app.records.time();
    const open = await batches.find({
      filter: { openSince: { $exists: true } },
      sort: [['openSince', 1]],
      limit: maxOpen,
    });
    for (const batch of open) {
      if (batch.position <= acknowledged) {
        await this.#mark(batch, true);
        await batches.update(batch._id, {}, { unset: ['openSince'] });
      } else if (batch.at + acknowledgeMs < now && batch.lateAt === undefined) {
        await this.#mark(batch, false);
        await batches.update(batch._id, {}, { set: { lateAt: now } });
      }
    }
  }

  /** `configuration_failed` stays until a change of the bucket reaches the edges. */
  async #mark({ changes }: EdgeChangeBatch, isReached: boolean): Promise<void> {
    for (const change of changes) {
      if (change.kind !== 'bucket') continue;
      const [filter, failureReason] = isReached
        ? [{ failureReason: 'configuration_failed' }, null]
        : [{ failureReason: null, state: 'active' }, 'configuration_failed'];
      await allBuckets(this.#app).update(change.bucketId, filter, {
        set: { failureReason },
        increment: { version: 1 },
      });
    }
  }

  async #advance(given: Purge, acknowledged: number): Promise<void> {
    const { runtime } = this.#app;
    let purge = given;
    if (purge.state === 'queued') {
      const started = await this.#start(purge, acknowledged);
      if (started === null) return;
      purge = started;
    }
    if (purge.state === 'running' && purge.position === null) {
      const { bucketId, scope, targets } = purge;
      const position = await this.#app.edgeChanges.append([{ kind: 'purge', bucketId, scope, targets }]);
      await this.#write(purge, { position });
      return;
    }
    if (purge.state === 'running') {
      const isDone = purge.position !== null && purge.position <= acknowledged;
      if (!isDone && !this.#isLate(purge)) return;
      const ended = await this.#write(purge, {
        state: isDone ? 'succeeded' : 'failed',
        failureReason: isDone ? null : 'purge_failed',
        completedAt: runtime.now(),
      });
      if (ended === null) return;
      purge = ended;
    }
    await this.#recordEnd(purge);
  }

  /** A queued purge begins when the changes before it have reached the edges. Null where it waits on. */
  async #start(purge: Purge, acknowledged: number): Promise<Purge | null> {
    const bucket = await allBuckets(this.#app).get(purge.bucketId);
    const now = this.#app.runtime.now();
    if (bucket?.state !== 'active')
      return this.#write(purge, { state: 'failed', failureReason: 'bucket_not_active', completedAt: now });
    if (this.#isLate(purge))
      return this.#write(purge, { state: 'failed', failureReason: 'purge_failed', completedAt: now });
    if (purge.behind === null) {
      // Changes that are not announced yet come before it, too.
      if (hasUnannounced(bucket)) {
        await settleBucket({ app: this.#app }, bucket);
        const settled = await allBuckets(this.#app).get(bucket._id);
        if (settled === null || hasUnannounced(settled)) return null;
      }
      const behind = await this.#app.edgeChanges.head();
      if (behind > acknowledged) {
        await this.#write(purge, { behind });
        return null;
      }
    } else if (purge.behind > acknowledged) return null;
    return this.#write(purge, { state: 'running', startedAt: now });
  }

  #isLate({ openSince }: Purge): boolean {
    return openSince !== undefined && openSince + acknowledgeMs < this.#app.records.time();
  }

  async #recordEnd(purge: Purge): Promise<void> {
    const { _id, organizationId, bucketId, state, scope, targets, completedAt, requestedBy, requestedFrom } = purge;
    await recordAudit(this.#app, [
      {
        _id: `purge:${_id}`,
        organizationId,
        at: completedAt ?? this.#app.runtime.now(),
        actor: requestedBy,
        action: 'cache.purged',
        resourceKind: 'bucket',
        resourceId: bucketId,
        detail: { outcome: state, purgeId: _id, scope, count: targets.length },
        ip: requestedFrom,
      },
    ]);
    await this.#app.records.collection(purges, systemScope).update(_id, { state }, { unset: ['openSince'] });
  }

  #write(purge: Purge, set: Partial<Purge>): Promise<Purge | null> {
    return this.#app.records.collection(purges, systemScope).update(purge._id, { state: purge.state }, { set });
  }
}

function hasUnannounced({ outbox }: Bucket): boolean {
  return outbox.some(({ kind }) => kind === 'edge');
}

/** The keeper as an intake of the process, and how to wake it. */
export function edgeKeeping(app: StorageContext): Intake & { wakeUp(): void } {
  const keeper = new EdgeKeeper(app);
  const loop = new PollLoop(
    () => keeper.round().then(() => 0),
    lookMs,
    (error) => app.log.warn({ err: error }, 'the acknowledgements of edges could not be followed, will retry'),
  );
  return {
    name: 'edge keeping',
    start: () => {
      loop.start();
      return Promise.resolve();
    },
    stop: () => loop.stop(),
    wakeUp: () => loop.wakeUp(),
  };
}
