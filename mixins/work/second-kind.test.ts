import { setTimeout as sleep } from 'node:timers/promises';
import { defineCollection } from '../../models/collection.ts';
import { systemScope } from '../../models/scope.ts';
import type { OutboxItem, Runnable } from '../../models/work.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import type { AppContext } from '../app-context.ts';
import { Dispatcher } from './dispatcher.ts';
import type { WorkKind } from './kind.ts';
import { Sweeper } from './sweeper.ts';
import * as transitions from './transitions.ts';
import { stageWorker, type StageOptions } from './worker.ts';

/** A kind of work with documents of its own: parcels are packed, and each packed parcel is charged once. */
interface Parcel extends Runnable {
  contents: string | null;
}

const parcels = defineCollection<Parcel>({
  name: 'parcels',
  owner: 'organization',
  indexes: [
    { name: 'turn', fields: ['run.phase', 'run.stage', 'organizationId', 'run.queuedAt'] },
    { name: 'due', fields: ['run.phase', 'run.dueAt'] },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
  ],
});

function parcel(id: string, organizationId: string, queuedAt = 0): Parcel {
  return {
    _id: id,
    organizationId,
    contents: null,
    version: 1,
    outbox: [],
    run: {
      jobId: `job-${id}`,
      state: 'queued',
      stage: 'packing',
      stageSeq: 1,
      progress: 0,
      errorCode: null,
      attempt: 1,
      lostLeases: 0,
      token: 0,
      lease: null,
      phase: 'waiting',
      dueAt: null,
      dispatchedBy: null,
      queuedAt,
      createdAt: 0,
      updatedAt: 0,
    },
  };
}

