import fc from 'fast-check';
import { applyChange, type JsonChange } from '../../adapters/records/change.ts';
import type { Filter } from '../../adapters/records/port.ts';
import type { Asset, OutboxEntry } from '../../models/asset.ts';
import type { JsonObject } from '../../models/json.ts';
import * as indexing from '../indexing/runs.ts';
import { testAsset } from '../../test/support/asset.ts';
import * as work from './transitions.ts';

const { backoff } = work;
/** The rules of all runs, with those of indexing. */
const transitions = {
  ...work,
  ...indexing,
  fail: (asset: Asset, code: string, now: number) => work.fail(indexing.cleanup, asset, code, now),
  expire: (asset: Asset, now: number) => work.expire(indexing.cleanup, asset, now),
};

const leaseMs = 30_000;

function valueAt(document: JsonObject, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
      document,
    );
}

function matches(document: JsonObject, filter: Filter): boolean {
  return Object.entries(filter).every(([path, condition]) => {
    const value = valueAt(document, path) ?? null;
    return typeof condition === 'object' && condition !== null
      ? (condition.$in ?? []).some((option) => option === value)
      : value === condition;
  });
}

/** One document with conditional writes: all that the rules of runs rely on. */
class Store {
  asset = testAsset();
  write({ filter, change }: work.Transition): Asset | null {
    const document = JSON.parse(JSON.stringify(this.asset)) as JsonObject;
    if (!matches(document, filter)) return null;
    applyChange(document, JSON.parse(JSON.stringify(change)) as JsonChange);
    this.asset = JSON.parse(JSON.stringify(document)) as Asset;
    return this.asset;
  }
}

/** A worker that remembers what it claimed, however long ago. */
interface Worker {
  claimed: Asset | null;
}

const usage = (asset: Asset): OutboxEntry => ({
  id: `${asset.run.jobId}:${asset.run.stageSeq}:source_bytes`,
  kind: 'usage',
  metric: 'source_bytes',
  quantity: 1,
  at: 0,
  notBefore: 0,
});

type Step = (world: { store: Store; workers: Worker[]; now: number; ledger: Map<string, number> }) => void;

/**
 * All events of one run, in any order: work, a crash, a worker that resumes after its lease expired, sweeping,
 * cancelling.
 */
const steps: { [name: string]: (worker: number) => Step } = {
  dispatch:
    () =>
    ({ store, now }) =>
      void store.write(transitions.dispatch(store.asset, 'scheduler', now)),
  claim:
    (worker) =>
    ({ store, workers, now }) => {
      const holder = workers[worker];
      if (holder === undefined) return;
      const claimed = store.write(transitions.claim(store.asset, { owner: `worker-${worker}`, held: 1 }, now, leaseMs));
      if (claimed !== null) holder.claimed = claimed;
    },
  finish:
    (worker) =>
    ({ store, workers, now }) => {
      const claimed = workers[worker]?.claimed ?? null;
      if (claimed === null) return;
      const done =
        claimed.run.stage === 'extracting'
          ? transitions.advance(claimed, 'embedding', transitions.noFacts, [usage(claimed)], now)
          : transitions.complete(claimed, transitions.noFacts, [usage(claimed)], now);
      store.write(done);
    },
  stumble:
    (worker) =>
    ({ store, workers, now }) => {
      const claimed = workers[worker]?.claimed ?? null;
      if (claimed !== null) store.write(transitions.putOff(claimed, 'store_unavailable', now + 10, now));
    },
  deny:
    (worker) =>
    ({ store, workers, now }) => {
      const claimed = workers[worker]?.claimed ?? null;
      if (claimed !== null) store.write(transitions.awaitAccess(claimed, 'source_access_denied', now));
    },
  giveAccess:
    () =>
    ({ store, now }) => {
      const { version, sealedAccess, run } = store.asset;
      store.write({
        filter: { version },
        change: {
          set: { sealedAccess: `${sealedAccess ?? ''}x`, run: transitions.withAccess(run, now) },
          increment: { version: 1 },
        },
      });
    },
  renew:
    (worker) =>
    ({ store, workers, now }) => {
      const claimed = workers[worker]?.claimed ?? null;
      if (claimed !== null) store.write(transitions.renew(claimed, { progress: 10, held: 1 }, now, leaseMs));
    },
  holdBack:
    (worker) =>
    ({ store, workers, now }) => {
      // By its worker, or before it has one.
      const held = workers[worker]?.claimed ?? store.asset;
      if (held.run.lease !== null || held.run.phase === 'waiting') store.write(transitions.hold(held, now));
    },
  release:
    () =>
    ({ store, now }) =>
      void store.write(transitions.release(store.asset, now)),
  sweep:
    () =>
    ({ store, now }) => {
      const { run } = store.asset;
      if (run.dueAt === null || run.dueAt > now) return;
      if (run.phase === 'working') store.write(transitions.expire(store.asset, now));
      else if (run.phase === 'put_off') store.write(transitions.resume(store.asset, now));
      else if (run.phase === 'dispatched') store.write(transitions.undispatch(store.asset, now));
    },
  later: () => (world) => {
    world.now += leaseMs + 1;
  },
  drain:
    () =>
    ({ store, ledger }) => {
      for (const entry of store.asset.outbox)
        if (entry.kind === 'usage') ledger.set(entry.id, (ledger.get(entry.id) ?? 0) + 1);
      const ids = store.asset.outbox.map((entry) => entry.id);
      store.write({
        filter: { version: store.asset.version },
        change: { pullById: { outbox: ids }, increment: { version: 1 } },
      });
    },
  cancel:
    () =>
    ({ store, now }) => {
      if (!transitions.isFinished(store.asset.run)) store.write(transitions.cancel(store.asset, now, leaseMs));
    },
};

