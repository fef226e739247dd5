import { setTimeout as pause } from 'node:timers/promises';
import { bucketWork } from '../../../mixins/storage/bucket-work.ts';
import { Dispatcher } from '../../../mixins/work/dispatcher.ts';
import { Sweeper } from '../../../mixins/work/sweeper.ts';
import type { Caller } from '../../../models/api.ts';
import { auditLog } from '../../../models/audit-log.ts';
import type { Bucket, BucketStage } from '../../../models/bucket.ts';
import { readRegions } from '../../../models/region.ts';
import { systemScope } from '../../../models/scope.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { allBuckets, type Storage } from '../tools.ts';
import { changeBucket, removeBucket, restoreBucket, retryBucket } from './change.ts';
import { createBucket } from './create.ts';
import { checkBucketName, listBuckets, readBucket } from './read.ts';
import { bucketWorkers } from './work.ts';

const dayMs = 86_400_000;
const stages: readonly BucketStage[] = ['provisioning', 'retiring', 'emptying'];

describe('the life of a bucket', () => {
  let test: TestApp;
  let storage: Storage;
  let stop: () => Promise<void>;
  let removed: string[];
  beforeEach(async () => {
    test = await testApp({ PLY_RETRY_BASE_MS: '10' });
    removed = [];
    storage = {
      app: test.app,
      actions: { call: () => Promise.reject(new Error('no actor is called')) },
      regions: await readRegions(test.app.configuration),
      wakeUp: () => undefined,
    };
    const content = {
      abortUploads: () => Promise.resolve(),
      removeAll: ({ _id }: Bucket) => Promise.resolve(void removed.push(_id)),
    };
    const workers = bucketWorkers(test.app, storage, content);
    for (const worker of workers) await worker.start();
    stop = async () => {
      for (const worker of workers) await worker.stop(100);
    };
  });
  afterEach(async () => {
    await stop();
    await test.close();
  });

  const caller = (account: string, organizationId: string): Caller => ({
    accountId: account,
    organizationId,
    keyId: 'key',
    keyPrefix: 'p',
    keyLabel: '',
    keyScope: 'admin',
    requestId: 'r',
    ip: '192.0.2.1',
  });
  const [one, other] = [caller('one', 'org-one'), caller('other', 'org-other')];
  const create = (who: Caller, name: string, visibility: 'private' | 'public' = 'private') =>
    createBucket(storage, who, test.app.runtime.uuid(), {
      name,
      region: 'in-west',
      visibility,
      strictResidency: false,
    });
  /** Dispatches and sweeps until the bucket is in a state. */
  async function reaches(id: string, holds: (bucket: Bucket) => boolean): Promise<Bucket> {
    const kind = bucketWork(test.app);
    const sweeper = new Sweeper(test.app, kind);
    const dispatchers = stages.map((stage) => new Dispatcher(test.app, kind, { stage, slots: () => 4 }));
    for (let tries = 0; tries < 300; tries += 1) {
      const bucket = await allBuckets(test.app).get(id);
      if (bucket !== null && holds(bucket)) return bucket;
      await sweeper.round();
      for (const dispatcher of dispatchers) await dispatcher.round();
      await pause(10);
    }
    throw new Error('the bucket does not get there');
  }
  const advance = (milliseconds: number): void => {
    test.ahead.local += milliseconds;
    test.ahead.records += milliseconds;
  };

  it('ends seven days after its deletion: a public name is retired for other accounts', async () => {
    const { id } = await create(one, 'was-public', 'public');
    await reaches(id, ({ state }) => state === 'active');
    await changeBucket(storage, one, id, { visibility: 'private' });
    await removeBucket(storage, one, id);
    await reaches(id, ({ state }) => state === 'deleted');
    advance(7 * dayMs - 60_000);
    await new Sweeper(test.app, bucketWork(test.app)).round();
    expect(removed).toEqual([]);
    expect((await listBuckets(storage, one)).items.map((bucket) => bucket.id)).toEqual([id]);
    advance(120_000);
    expect((await listBuckets(storage, one)).items).toEqual([]);
    await expect(restoreBucket(storage, one, id)).rejects.toMatchObject({ type: 'restore_window_passed' });
    await reaches(id, ({ purgedAt }) => purgedAt !== undefined);
    expect(removed).toEqual([id]);
    expect(await readBucket(storage, one, id)).toMatchObject({ id, state: 'deleted' });
    await expect(restoreBucket(storage, one, id)).rejects.toMatchObject({ type: 'restore_window_passed' });
    expect(await checkBucketName(storage, other, 'was-public')).toMatchObject({ available: false, reason: 'taken' });
    await expect(create(other, 'was-public')).rejects.toMatchObject({ type: 'bucket_name_taken' });
    expect(await create({ ...one, organizationId: 'its-branch' }, 'was-public')).toMatchObject({ state: 'creating' });
  });

  it('gives the name of a bucket that was never public free', async () => {
    const { id } = await create(one, 'was-private');
    await reaches(id, ({ state }) => state === 'active');
    await removeBucket(storage, one, id);
    await reaches(id, ({ state }) => state === 'deleted');
    await expect(create(other, 'was-private')).rejects.toMatchObject({ type: 'bucket_name_taken' });
    advance(7 * dayMs + 1000);
    await reaches(id, ({ purgedAt }) => purgedAt !== undefined);
    expect(await create(other, 'was-private')).toMatchObject({ name: 'was-private' });
  });

  it('fails after five attempts with the reason, and is made by a retry', async () => {
    const { ping } = test.app.objects;
    let attempts = 0;
    Object.assign(test.app.objects, {
      ping: () => {
        attempts += 1;
        return Promise.reject(Object.assign(new Error('away'), { name: 'StoreUnavailable' }));
      },
    });
    const { id } = await create(one, 'unlucky');
    const failed = await reaches(id, ({ state }) => state === 'failed');
    expect([failed.failureReason, attempts]).toEqual(['provider_unavailable', 5]);
    Object.assign(test.app.objects, { ping });
    expect(await retryBucket(storage, one, id)).toMatchObject({ state: 'creating', failureReason: null });
    await reaches(id, ({ state }) => state === 'active');
  });

  it('leaves an audit row for each change, without values', async () => {
    const { id } = await create(one, 'audited');
    await reaches(id, ({ state }) => state === 'active');
    await changeBucket(storage, one, id, { delivery: { linkTtlSeconds: 77 }, visibility: 'public' });
    await changeBucket(storage, one, id, {});
    await removeBucket(storage, one, id);
    await removeBucket(storage, one, id);
    await reaches(id, ({ state }) => state === 'deleted');
    await restoreBucket(storage, one, id);
    const rows = await test.app.records
      .collection(auditLog, systemScope)
      .find({ filter: { organizationId: 'org-one' }, sort: [['at', 1]], limit: 100 });
    expect(rows.map(({ action, actor, ip, resourceId }) => [action, actor, ip, resourceId])).toEqual(
      ['bucket.created', 'bucket.updated', 'bucket.deleted', 'bucket.restored'].map((action) => [
        action,
        'api_key:key',
        '192.0.2.1',
        id,
      ]),
    );
    expect(rows[1]?.detail).toEqual({ fields: ['visibility', 'delivery.linkTtlSeconds'] });
  });
});