describe('a second kind of work', () => {
  let test: TestApp;
  let app: AppContext;
  let kind: WorkKind<Parcel>;
  let dispatcher: Dispatcher<Parcel>;
  /** Deliveries of outbox items, and ends of runs, in their order. */
  let delivered: string[];
  let ended: string[];
  /** Ends consumers and workers of a test. */
  let stops: (() => Promise<void>)[];

  beforeEach(async () => {
    test = await testApp({ PLY_LEASE_SECONDS: '2', PLY_ORGANIZATION_SLOTS: '100' });
    app = test.app;
    await app.records.prepare([parcels]);
    [delivered, ended, stops] = [[], [], []];
    kind = {
      collection: parcels,
      stages: ['packing'],
      cleanup: ({ _id }, notBefore) => [{ id: `unpack-${_id}`, kind: 'unpack', notBefore }],
      deliver: (_, items) => Promise.resolve(void delivered.push(...items.map(({ id }) => id))),
      failureOf: (error) => ({ code: 'torn', outcome: error instanceof RangeError ? 'definite' : 'temporary' }),
      context: () => ({}),
      measure: () => undefined,
      ended: ({ _id, run }) => void ended.push(`${_id} ${run.state}`),
    };
    dispatcher = new Dispatcher(app, kind, { stage: 'packing', slots: () => 2 });
  });
  afterEach(async () => {
    for (const stop of stops) await stop();
    await test.close();
  });

  const documents = (): ReturnType<typeof app.records.collection<Parcel>> =>
    app.records.collection(parcels, systemScope);
  const stored = async (id: string): Promise<Parcel> => {
    const found = await documents().get(id);
    if (found === null) throw new Error(`${id} is gone`);
    return found;
  };
  const packed = (id: string): Parcel['outbox'] => [{ id: `charge-${id}`, kind: 'charge', notBefore: 0 }];
  const pack = (contents: string) => (document: Parcel, now: number) =>
    transitions.complete(document, 'ready', now, { document: { contents }, outbox: packed(document._id) });

  async function start(options: Pick<StageOptions<Parcel>, 'work' | 'lost'>, slots = 2): Promise<void> {
    const worker = stageWorker(app, kind, { stage: 'packing', slots, changed: () => undefined, ...options });
    await worker.start();
    stops.push(() => worker.stop(100));
  }
  async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
    for (let tries = 0; !(await holds()); tries++) {
      if (tries > 500) throw new Error('it did not come to hold');
      await sleep(20);
    }
  }

  it('runs from dispatch to its end, and delivers its outbox once', async () => {
    await documents().insert(parcel('a', 'one'));
    await start({ work: () => Promise.resolve(pack('books')) });
    expect(await dispatcher.round()).toBe(1);
    await until(async () => (await stored('a')).outboxDue === undefined && (await stored('a')).contents !== null);
    expect(await stored('a')).toMatchObject({ contents: 'books', outbox: [], run: { state: 'ready', token: 1 } });
    const sweeper = new Sweeper(app, kind);
    test.ahead.records += 120_000;
    expect([await sweeper.round(), await sweeper.drainOutboxes()]).toEqual([0, 0]);
    expect([delivered, ended]).toEqual([['charge-a'], ['a ready']]);
  });

  it('fences a worker whose lease was taken, and charges once', async () => {
    await documents().insert(parcel('a', 'one'));
    const { promise: paused, resolve: resume } = Promise.withResolvers<void>();
    const lost: string[] = [];
    let attempts = 0;
    await start({
      work: async () => {
        attempts++;
        const isFirst = attempts === 1;
        if (isFirst) await paused;
        return pack(isFirst ? 'late' : 'in time');
      },
      lost: ({ _id }) => void lost.push(_id),
    });
    await dispatcher.round();
    await until(() => attempts === 1);
    // The worker sleeps for longer than its lease: another one gets the parcel.
    test.ahead.records += 60_000;
    const sweeper = new Sweeper(app, kind);
    await until(async () => (await sweeper.round()) === 1);
    expect((await stored('a')).run).toMatchObject({ phase: 'waiting', lostLeases: 1, blame: 1 });
    await dispatcher.round();
    await until(() => ended.length === 1);
    resume();
    await until(() => lost.length === 1);
    await until(async () => (await stored('a')).outbox.length === 0);
    expect(await stored('a')).toMatchObject({ contents: 'in time', run: { state: 'ready', token: 2 } });
    expect([delivered, ended]).toEqual([['charge-a'], ['a ready']]);
  });

  it('retries temporary failures with backoff, and cleans up after definite ones', async () => {
    await documents().insertNew([parcel('torn', 'one'), parcel('lost', 'one')]);
    let attempts = 0;
    await start({
      work: ({ document }) => {
        if (document._id === 'lost') return Promise.reject(new RangeError('it is nowhere'));
        return ++attempts === 1 ? Promise.reject(new Error('torn')) : Promise.resolve(pack('repaired'));
      },
    });
    await dispatcher.round();
    await until(async () => (await stored('torn')).run.phase === 'put_off');
    const { dueAt, errorCode, attempt } = (await stored('torn')).run;
    const delay = (dueAt ?? 0) - app.records.time();
    expect([errorCode, attempt, delay <= app.configuration.PLY_RETRY_BASE_MS]).toEqual(['torn', 2, true]);
    test.ahead.records += 20 * 60_000;
    expect(await new Sweeper(app, kind).round()).toBe(1);
    await dispatcher.round();
    await until(async () => (await stored('torn')).contents === 'repaired');
    await until(() => delivered.length === 2);
    expect((await stored('lost')).run).toMatchObject({ state: 'failed', errorCode: 'torn', attempt: 1 });
    expect([delivered.toSorted(), ended.toSorted()]).toEqual([
      ['charge-torn', 'unpack-lost'],
      ['lost failed', 'torn ready'],
    ]);
  });

  it('has its outbox delivered by a sweeper if the worker died after the write', async () => {
    const claimed = { ...parcel('a', 'one') };
    const lease = { owner: 'dead', token: 1, held: 1 };
    Object.assign(claimed.run, { phase: 'working', state: 'packing', token: 1, lease, dueAt: app.records.time() });
    await documents().insert(claimed);
    const { filter, change } = pack('books')(claimed, app.records.time());
    await documents().update('a', filter, change);
    test.ahead.records += 60_000;
    const sweepers = [1, 2].map(() => new Sweeper(app, kind));
    await Promise.all(sweepers.map((sweeper) => sweeper.drainOutboxes()));
    expect((await stored('a')).outbox satisfies OutboxItem[]).toEqual([]);
    // Two sweepers may deliver at once; the ids are fixed, so the ledger counts one.
    expect(new Set(delivered)).toEqual(new Set(['charge-a']));
  });

  it('is dispatched fairly between organizations', async () => {
    await documents().insertNew(Array.from({ length: 100 }, (_, index) => parcel(`large-${index}`, 'large', index)));
    await documents().insertNew(Array.from({ length: 3 }, (_, index) => parcel(`small-${index}`, 'small', 1000)));
    const order: string[] = [];
    await start({ work: ({ document }) => Promise.resolve(pack((order.push(document.organizationId), 'books'))) }, 2);
    while (order.length < 20) {
      await dispatcher.round();
      await sleep(5);
    }
    expect(order.slice(0, 12).filter((organizationId) => organizationId === 'small')).toHaveLength(3);
  });
});
