import { liveEdges, type EdgeChange } from '../../models/edge-change.ts';
import { systemScope } from '../../models/scope.ts';
import type { AppContext } from '../app-context.ts';
import type { Intake } from '../lifecycle.ts';
import type { EdgeChanges } from './edge-changes.ts';

/** How often changes are looked for without a hint, in milliseconds. */
const pollMs = 500;
/** Without an answer of the records for this long, an edge does not know any more what holds, in milliseconds. */
const lostAfterMs = 3000;
/** How long an edge counts as live after its last word, and how often it says one, in milliseconds. */
const liveMs = 20_000;
const renewMs = 5000;
const batchesAtOnce = 100;

/** What an edge does with the changes it follows. */
export interface Follower {
  /** Drops copies of what the change names. */
  apply(change: EdgeChange): void;
  /** Drops every copy: changes were missed. */
  reset(): void;
  /** An acknowledgement was written. */
  acknowledged(): void;
}

/** What following the changes needs. */
export type FollowContext = Pick<AppContext, 'records' | 'log' | 'nodeId'> & { edgeChanges: EdgeChanges };

/**
 * Follows the changes for edges from its start on: applies them in their order, and acknowledges the position. It looks
 * when it is woken, and by itself every half second.
 */
export class EdgeFollower implements Intake {
  readonly name = 'edge changes';
  readonly #app: FollowContext;
  readonly #follower: Follower;
  #position: number | null = null;
  #round: Promise<void> | null = null;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** Of performance.now(). */
  #heardAt = -Infinity;
  #renewedAt = -Infinity;
  #failing = false;

  constructor(app: FollowContext, follower: Follower) {
    this.#app = app;
    this.#follower = follower;
  }

  /** Whether the records have not answered for so long that copies may be outdated. */
  get isLost(): boolean {
    return performance.now() - this.#heardAt > lostAfterMs;
  }

  /** Milliseconds since the records last answered; 0 before the first answer. */
  get silentMs(): number {
    return this.#heardAt === -Infinity ? 0 : performance.now() - this.#heardAt;
  }

  /** Whether the last attempt to read the changes failed. */
  get isFailing(): boolean {
    return this.#failing;
  }

  /** The position that was applied last; null before the first answer of the records. */
  get position(): number | null {
    return this.#position;
  }

  /** Starts at the present position: nothing is cached yet. It does not wait for records that are away. */
  async start(): Promise<void> {
    await this.look();
    this.#timer = setInterval(() => void this.look(), pollMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#round;
    await this.#app.records
      .collection(liveEdges, systemScope)
      .remove(this.#app.nodeId)
      .catch((error: unknown) => this.#app.log.debug({ err: error }, 'the edge could not sign off'));
  }

  /** Looks for changes now, and resolves when those that there were are applied. It does not throw. */
  look(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    if (this.#round !== null) {
      this.#again = true;
      return this.#round;
    }
    this.#round = this.#rounds().finally(() => (this.#round = null));
    return this.#round;
  }

  async #rounds(): Promise<void> {
    do {
      this.#again = false;
      try {
        await this.#apply();
        this.#heardAt = performance.now();
        if (this.#failing) this.#app.log.info('the edge follows the changes again');
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) this.#app.log.warn({ err: error }, 'the edge cannot read what changed, will retry');
        this.#failing = true;
        return;
      }
    } while (this.#again && !this.#stopped);
  }

  async #apply(): Promise<void> {
    const { edgeChanges } = this.#app;
    if (this.#position === null) {
      await this.#moveTo(await edgeChanges.head());
      this.#follower.reset();
    }
    for (;;) {
      const from: number = this.#position ?? 0;
      const batches = await edgeChanges.after(from, batchesAtOnce);
      if (batches === null) {
        const head = await edgeChanges.head();
        this.#follower.reset();
        await this.#moveTo(head);
        continue;
      }
      for (const { changes } of batches) for (const change of changes) this.#follower.apply(change);
      const position = batches.at(-1)?.position ?? from;
      if (position !== from || performance.now() - this.#renewedAt > renewMs) await this.#moveTo(position);
      if (batches.length < batchesAtOnce) return;
    }
  }

  /** Acknowledges a position, and says that the edge is live. */
  async #moveTo(position: number): Promise<void> {
    const { records, nodeId } = this.#app;
    const moved = this.#position !== position;
    const live = records.collection(liveEdges, systemScope);
    const liveUntil = records.time() + liveMs;
    this.#position = position;
    // Renewed with the next look where the write fails.
    this.#renewedAt = -Infinity;
    const written = await live.update(nodeId, {}, { set: { position, liveUntil } });
    if (written === null) await live.put({ _id: nodeId, position, startedAt: records.time(), liveUntil });
    this.#renewedAt = performance.now();
    if (moved) this.#follower.acknowledged();
  }
}
