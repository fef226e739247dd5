import type { Accepted } from '../../models/api.ts';
import { content, expectRefused, registration } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
});
afterAll(() => program.end());

function file(name: string, more: object = {}): object {
  return {
    ...registration({ externalId: name, filename: `${name}.txt`, ...program.source.put(`${name}.txt`, name) }),
    ...more,
  };
}

function post(body: unknown, key: string) {
  return program.standard.ask<Accepted & { code?: string; retryable?: boolean }>('POST', `${content}/assets`, {
    body,
    headers: { 'Idempotency-Key': key },
  });
}

async function jobs(assetId: string): Promise<number> {
  return (await program.standard.get<{ items: unknown[] }>(200, 'GET', `${content}/assets/${assetId}/jobs`)).items
    .length;
}

describe('an Idempotency-Key', () => {
  it('repeats the first response to the same request, with a header', async () => {
    const body = file('first');
    const first = await post(body, 'one');
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([202, null]);
    const again = await post(Object.fromEntries(Object.entries(body).reverse()), 'one');
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
    expect(again.body).toEqual(first.body);
    expect(await jobs(first.body.assetId)).toBe(1);
  });

  it('with another body is a conflict that is not retryable', async () => {
    await post(file('second'), 'two');
    const answer = await program.standard.ask('POST', `${content}/assets`, {
      body: file('third'),
      headers: { 'Idempotency-Key': 'two' },
    });
    expectRefused(answer, [409, 'idempotency_conflict']);
    expect(answer.body.retryable).toBeUndefined();
  });

  it('is executed once for concurrent requests', async () => {
    const body = file('crowd');
    const answers = await Promise.all(Array.from({ length: 25 }, () => post(body, 'crowd')));
    const done = answers.filter(({ status }) => status === 202);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ body: answer }) => JSON.stringify(answer))).size).toBe(1);
    for (const { status, body: answer } of answers)
      if (status !== 202) expect([status, answer.code, answer.retryable]).toEqual([409, 'idempotency_conflict', true]);
    expect(done.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(await jobs(done[0]!.body.assetId)).toBe(1);
    expect((await post(body, 'crowd')).body).toEqual(done[0]!.body);
  });

  it('is scoped to organization, method and route', async () => {
    const { id } = await program.admin.createOrganization('other');
    const body = file('shared');
    const here = await post(body, 'shared');
    const there = await program.standard
      .as(id)
      .ask<Accepted>('POST', `${content}/assets`, { body, headers: { 'Idempotency-Key': 'shared' } });
    expect([there.status, there.headers.get('idempotency-replayed')]).toEqual([202, null]);
    expect(there.body.assetId).not.toBe(here.body.assetId);
    const imported = await program.standard.ask('POST', `${content}/imports`, {
      body: { assets: [file('imported')] },
      headers: { 'Idempotency-Key': 'shared' },
    });
    expect([imported.status, imported.headers.get('idempotency-replayed')]).toEqual([202, null]);
  });

  it('of a reindex is scoped to the asset', async () => {
    const one = await program.standard.indexed({ externalId: 'r1', ...program.source.put('r1.txt', 'r1') });
    const other = await program.standard.indexed({ externalId: 'r2', ...program.source.put('r2.txt', 'r2') });
    const reindex = (assetId: string) =>
      program.standard.ask<Accepted>('POST', `${content}/assets/${assetId}/reindex`, {
        headers: { 'Idempotency-Key': 'reindex' },
      });
    const first = await reindex(one.assetId);
    expect([first.status, (await reindex(one.assetId)).headers.get('idempotency-replayed')]).toEqual([202, 'true']);
    expect((await reindex(other.assetId)).status).toBe(409);
  });

  it('can be reused after a refused request', async () => {
    const bad = await post({ ...file('refused'), kind: 'picture' }, 'free');
    expect([bad.status, bad.body.code]).toEqual([422, 'validation_error']);
    await post(file('taken'), 'x1');
    expect((await post(file('taken'), 'free')).body.code).toBe('source_version_already_registered');
    const good = await post(file('accepted'), 'free');
    expect([good.status, good.headers.get('idempotency-replayed')]).toEqual([202, null]);
  });

  it.each(['', 'x'.repeat(256), 'zeile\tzwei', 'é'])(
    'number %# of those that are none is refused, or is no key at all',
    async (key) => {
      const sent = { body: file(`odd ${key.length}`, { filename: 'odd.txt' }), headers: { 'Idempotency-Key': key } };
      if (key === '') expect((await program.standard.ask('POST', `${content}/assets`, sent)).status).toBe(202);
      else
        expectRefused(await program.standard.ask('POST', `${content}/assets`, sent), [
          422,
          'validation_error',
          ['header', 'Idempotency-Key'],
        ]);
    },
  );

  it('is checked after path and query, and before the body', async () => {
    const headers = { 'Idempotency-Key': 'x'.repeat(256) };
    expectRefused(await program.standard.ask('POST', `${content}/assets/x/reindex`, { headers }), [
      422,
      'validation_error',
      ['path', 'assetId'],
    ]);
    expectRefused(await program.standard.ask('POST', `${content}/assets`, { body: {}, headers }), [
      422,
      'validation_error',
      ['header', 'Idempotency-Key'],
    ]);
  });

  it('may have 255 printable characters', async () => {
    expect((await post(file('long'), ' ~'.repeat(127) + '!')).status).toBe(202);
  });

  it('survives kill -9', async () => {
    const body = file('lasting');
    const first = await post(body, 'lasting');
    await program.process.kill();
    await program.start();
    const again = await post(body, 'lasting');
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
    expect(again.body).toEqual(first.body);
  });

  it('executes a request once that kill -9 interrupted at any point', async () => {
    const bodies = Array.from({ length: 12 }, (_, at) => file(`cut-${at}`));
    const requests = bodies.map((body, at) =>
      post(body, `cut-${at}`).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 12));
    await program.process.kill();
    await Promise.all(requests);
    await program.start();
    const seen = new Set<string>();
    for (const [at, body] of bodies.entries()) {
      const deadline = Date.now() + 1000;
      let answer = await post(body, `cut-${at}`);
      // An interrupted request counts as running until its timeout; its work may already be done.
      while (answer.status === 409 && answer.body.retryable === true && Date.now() < deadline)
        answer = await post(body, `cut-${at}`);
      if (answer.status === 202) {
        seen.add(answer.body.assetId);
        expect(await jobs(answer.body.assetId)).toBe(1);
      } else {
        expect([answer.status, answer.body.code, answer.body.retryable]).toEqual([409, 'idempotency_conflict', true]);
      }
    }
    const { items } = await program.standard.get<{ items: { assetId: string; externalId: string }[] }>(
      200,
      'GET',
      `${content}/assets?limit=100`,
    );
    const cut = items.filter(({ externalId }) => externalId.startsWith('cut-'));
    expect(new Set(cut.map(({ externalId }) => externalId)).size).toBe(cut.length);
    for (const assetId of seen) expect(cut.map((item) => item.assetId)).toContain(assetId);
  });
});
