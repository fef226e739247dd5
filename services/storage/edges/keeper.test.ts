import type { Caller } from '../../../models/api.ts';
import { auditLog } from '../../../models/audit-log.ts';
import { buckets, type Bucket } from '../../../models/bucket.ts';
import { liveEdges } from '../../../models/edge-change.ts';
import { systemScope } from '../../../models/scope.ts';
import { EdgeFollower } from '../../../mixins/storage/edge-follower.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { testBucket } from '../../../test/support/bucket.ts';
import { changeBucket } from '../buckets/change.ts';
import { createPurge } from '../purges/create.ts';
import { readPurge } from '../purges/read.ts';
import type { Storage } from '../tools.ts';
import { EdgeKeeper } from './keeper.ts';

describe('the keeper', () => {
  let test: TestApp;
  let storage: Storage;
  let keeper: EdgeKeeper;
  let bucket: Bucket;
  let edge: EdgeFollower;
  const caller: Caller = {
    accountId: 'account',
    organizationId: 'organization',
    keyId: 'key',
    keyPrefix: 'p',
    keyLabel: '',
    keyScope: 'admin',
    requestId: 'r',
    ip: '192.0.2.1',
  };
  beforeEach(async () => {
    test = await testApp();
    storage = {
      app: test.app,
      actions: { call: () => Promise.reject(new Error('no actor is called')) },
      regions: [],
      wakeUp: () => undefined,
    };
    keeper = new EdgeKeeper(test.app);
    bucket = testBucket({ _id: test.app.runtime.uuid() });
    await test.app.records.collection(buckets, systemScope).insert(bucket);
    edge = new EdgeFollower(test.app, {
      apply: () => undefined,
      reset: () => undefined,
      acknowledged: () => undefined,
    });
    // It looks only when it is told to: it was started by hand.
    await edge.look();
  });
  afterEach(async () => {
    await edge.stop();
    await test.close();
  });

  const order = (): Promise<{ id: string }> => createPurge(storage, caller, bucket._id, { all: true });
  const state = async (id: string): Promise<unknown[]> => {
    const purge = await readPurge(storage, caller, id);
    return [purge.state, purge.failureReason];
  };
  const failure = async (): Promise<unknown> =>
    (await test.app.records.collection(buckets, systemScope).get(bucket._id))?.failureReason;
  /** The edge keeps saying that it is live, and applies nothing. */
  async function hang(milliseconds: number): Promise<void> {
    test.ahead.records += milliseconds;
    const liveUntil = test.app.records.time() + 60_000;
    await test.app.records.collection(liveEdges, systemScope).update(test.app.nodeId, {}, { set: { liveUntil } });
  }
  let rate = 64;
  const change = (): Promise<unknown> =>
    changeBucket(storage, caller, bucket._id, { delivery: { rateLimitKbps: (rate += 1) } });

  it('removes purges 90 days after their end, and says how long the oldest change has waited', async () => {
    const dayMs = 86_400_000;
    const age = async (): Promise<number> => (await test.app.metrics.edgeChangesAge.get()).values[0]?.value ?? NaN;
    const { id } = await order();
    await hang(90_000);
    await keeper.round();
    expect(Math.round(await age())).toBe(90);
    for (let round = 0; round < 3; round += 1) {
      await edge.look();
      await keeper.round();
    }
    expect(await state(id)).toEqual(['succeeded', null]);
    await keeper.round();
    expect(await age()).toBe(0);
    test.ahead.local += 90 * dayMs - 60_000;
    await new EdgeKeeper(test.app).round();
    expect(await state(id)).toEqual(['succeeded', null]);
    test.ahead.local += 120_000;
    await new EdgeKeeper(test.app).round();
    await expect(state(id)).rejects.toMatchObject({ type: 'purge_not_found' });
  });

  it('holds a purge back until earlier settings reached the edges, and ends it when they have dropped their copies', async () => {
    await change();
    const { id } = await order();
    await keeper.round();
    await keeper.round();
    expect(await state(id)).toEqual(['queued', null]);
    await edge.look();
    await keeper.round();
    expect(await state(id)).toEqual(['running', null]);
    await keeper.round();
    expect(await state(id)).toEqual(['running', null]);
    await edge.look();
    await keeper.round();
    expect(await state(id)).toEqual(['succeeded', null]);
    await keeper.round();
    const rows = await test.app.records
      .collection(auditLog, systemScope)
      .find({ filter: { organizationId: 'organization', action: 'cache.purged' }, limit: 10 });
    expect(rows).toEqual([
      {
        _id: `purge:${id}`,
        organizationId: 'organization',
        at: expect.any(Number),
        actor: 'api_key:key',
        action: 'cache.purged',
        resourceKind: 'bucket',
        resourceId: bucket._id,
        detail: { outcome: 'succeeded', purgeId: id, scope: 'all', count: 0 },
        ip: '192.0.2.1',
      },
    ]);
  });

  it('fails a purge that an edge does not acknowledge in five minutes', async () => {
    const { id } = await order();
    await keeper.round();
    await keeper.round();
    await hang(5 * 60_000 - 1000);
    await keeper.round();
    expect(await state(id)).toEqual(['running', null]);
    await hang(2000);
    await keeper.round();
    expect(await state(id)).toEqual(['failed', 'purge_failed']);
  });

  it('does not wait for an edge that is gone', async () => {
    const { id } = await order();
    await keeper.round();
    test.ahead.records += 30_000;
    await keeper.round();
    await keeper.round();
    expect(await state(id)).toEqual(['succeeded', null]);
  });

  it('fails the waiting purges of a bucket that is deleted, and purges a suspended one', async () => {
    const all = test.app.records.collection(buckets, systemScope);
    await change();
    await all.update(bucket._id, {}, { set: { suspendedAt: 1 } });
    const { id } = await order();
    await keeper.round();
    await all.update(bucket._id, {}, { set: { state: 'deleting' } });
    await keeper.round();
    expect(await state(id)).toEqual(['failed', 'bucket_not_active']);
  });

  it('shows settings that do not reach an edge, until a change does', async () => {
    await change();
    await keeper.round();
    await hang(5 * 60_000 + 1000);
    expect(await failure()).toBeNull();
    await keeper.round();
    expect(await failure()).toBe('configuration_failed');
    await change();
    await keeper.round();
    expect(await failure()).toBe('configuration_failed');
    await edge.look();
    await keeper.round();
    expect(await failure()).toBeNull();
  });
});