const anyStep = fc
  .tuple(fc.constantFrom(...Object.keys(steps)), fc.nat(2))
  .map(([name, worker]) => ({ name, run: steps[name]?.(worker) }));

describe('the rules of runs, in any order of events', () => {
  it('keep a run consistent: one lease, increasing tokens, nothing after the end, one charge per stage', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (sequence) => {
        const workers: Worker[] = [{ claimed: null }, { claimed: null }, { claimed: null }];
        const world = { store: new Store(), workers, now: 1, ledger: new Map<string, number>() };
        let before = world.store.asset;
        for (const step of sequence) {
          step.run?.(world);
          const { asset } = world.store;
          expect(asset.run.token).toBeGreaterThanOrEqual(before.run.token);
          expect(asset.run.stageSeq).toBeGreaterThanOrEqual(before.run.stageSeq);
          expect(asset.run.lease !== null).toBe(asset.run.phase === 'working');
          if (before.run.phase === 'ended')
            expect([asset.run.state, asset.activeRevision]).toEqual([before.run.state, before.activeRevision]);
          expect(transitions.awaitsAccess(asset.run)).toBe(asset.run.phase === 'paused');
          // Access that is given during the read does not leave the run waiting.
          if (asset.run.phase === 'paused' && before.run.phase !== 'paused')
            expect(asset.sealedAccess).toBe(
              workers.find(({ claimed }) => claimed?.run.token === asset.run.token)?.claimed?.sealedAccess ?? null,
            );
          expect(asset.activeRevision === 1).toBe(asset.run.state === 'ready');
          if (asset.outbox.length > before.outbox.length) expect(asset.outboxDue).toBeDefined();
          before = asset;
        }
        steps['drain']?.(0)(world);
        // Draining twice is a matter of the ledger's fixed ids; an entry itself is put into the outbox once.
        const stages = world.store.asset.run.state === 'ready' ? 2 : world.store.asset.run.stageSeq - 1;
        expect(world.ledger.size).toBe(stages);
        for (const times of world.ledger.values()) expect(times).toBe(1);
      }),
      { numRuns: 2000 },
    );
  });

  it('refuse a worker whose lease was taken', () => {
    const store = new Store();
    const first = store.write(transitions.claim(store.asset, { owner: 'first', held: 1 }, 0, leaseMs));
    store.write(transitions.expire(store.asset, leaseMs + 1));
    const second = store.write(transitions.claim(store.asset, { owner: 'second', held: 1 }, leaseMs + 2, leaseMs));
    expect(first).not.toBeNull();
    expect(second).not.toBeNull();
    if (first === null || second === null) return;
    expect(store.write(transitions.advance(first, 'embedding', transitions.noFacts, [], 0))).toBeNull();
    expect(store.write(transitions.renew(first, { progress: 50, held: 1 }, 0, leaseMs))).toBeNull();
    expect(store.write(transitions.advance(second, 'embedding', transitions.noFacts, [], 0))?.run.stage).toBe(
      'embedding',
    );
  });

  it('reset the attempts of a run that waits for access', () => {
    const store = new Store();
    for (const code of ['store_unavailable', 'source_access_denied'] as const) {
      const claimed = store.write(transitions.claim(store.asset, { owner: 'worker', held: 1 }, 0, leaseMs));
      if (claimed === null) throw new Error('not claimed');
      store.write(
        code === 'store_unavailable'
          ? transitions.putOff(claimed, code, 5, 0)
          : transitions.awaitAccess(claimed, code, 0),
      );
      if (code === 'store_unavailable') store.write(transitions.resume(store.asset, 5));
    }
    expect(store.asset.run).toMatchObject({
      phase: 'paused',
      state: 'awaiting_source_access',
      errorCode: 'source_access_denied',
      attempt: 2,
      dueAt: null,
      lease: null,
    });
    expect(transitions.withAccess(store.asset.run, 9)).toEqual({
      ...store.asset.run,
      phase: 'waiting',
      state: 'queued',
      errorCode: null,
      attempt: 1,
      queuedAt: 9,
      updatedAt: 9,
    });
    const ended = { ...store.asset.run, phase: 'ended' as const, state: 'cancelled' as const };
    expect(transitions.withAccess(ended, 9)).toBe(ended);
  });

  it('deliver the outbox at the end of the run by its worker, or by the sweeper', () => {
    const store = new Store();
    const reported: (number | undefined)[] = [];
    for (const now of [1000, 2000]) {
      const claimed = store.write(transitions.claim(store.asset, { owner: 'worker', held: 1 }, now, leaseMs));
      if (claimed === null) throw new Error('not claimed');
      const failureOutbox = [{ ...usage(claimed), notBefore: now }];
      const done =
        now === 1000
          ? transitions.advance(claimed, 'embedding', transitions.noFacts, failureOutbox, now)
          : transitions.complete(claimed, transitions.noFacts, failureOutbox, now);
      reported.push(store.write(done)?.outboxDue);
    }
    expect(reported).toEqual([1000 + transitions.stageOutboxDelayMs, 2000 + transitions.endOutboxDelayMs]);
    expect(store.asset.outbox.map((entry) => entry.notBefore)).toEqual([1000, 2000]);
  });

  it('deliver the outbox of earlier stages at the end, also if the last one has none, or the run fails or stops', () => {
    const ends = {
      complete: (claimed: Asset) => transitions.complete(claimed, transitions.noFacts, [], 2000),
      fail: (claimed: Asset) => transitions.fail(claimed, 'ocr_required', 2000),
      cancel: (claimed: Asset) => transitions.cancel(claimed, 2000, leaseMs),
    };
    for (const [name, end] of Object.entries(ends)) {
      const store = new Store();
      const first = store.write(transitions.claim(store.asset, { owner: 'worker', held: 1 }, 1000, leaseMs));
      if (first === null) throw new Error('not claimed');
      store.write(
        transitions.advance(first, 'embedding', transitions.noFacts, [{ ...usage(first), notBefore: 1000 }], 1000),
      );
      const last = store.write(transitions.claim(store.asset, { owner: 'worker', held: 1 }, 1500, leaseMs));
      if (last === null) throw new Error('not claimed');
      const due = store.write(end(last))?.outboxDue;
      expect([name, due === undefined ? due : due <= 2000 + transitions.endOutboxDelayMs]).toEqual([name, true]);
    }
  });

  it('count a lost worker as a part for each of its jobs, and fail after eight', () => {
    const store = new Store();
    for (let times = 1; times <= transitions.maxAttempts; times++) {
      expect(store.asset.run.state).toBe('queued');
      const claimed = store.write(transitions.claim(store.asset, { owner: 'worker', held: 1 }, 0, leaseMs));
      if (claimed === null) throw new Error('not claimed');
      store.write(transitions.renew(claimed, { progress: 1, held: 4 }, 0, leaseMs));
      store.write(transitions.expire(store.asset, 0));
      expect(store.asset.run.blame).toBe(times / 4 - (times === transitions.maxAttempts ? 1 / 4 : 0));
    }
    expect(store.asset.run).toMatchObject({ state: 'failed', errorCode: 'worker_lost', phase: 'ended' });
  });

  it('fail a job after three expired leases', () => {
    const store = new Store();
    for (let times = 0; times < transitions.maxBlame; times++) {
      expect(store.write(transitions.claim(store.asset, { owner: 'worker', held: 1 }, 0, leaseMs))).not.toBeNull();
      store.write(transitions.expire(store.asset, 0));
    }
    expect(store.asset.run).toMatchObject({ state: 'failed', errorCode: 'worker_lost', phase: 'ended' });
  });

  it('fail after eight attempts of a stage', () => {
    const store = new Store();
    for (let attempt = 1; attempt <= transitions.maxAttempts; attempt++) {
      expect(store.asset.run.attempt).toBe(attempt);
      const claimed = store.write(transitions.claim(store.asset, { owner: 'worker', held: 1 }, 0, leaseMs));
      if (claimed === null) throw new Error('not claimed');
      store.write(transitions.putOff(claimed, 'source_unreachable', 5, 0, [usage(claimed)]));
      // What was done is written once, by the attempt that was the last.
      expect(store.asset.outbox.filter(({ kind }) => kind === 'usage')).toHaveLength(
        attempt === transitions.maxAttempts ? 1 : 0,
      );
      store.write(transitions.resume(store.asset, 5));
    }
    expect(store.asset.run).toMatchObject({ state: 'failed', errorCode: 'source_unreachable' });
  });
});

describe('the delay before another attempt', () => {
  it('is random below a bound that doubles, up to 15 minutes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const wait = backoff(attempt, 10_000, random);
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(Math.min(900_000, 10_000 * 2 ** (attempt - 1)));
        },
      ),
    );
    expect(backoff(1, 10_000, 0.5)).toBe(5000);
  });
});
