import { ask, startStage, type Stage } from './testing/stage.ts';

const path = '/api/content/v1/assets';
const asset = {
  externalId: 'a',
  filename: 'a.txt',
  kind: 'document',
  sourceUrl: 'https://files.example.com/a.txt',
  sourceVersion: '"1"',
};
const answer = {
  assetId: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
  jobId: 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb',
  revision: 1,
};

describe('Idempotency-Key', () => {
  let stage: Stage;
  let works: (string | undefined)[];
  let act: () => unknown;
  beforeEach(async () => {
    stage = await startStage();
    works = [];
    act = () => answer;
    stage.acts.set('registrar.register', (input) => {
      works.push('idempotencyId' in input ? String(input.idempotencyId) : undefined);
      return act();
    });
  });
  afterEach(() => stage.stop());
  const send = (key: string | null, body: unknown = asset): ReturnType<typeof ask> =>
    ask(stage, 'POST', path, { body, headers: key === null ? {} : { 'idempotency-key': key } });

  it('repeats the first response to the same body, regardless of key order', async () => {
    const first = await send('k');
    const again = await send('k', Object.fromEntries(Object.entries(asset).reverse()));
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([202, null]);
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([202, answer, 'true']);
    expect(works).toHaveLength(1);
    await send(null);
    expect(works[1]).toBeUndefined();
  });

  it('refuses another body', async () => {
    await send('k');
    const other = await send('k', { ...asset, filename: 'b.txt' });
    expect([other.status, other.body]).toEqual([409, expect.objectContaining({ code: 'idempotency_conflict' })]);
    expect(other.body).not.toHaveProperty('retryable');
  });

  it('refuses another address, with a hint', async () => {
    stage.acts.set('registrar.reindex', () => answer);
    const reindex = (assetId: string): ReturnType<typeof ask> =>
      ask(stage, 'POST', `${path}/${assetId}/reindex`, { headers: { 'idempotency-key': 'k' } });
    expect((await reindex(answer.assetId)).status).toBe(202);
    expect((await reindex(answer.jobId)).body).toMatchObject({
      code: 'idempotency_conflict',
      detail: expect.stringContaining('another address'),
    });
  });

  it('executes two concurrent requests once', async () => {
    let finish: (value: unknown) => void = () => undefined;
    act = () => new Promise((resolve) => (finish = resolve));
    const first = send('k');
    while (works.length === 0) await new Promise(setImmediate);
    const second = await send('k');
    expect([second.status, second.body]).toEqual([
      409,
      expect.objectContaining({ code: 'idempotency_conflict', retryable: true }),
    ]);
    finish(answer);
    expect((await first).status).toBe(202);
    expect(works).toHaveLength(1);
  });

  it('executes many concurrent requests once', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => send('k')));
    expect(works).toHaveLength(1);
    expect(
      all.filter(({ status, headers }) => status === 202 && headers.get('idempotency-replayed') === null),
    ).toHaveLength(1);
    expect(all.every(({ status }) => status === 202 || status === 409)).toBe(true);
  });

  it('stores no refusals and failures, and continues the same work after a failure', async () => {
    act = () => {
      throw Object.assign(new Error('x'), { name: 'Refusal', type: 'source_version_already_registered' });
    };
    expect((await send('k')).status).toBe(409);
    act = () => {
      throw new Error('crash after the work');
    };
    expect((await send('k')).status).toBe(500);
    act = () => answer;
    expect((await send('k')).status).toBe(202);
    expect(works[2]).toBe(works[1]);
    expect(works[1]).not.toBe(works[0]);
    expect((await send('k', { ...asset, filename: 'x' })).body).toMatchObject({ fields: ['body', 'filename'] });
    expect((await send('k')).headers.get('idempotency-replayed')).toBe('true');
  });

  it('takes over a lost request with the same work', async () => {
    stage.records.before = (operation) =>
      operation === 'update'
        ? Promise.reject(Object.assign(new Error('away'), { name: 'StoreUnavailable' }))
        : Promise.resolve();
    expect((await send('k')).status).toBe(202);
    stage.records.before = () => Promise.resolve();
    expect((await send('k')).body).toMatchObject({ retryable: true });
    const late = Date.now() + 61_000;
    stage.records.clock = () => late;
    expect((await send('k')).status).toBe(202);
    expect(works[1]).toBe(works[0]);
  });

  describe('whose process was killed', () => {
    /** Leaves a request running in a process, and sends it again to the next one, which has the same records. */
    async function sentAfterKill(environment: {
      [name: string]: string;
    }): Promise<{ status: number; body: unknown; ids: (string | undefined)[] }> {
      const ids: (string | undefined)[] = [];
      let end = (): void => undefined;
      let first: Promise<unknown> | null = null;
      const dead = await startStage({ environment });
      const next = await startStage({ environment, records: dead.records });
      try {
        const began = new Promise<void>((resolve) =>
          dead.acts.set('registrar.register', (input) => {
            ids.push('idempotencyId' in input ? String(input.idempotencyId) : undefined);
            resolve();
            return new Promise((stopped) => (end = () => stopped(answer)));
          }),
        );
        next.acts.set('registrar.register', (input) => {
          ids.push('idempotencyId' in input ? String(input.idempotencyId) : undefined);
          return answer;
        });
        first = ask(dead, 'POST', path, { body: asset, headers: { 'idempotency-key': 'k' } });
        await began;
        const again = await ask(next, 'POST', path, { body: asset, headers: { 'idempotency-key': 'k' } });
        return { status: again.status, body: again.body, ids };
      } finally {
        end();
        await first;
        await Promise.all([dead.stop(), next.stop()]);
      }
    }

    it('continues immediately with the same work with embedded records', async () => {
      const { status, ids } = await sentAfterKill({});
      expect([status, ids.length]).toEqual([202, 2]);
      expect(ids[1]).toBe(ids[0]);
    });

    it('waits if other processes may run it', async () => {
      expect(await sentAfterKill({ PLY_MONGO_URL: 'mongodb://127.0.0.1:1/ply' })).toMatchObject({
        status: 409,
        body: { retryable: true },
        ids: [expect.any(String)],
      });
    });
  });

  it('expires after 24 hours', async () => {
    await send('k');
    const late = Date.now() + 24 * 3_600_000 + 1000;
    stage.records.clock = () => late;
    const fresh = await send('k', { ...asset, filename: 'b.txt' });
    expect([fresh.status, fresh.headers.get('idempotency-replayed')]).toEqual([202, null]);
    expect(works[1]).not.toBe(works[0]);
  });

  it('is scoped to organization and route', async () => {
    await send('k');
    await ask(stage, 'POST', path, {
      body: asset,
      headers: { 'idempotency-key': 'k', 'x-organization-id': '22222222-2222-4222-8222-222222222222' },
    });
    expect(works).toHaveLength(2);
    expect(
      (
        await ask(stage, 'POST', '/api/content/v1/imports', {
          body: { assets: [asset] },
          headers: { 'idempotency-key': 'k' },
        })
      ).status,
    ).toBe(202);
  });
});
