import { setTimeout as pause } from 'node:timers/promises';
import { isDuplicate, type Collection } from '../../adapters/records/port.ts';
import {
  batchId,
  edgeChangeBatches,
  liveEdges,
  type EdgeChange,
  type EdgeChangeBatch,
} from '../../models/edge-change.ts';
import { systemScope } from '../../models/scope.ts';
import type { AppContext } from '../app-context.ts';

/** Most changes in a batch. */
const maxBatch = 500;
/** Attempts at the place behind the last batch, which another process may take first. */
const maxAttempts = 200;
/** How long batches are kept for edges that fell behind; later those drop all their copies. In milliseconds. */
const retentionMs = 10 * 60_000;
const removedAtOnce = 500;

/** A change that waits to be written. */
interface Waiting {
  changes: readonly EdgeChange[];
  written: (position: number) => void;
  failed: (error: unknown) => void;
}

/**
 * The ordered, durable list of changes that edges must apply. Changes that are appended at the same time are written in
 * one batch. Each live edge acknowledges the position up to which it has applied them.
 */
export class EdgeChanges {
  readonly #records: AppContext['records'];
  readonly #waiting: Waiting[] = [];
  #writing = false;
  #announce: () => void = () => undefined;

  constructor(records: AppContext['records']) {
    this.#records = records;
  }

  /** @param announce tells the edges, best effort, that there are changes: they also look by themselves */
  announceWith(announce: () => void): void {
    this.#announce = announce;
  }

  /**
   * Appends changes; they are durable when the promise resolves. To be called from an outbox, or after what they
   * announce was written: an edge reads the records anew once it has applied them.
   * @returns their position: edges that acknowledged it, or a later one, have applied them
   */
  append(changes: readonly EdgeChange[]): Promise<number> {
    return new Promise((written, failed) => {
      this.#waiting.push({ changes, written, failed });
      void this.#write();
    });
  }

  /** The position of the last batch; 0 before the first. @throws StoreUnavailable */
  async head(): Promise<number> {
    const [last] = await this.#batches().find({ filter: {}, sort: [['_id', -1]], limit: 1 });
    return last?.position ?? 0;
  }

  /**
   * The batches behind a position, in their order.
   * @returns null if some were removed already: the reader must drop all its copies and go on at `head`
   */
  async after(position: number, limit: number): Promise<EdgeChangeBatch[] | null> {
    const batches = await this.#batches().find({
      filter: { _id: { $gt: batchId(position) } },
      sort: [['_id', 1]],
      limit,
    });
    const [first] = batches;
    return first !== undefined && first.position !== position + 1 ? null : batches;
  }

  /** The position that every live edge has acknowledged; Infinity where there is no edge. */
  async acknowledged(): Promise<number> {
    const edges = await this.#records.collection(liveEdges, systemScope).find({ filter: {}, limit: 10_000 });
    const now = this.#records.time();
    return Math.min(Infinity, ...edges.filter(({ liveUntil }) => liveUntil > now).map(({ position }) => position));
  }

  /** Removes edges that are gone, and batches that no edge needs any more; the last one stays, for its position. */
  async clean(): Promise<void> {
    const before = this.#records.time() - retentionMs;
    await this.#records.collection(liveEdges, systemScope).removeMany({ liveUntil: { $lt: before } }, removedAtOnce);
    const head = await this.head();
    const old = await this.#batches().find({ filter: {}, sort: [['_id', 1]], limit: removedAtOnce });
    for (const { _id, at, position, openSince } of old) {
      if (at >= before || position >= head || openSince !== undefined) return;
      await this.#batches().remove(_id);
    }
  }

  #batches(): Collection<EdgeChangeBatch> {
    return this.#records.collection(edgeChangeBatches, systemScope);
  }

  async #write(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    try {
      while (this.#waiting.length > 0) {
        const taken = this.#take();
        try {
          const position = await this.#insert(taken.flatMap(({ changes }) => changes));
          this.#announce();
          for (const { written } of taken) written(position);
        } catch (error) {
          for (const { failed } of taken) failed(error);
        }
      }
    } finally {
      this.#writing = false;
    }
  }

  /** The next changes for one batch: all that wait, up to the most. */
  #take(): Waiting[] {
    let count = 0;
    let taken = 0;
    for (const { changes } of this.#waiting) {
      count += changes.length;
      if (taken > 0 && count > maxBatch) break;
      taken += 1;
    }
    return this.#waiting.splice(0, taken);
  }

  async #insert(changes: EdgeChange[]): Promise<number> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const position = (await this.head()) + 1;
      const at = this.#records.time();
      try {
        await this.#batches().insert({ _id: batchId(position), position, at, changes, openSince: at });
        return position;
      } catch (error) {
        if (!isDuplicate(error, '_id')) throw error;
        // Another process was first. The pause differs between processes, because their answers do.
        await pause(Math.min(attempt, 10));
      }
    }
    throw new Error('changes for edges could not be written: other processes were always first');
  }
}
