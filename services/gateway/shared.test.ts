import { memoryRecords } from '../../test/support/memory-records.ts';
import { ask, plainCounters, played, startStage, type Stage } from './testing/stage.ts';

const path = '/api/content/v1/assets';
const asset = {
  externalId: 'a',
  filename: 'a.txt',
  kind: 'document',
  sourceUrl: 'https://files.example.com/a.txt',
  sourceVersion: '"1"',
};
/** What a cluster's processes are told; the stores are played. */
const clustered = {
  PLY_NATS_URL: 'nats://127.0.0.1:4222',
  PLY_MONGO_URL: 'mongodb://127.0.0.1',
  PLY_MILVUS_URL: 'http://127.0.0.1:19530',
  PLY_REDIS_URL: 'redis://127.0.0.1',
  PLY_BLOBS_URL: 'file:///shared',
  PLY_OBJECTS_URL: 'file:///shared',
  PLY_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
};
const answer = {
  assetId: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
  jobId: 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb',
  revision: 1,
};

describe('two gateways of one cluster', () => {
  let one: Stage;
  let other: Stage;
  let works: number;
  let act: () => unknown;
  beforeEach(async () => {
    const shared = {
      records: memoryRecords(),
      counters: plainCounters(),
      limits: { requests: 10_000, search: 10_000, registrations: 6 },
      environment: clustered,
    };
    [one, other] = [await startStage(shared), await startStage(shared)];
    works = 0;
    act = () => answer;
    for (const stage of [one, other]) {
      stage.acts.set('registrar.register', () => {
        works += 1;
        return act();
      });
    }
  });
  afterEach(async () => {
    await one.stop();
    await other.stop();
  });
  const send = (stage: Stage, key: string, body: unknown = asset): ReturnType<typeof ask> =>
    ask(stage, 'POST', path, { body, headers: { 'idempotency-key': key } });

  it('run a keyed request once, replay it and refuse another body', async () => {
    let finish: (value: unknown) => void = () => undefined;
    act = () => new Promise((resolve) => (finish = resolve));
    const first = send(one, 'k');
    while (works === 0) await new Promise(setImmediate);
    expect((await send(other, 'k')).body).toMatchObject({ code: 'idempotency_conflict', retryable: true });
    finish(answer);
    expect((await first).status).toBe(202);
    const again = await send(other, 'k');
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([202, answer, 'true']);
    expect((await send(other, 'k', { ...asset, filename: 'b.txt' })).body).toMatchObject({
      code: 'idempotency_conflict',
    });
    expect(works).toBe(1);
  });

  it('execute many concurrent requests once', async () => {
    const answers = await Promise.all([one, other, one, other, one, other].map((stage) => send(stage, 'k')));
    expect(works).toBe(1);
    expect(answers.filter(({ status }) => status === 202).length).toBeGreaterThan(0);
    for (const { status, body } of answers)
      if (status !== 202) expect([status, body]).toEqual([409, expect.objectContaining({ retryable: true })]);
  });

  it('count requests together', async () => {
    const statuses: number[] = [];
    for (let at = 0; at < 8; at += 1)
      statuses.push((await ask(at % 2 === 0 ? one : other, 'POST', path, { body: asset })).status);
    expect(statuses).toEqual([202, 202, 202, 202, 202, 202, 429, 429]);
  });
});

describe("a gateway's cache of organizations", () => {
  it('is invalidated by a change', async () => {
    const stage = await startStage();
    let access = 'allowed';
    stage.acts.set('accounts.organizationAccess', () => access);
    const use = async (): Promise<number> =>
      (await ask(stage, 'GET', path, { headers: { 'x-organization-id': played.branch } })).status;
    try {
      expect(await use()).toBe(200);
      access = 'forbidden';
      expect(
        (await ask(stage, 'DELETE', `/api/sub-organizations/${played.branch}`, { key: played.admin })).status,
      ).toBe(200);
      expect(await use()).toBe(403);
      access = 'allowed';
      expect(
        (
          await ask(stage, 'PUT', `/api/sub-organizations/${played.branch}`, {
            key: played.admin,
            body: { is_active: true },
          })
        ).status,
      ).toBe(200);
      expect(await use()).toBe(200);
    } finally {
      await stage.stop();
    }
  });
});
