import { setTimeout as pause } from 'node:timers/promises';
import { testApp, type TestApp } from '../../test/support/app.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { newRun } from '../indexing/runs.ts';
import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import type { Collection } from '../../adapters/records/port.ts';
import type { StoredRecord } from '../../models/collection.ts';
import { systemScope } from '../../models/scope.ts';
import { newDelivery, webhookDeliveries } from '../../models/webhook.ts';
import { testWebhook } from '../../test/support/webhook.ts';
import { Dispatcher } from './dispatcher.ts';
import { testAsset } from '../../test/support/asset.ts';

const kind = { collection: assetsDefinition };

function waitingAsset(organizationId: string, index: number): Asset {
  const id = `${organizationId}-${index}`;
  return testAsset({ _id: id, organizationId, run: newRun(`job-${id}`, 1, index) });
}

describe('dispatching for many organizations', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await testApp();
  });
  afterAll(() => test.close());

  it('includes organizations that one round does not reach', async () => {
    const assets = test.app.records.collection(assetsDefinition, systemScope);
    // As in a cluster, where each dispatch is written down.
    const app: AppContext = { ...test.app, queue: { ...test.app.queue, outstanding: () => null } };
    const organizations = Array.from({ length: 503 }, (_, number) => `organization-${String(number).padStart(4, '0')}`);
    await assets.insertNew(
      organizations.flatMap((organizationId) => [1, 2].map((index) => waitingAsset(organizationId, index))),
    );
    const dispatcher = new Dispatcher(app, kind, { stage: 'extracting', slots: () => 250 });
    const dispatched = async (): Promise<Asset[]> =>
      assets.find({ filter: { 'run.phase': 'dispatched' }, limit: 2000 });
    expect(await dispatcher.round()).toBe(500);
    const first = await dispatched();
    expect(first.map((asset) => asset.organizationId).sort()).toEqual(organizations.slice(0, 500));
    // All of it is done; the first 500 organizations still have work, and so have the three behind them.
    for (const asset of first) await assets.update(asset._id, {}, { set: { 'run.phase': 'ended' } });
    expect(await dispatcher.round()).toBe(500);
    const second = new Set((await dispatched()).map((asset) => asset.organizationId));
    expect(organizations.slice(500).every((organizationId) => second.has(organizationId))).toBe(true);
  });

  it('needs a few queries, and two for each organization that gets a slot', async () => {
    const fresh = await testApp();
    try {
      const assets = fresh.app.records.collection(assetsDefinition, systemScope);
      await assets.insertNew(
        Array.from({ length: 1000 }, (_, number) => waitingAsset(`organization-${String(number).padStart(4, '0')}`, 1)),
      );
      const queries: string[] = [];
      const counted = <T extends StoredRecord>(collection: Collection<T>): Collection<T> =>
        new Proxy(collection, {
          get: (target, name) => {
            if (typeof name === 'string' && name !== 'update') queries.push(name);
            return Reflect.get(target, name) as unknown;
          },
        });
      const { records, queue } = fresh.app;
      const app: AppContext = {
        ...fresh.app,
        records: { ...records, collection: (definition, scope) => counted(records.collection(definition, scope)) },
        queue: { ...queue, outstanding: () => null },
      };
      const dispatcher = new Dispatcher(app, kind, { stage: 'extracting', slots: () => 4 });
      expect(await dispatcher.round()).toBe(8);
      expect(queries).toHaveLength(2 + 2 * 8);
      // The window is full.
      expect(await dispatcher.round()).toBe(0);
      expect(queries).toHaveLength(2 + 2 * 8 + 1);
    } finally {
      await fresh.close();
    }
  });
});

describe('dispatching by a queue within the process', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await testApp({ PLY_ORGANIZATION_SLOTS: '3' });
  });
  afterAll(() => test.close());

  it('writes nothing, sends one message each, and respects window and cap', async () => {
    const { queue, records } = test.app;
    const assets = records.collection(assetsDefinition, systemScope);
    await assets.insertNew(
      ['one', 'two'].flatMap((organizationId) => [1, 2, 3, 4, 5].map((index) => waitingAsset(organizationId, index))),
    );
    const dispatcher = new Dispatcher(test.app, kind, { stage: 'extracting', slots: () => 2 });
    expect(await dispatcher.round()).toBe(4);
    expect(await dispatcher.round()).toBe(0);
    expect(await assets.count({ 'run.phase': 'waiting' })).toBe(10);
    expect(queue.outstanding('extracting')?.map(({ documentId }) => documentId)).toEqual([
      'one-1',
      'one-2',
      'two-1',
      'two-2',
    ]);
    const wide = new Dispatcher(test.app, kind, { stage: 'embedding', slots: () => 50 });
    await assets.insertNew(
      [6, 7, 8, 9].map((index) => ({
        ...waitingAsset('three', index),
        run: { ...newRun(`job-three-${index}`, 1, index), stage: 'embedding' },
      })),
    );
    expect(await wide.round()).toBe(3);
    expect(await wide.round()).toBe(0);

    // Completed jobs free the window. A job that lost its lease while its message is still queued is published again.
    const taken: string[] = [];
    const hold = new AbortController();
    const held = new Promise<void>((resolve) => hold.signal.addEventListener('abort', () => resolve()));
    const consumer = await queue.consume('embedding', 1, async ({ message }) => {
      taken.push(message.documentId);
      if (message.documentId === 'three-6') await assets.update('three-6', {}, { set: { 'run.token': 1 } });
      else await assets.update(message.documentId, {}, { set: { 'run.phase': 'ended' } });
      if (message.documentId === 'three-7') await held;
    });
    while (taken.length < 2) await pause(5);
    expect(await wide.round()).toBe(1);
    hold.abort();
    while (taken.length < 4) await pause(5);
    expect(taken).toEqual(['three-6', 'three-7', 'three-8', 'three-6']);
    await consumer.stop();
  });
});

describe('dispatching in turns of another field', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await testApp();
  });
  afterAll(() => test.close());

  it('counts and caps by that field, with a queue within the process and with one outside', async () => {
    const { records, queue } = test.app;
    const deliveries = records.collection(webhookDeliveries, systemScope);
    const content = { event: 'webhook.ping', eventId: 'e', videoId: null, body: '{}' } as const;
    await deliveries.insertNew(
      ['busy', 'calm'].flatMap((webhookId) =>
        Array.from({ length: webhookId === 'busy' ? 50 : 2 }, (_, index) =>
          newDelivery(`${webhookId}-${index}`, testWebhook({ _id: webhookId }), content, {
            now: index,
            storeNow: index,
          }),
        ),
      ),
    );
    const stage = 'delivering_webhook';
    const turns = { by: 'webhookId', cap: () => 3 };
    const options = { stage, slots: () => 100 } as const;
    const within = new Dispatcher(test.app, { collection: webhookDeliveries, turns }, options);
    expect(await within.round()).toBe(5);
    expect(await within.round()).toBe(0);
    expect(
      queue
        .outstanding(stage)
        ?.map(({ documentId }) => documentId)
        .toSorted(),
    ).toEqual(['busy-0', 'busy-1', 'busy-2', 'calm-0', 'calm-1']);
    const app: AppContext = { ...test.app, queue: { ...queue, outstanding: () => null, publish: async () => {} } };
    const outside = new Dispatcher(app, { collection: webhookDeliveries, turns }, options);
    expect(await outside.round()).toBe(5);
    expect(await outside.round()).toBe(0);
    expect(await deliveries.count({ 'run.phase': 'dispatched', webhookId: 'busy' })).toBe(3);
    await deliveries.update('busy-0', {}, { set: { 'run.phase': 'ended' } });
    expect(await outside.round()).toBe(1);
  });
});
