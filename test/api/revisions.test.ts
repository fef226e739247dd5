import { setTimeout as pause } from 'node:timers/promises';
import type { Accepted, JobView } from '../../models/api.ts';
import { content, expectRefused, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram({ PLY_LEASE_SECONDS: '2' });
});
afterAll(() => program.end());

async function revisionsFound(query: string, extra: object = {}): Promise<number[]> {
  const { items } = await program.standard.search({ query, ...extra });
  return items.map((item) => item.revision);
}

function jobsOf(assetId: string): Promise<{ items: JobView[] }> {
  return program.standard.get(200, 'GET', `${content}/assets/${assetId}/jobs`);
}

function reindex(assetId: string, key: string): Promise<Accepted> {
  return program.standard.get(202, 'POST', `${content}/assets/${assetId}/reindex`, {
    headers: { 'Idempotency-Key': key },
  });
}

function remove(assetId: string): Promise<Accepted> {
  return program.standard.get(202, 'DELETE', `${content}/assets/${assetId}`);
}

describe('a new version of a known externalId', () => {
  it('starts the next revision of the asset, and the old one is found until the new one is ready', async () => {
    const first = await program.standard.indexed({
      externalId: 'heron',
      filename: 'one.txt',
      ...program.source.put('heron-1.txt', 'heron at the old pond'),
    });
    const reference = program.source.hold('heron-2.txt', 'heron at the new lake');
    const second = await program.standard.register({ externalId: 'heron', filename: 'two.txt', ...reference });
    expect(second).toEqual({ assetId: first.assetId, jobId: expect.not.stringContaining(first.jobId), revision: 2 });
    await program.standard.reaches(second.jobId, 'extracting');
    expect(await program.standard.asset(first.assetId)).toMatchObject({
      activeRevision: 1,
      latestRevision: 2,
      state: 'indexing',
      revisionState: 'indexing',
      sourceVersion: reference.sourceVersion,
    });
    const meanwhile = await program.standard.search({ query: 'heron pond' });
    expect(meanwhile.items).toMatchObject([
      {
        revision: 1,
        filename: 'one.txt',
        sourceReference: { externalId: 'heron', sourceUrl: `${program.source.url}/heron-1.txt` },
      },
    ]);
    reference.release();
    await program.standard.reaches(second.jobId, 'ready');
    const { items } = await program.standard.search({ query: 'heron lake' });
    expect(items).toMatchObject([
      {
        revision: 2,
        filename: 'two.txt',
        snippet: 'heron at the new lake',
        sourceReference: { externalId: 'heron', sourceVersion: reference.sourceVersion },
      },
    ]);
    expect(await revisionsFound('pond')).toEqual([]);
    expect((await jobsOf(first.assetId)).items.map(({ jobId, revision, state }) => [jobId, revision, state])).toEqual([
      [second.jobId, 2, 'ready'],
      [first.jobId, 1, 'ready'],
    ]);
    expect(await program.standard.job(first.jobId)).toMatchObject({ state: 'ready', revision: 1 });
  });

  it('that fails keeps the old revision', async () => {
    const first = await program.standard.indexed({
      externalId: 'egret',
      filename: 'egret.txt',
      ...program.source.put('egret-1.txt', 'egret in the reeds'),
    });
    const second = await program.standard.register({
      externalId: 'egret',
      filename: 'egret.txt',
      ...program.source.put('egret-2.txt', Uint8Array.from([0xe9, 0xe8])),
    });
    await program.standard.reaches(second.jobId, 'failed');
    expect(await program.standard.asset(first.assetId)).toMatchObject({
      activeRevision: 1,
      latestRevision: 2,
      state: 'failed',
      revisionState: 'failed',
      latestJob: { errorCode: 'text_encoding_must_be_utf8' },
    });
    const { items } = await program.standard.search({ query: 'egret reeds' });
    expect(items).toMatchObject([{ revision: 1, sourceReference: { sourceUrl: `${program.source.url}/egret-1.txt` } }]);
  });

  it('supersedes an unfinished job', async () => {
    const held = program.source.hold('stork-1.txt', 'stork one');
    const first = await program.standard.register({ externalId: 'stork', ...held });
    await program.standard.reaches(first.jobId, 'extracting');
    const second = await program.standard.register({
      externalId: 'stork',
      ...program.source.put('stork-2.txt', 'stork two'),
    });
    expect(await program.standard.job(first.jobId)).toMatchObject({ state: 'cancelled', revision: 1 });
    held.release();
    await program.standard.reaches(second.jobId, 'ready');
    await pause(300);
    expect(await program.standard.job(first.jobId)).toMatchObject({ state: 'cancelled' });
    expect(await program.standard.asset(first.assetId)).toMatchObject({ activeRevision: 2 });
    expect(await revisionsFound('stork')).toEqual([2]);
  });

  it('is refused if it was registered before, even if it failed, was cancelled or was superseded', async () => {
    const reference = program.source.put('crane.txt', 'crane');
    const other = program.source.put('crane-2.txt', 'crane two');
    const { jobId } = await program.standard.register({ externalId: 'crane', ...reference });
    await program.standard.ask('POST', `${content}/jobs/${jobId}/cancel`);
    const again = (version: object) =>
      program.standard.ask('POST', `${content}/assets`, {
        body: { externalId: 'crane', filename: 'crane.txt', kind: 'document', ...version },
      });
    expectRefused(await again(reference), [409, 'source_version_already_registered']);
    expect((await again(other)).status).toBe(202);
    expectRefused(await again(reference), [409, 'source_version_already_registered']);
    expectRefused(await again(other), [409, 'source_version_already_registered']);
  });

  it('replaces metadata and principals only if they are sent', async () => {
    const versions = Array.from({ length: 5 }, (_, index) =>
      program.source.put(`ibis-${index}.txt`, `ibis number ${index}`),
    );
    const { assetId } = await program.standard.indexed({
      externalId: 'ibis',
      ...versions[0]!,
      metadata: { a: 1, b: 2 },
      principals: ['staff'],
    });
    await program.standard.indexed({ externalId: 'ibis', ...versions[1]! });
    expect(await program.standard.asset(assetId)).toMatchObject({ metadata: { a: 1, b: 2 }, aclMode: 'restricted' });
    expect(await revisionsFound('ibis', { principals: ['staff'] })).toEqual([2]);
    await program.standard.indexed({ externalId: 'ibis', ...versions[2]!, metadata: { c: 3 }, principals: ['board'] });
    expect((await program.standard.asset(assetId)).metadata).toEqual({ c: 3 });
    expect(await revisionsFound('ibis', { principals: ['staff'] })).toEqual([]);
    expect(await revisionsFound('ibis', { principals: ['board'] })).toEqual([3]);
    await program.standard.indexed({ externalId: 'ibis', ...versions[3]!, metadata: {}, principals: [] });
    expect(await program.standard.asset(assetId)).toMatchObject({ metadata: {}, aclMode: 'open' });
    expect(await revisionsFound('ibis')).toEqual([4]);
  });

  it('that restricts the file hides its old revision immediately', async () => {
    await program.standard.indexed({ externalId: 'rail', ...program.source.put('rail-1.txt', 'rail on the shore') });
    const held = program.source.hold('rail-2.txt', 'rail in the marsh');
    const { jobId } = await program.standard.register({ externalId: 'rail', ...held, principals: ['warden'] });
    expect(await revisionsFound('rail shore')).toEqual([]);
    expect(await revisionsFound('rail shore', { principals: ['warden'] })).toEqual([1]);
    held.release();
    await program.standard.reaches(jobId, 'ready');
    expect(await revisionsFound('rail')).toEqual([]);
  });

  it('is registered once by twenty concurrent requests', async () => {
    const reference = program.source.put('same.txt', 'same');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        program.standard.ask<Accepted>('POST', `${content}/assets`, {
          body: { externalId: 'same', filename: 'same.txt', kind: 'document', ...reference },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array<number>(19).fill(409)]);
  });

  it('has one revision for each of twenty concurrent versions', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        program.standard.register({
          externalId: 'many',
          filename: 'many.txt',
          ...program.source.put(`many-${at}.txt`, `many curlew${at}`),
        }),
      ),
    );
    expect(new Set(answers.map(({ assetId }) => assetId)).size).toBe(1);
    expect(answers.map(({ revision }) => revision).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
    const last = answers.find(({ revision }) => revision === 20)!;
    await program.standard.reaches(last.jobId, 'ready');
    const { items } = await jobsOf(last.assetId);
    expect(items.map(({ revision }) => revision)).toEqual(Array.from({ length: 20 }, (_, at) => 20 - at));
    for (const job of items.slice(1)) expect(['ready', 'cancelled']).toContain(job.state);
    expect(await revisionsFound('many')).toEqual([20]);
  });
});

describe('reindexing', () => {
  it('needs an Idempotency-Key', async () => {
    const { assetId } = await program.standard.indexed(program.source.put('key.txt', 'key'));
    expectRefused(await program.standard.ask('POST', `${content}/assets/${assetId}/reindex`), [
      400,
      'idempotency_key_required',
    ]);
  });

  it('creates the next revision of the same version, and the old one is found meanwhile', async () => {
    const first = await program.standard.indexed(program.source.put('plover.txt', 'plover'));
    const { promise, resolve } = Promise.withResolvers<void>();
    program.source.change('plover.txt', { held: promise });
    const again = await reindex(first.assetId, 'plover');
    expect(again).toMatchObject({ assetId: first.assetId, revision: 2 });
    expect(await revisionsFound('plover')).toEqual([1]);
    expectRefused(
      await program.standard.ask('POST', `${content}/assets/${first.assetId}/reindex`, {
        headers: { 'Idempotency-Key': 'other' },
      }),
      [409, 'asset_busy'],
    );
    resolve();
    await program.standard.reaches(again.jobId, 'ready');
    expect(await revisionsFound('plover')).toEqual([2]);
    expect(await reindex(first.assetId, 'plover')).toEqual(again);
  });

  it('is possible after a failure and after a cancellation', async () => {
    const reference = program.source.put('dunlin.txt', 'dunlin', { status: 404 });
    const first = await program.standard.register(reference);
    await program.standard.reaches(first.jobId, 'awaiting_source_access');
    await program.standard.get(202, 'POST', `${content}/jobs/${first.jobId}/cancel`);
    program.source.change('dunlin.txt', { status: 200, etag: '"other"' });
    const second = await reindex(first.assetId, 'second');
    await program.standard.reaches(second.jobId, 'failed');
    program.source.change('dunlin.txt', { etag: reference.sourceVersion });
    const third = await reindex(first.assetId, 'third');
    await program.standard.reaches(third.jobId, 'ready');
    expect(await revisionsFound('dunlin')).toEqual([3]);
    expect((await jobsOf(first.assetId)).items.map(({ state }) => state)).toEqual(['ready', 'failed', 'cancelled']);
  });

  it('that is cancelled keeps the old revision', async () => {
    const { assetId } = await program.standard.indexed(program.source.put('knot.txt', 'red knot'));
    const { promise, resolve } = Promise.withResolvers<void>();
    program.source.change('knot.txt', { held: promise });
    const again = await reindex(assetId, 'knot');
    await program.standard.get(202, 'POST', `${content}/jobs/${again.jobId}/cancel`);
    resolve();
    expect(await program.standard.asset(assetId)).toMatchObject({
      state: 'ready',
      revisionState: 'cancelled',
      activeRevision: 1,
      latestRevision: 2,
    });
    expect(await revisionsFound('knot')).toEqual([1]);
  });

  it('of an unknown asset is refused', async () => {
    expectRefused(
      await program.standard.ask('POST', `${content}/assets/00000000-0000-4000-8000-000000000000/reindex`, {
        headers: { 'Idempotency-Key': 'x' },
      }),
      [404, 'asset_not_found'],
    );
  });
});

describe('a deletion', () => {
  it('removes the asset immediately; its job passes deleting and cleanup', async () => {
    const accepted = await program.standard.indexed({
      externalId: 'grebe',
      ...program.source.put('grebe.txt', 'grebe'),
    });
    const removal = await remove(accepted.assetId);
    expect(removal).toEqual({
      assetId: accepted.assetId,
      jobId: expect.not.stringContaining(accepted.jobId),
      revision: 1,
    });
    expect(await revisionsFound('grebe')).toEqual([]);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/jobs'],
      ['GET', '/metadata'],
      ['GET', '/permissions'],
    ] as const) {
      expectRefused(await program.standard.ask(method, `${content}/assets/${accepted.assetId}${path}`), [
        404,
        'asset_not_found',
      ]);
    }
    expectRefused(
      await program.standard.ask('PUT', `${content}/assets/${accepted.assetId}/metadata`, { body: { metadata: {} } }),
      [404, 'asset_not_found'],
    );
    expectRefused(
      await program.standard.ask('PUT', `${content}/assets/${accepted.assetId}/permissions`, {
        body: { mode: 'open' },
      }),
      [404, 'asset_not_found'],
    );
    expectRefused(await program.standard.ask('GET', `${content}/jobs/${accepted.jobId}`), [404, 'job_not_found']);
    const states = new Set<string>();
    await until(
      () => program.standard.ask<JobView>('GET', `${content}/jobs/${removal.jobId}`),
      ({ status, body }) => {
        if (status === 200) {
          states.add(body.state);
          expect(body.stage).toBe(body.state);
        }
        return status === 404;
      },
    );
    // The job may be gone before the first request.
    for (const state of states) expect(['deleting', 'cleanup']).toContain(state);
  });

  it('frees the externalId, also for the same version', async () => {
    const reference = program.source.put('coot.txt', 'coot');
    const first = await program.standard.indexed({ externalId: 'coot', ...reference });
    await remove(first.assetId);
    const second = await program.standard.indexed({ externalId: 'coot', ...reference });
    expect(second.assetId).not.toBe(first.assetId);
    expect(second.revision).toBe(1);
    const { items } = await program.standard.search({ query: 'coot' });
    expect(items.map(({ assetId }) => assetId)).toEqual([second.assetId]);
  });

  it('ends a running job, and the asset stays deleted', async () => {
    const held = program.source.hold('smew.txt', 'smew on the water');
    const accepted = await program.standard.register(held);
    await program.standard.reaches(accepted.jobId, 'extracting');
    const removal = await remove(accepted.assetId);
    // Cleanup waits for twice the lease, because the worker may still write.
    expect(await program.standard.job(removal.jobId)).toMatchObject({
      state: 'deleting',
      stage: 'deleting',
      revision: 1,
    });
    expectRefused(await program.standard.ask('POST', `${content}/jobs/${removal.jobId}/cancel`), [
      409,
      'job_not_cancellable',
    ]);
    held.release();
    await until(
      () => program.standard.ask('GET', `${content}/jobs/${removal.jobId}`),
      ({ status }) => status === 404,
    );
    expect(await revisionsFound('smew')).toEqual([]);
    expectRefused(await program.standard.ask('GET', `${content}/jobs/${accepted.jobId}`), [404, 'job_not_found']);
  });

  it('removes all revisions', async () => {
    const versions = Array.from({ length: 3 }, (_, at) => program.source.put(`teal-${at}.txt`, `teal ${at}`));
    const jobs: Accepted[] = [];
    for (const version of versions) jobs.push(await program.standard.indexed({ externalId: 'teal', ...version }));
    const removal = await remove(jobs[0]!.assetId);
    await until(
      () => program.standard.ask('GET', `${content}/jobs/${removal.jobId}`),
      ({ status }) => status === 404,
    );
    for (const { jobId } of jobs)
      expectRefused(await program.standard.ask('GET', `${content}/jobs/${jobId}`), [404, 'job_not_found']);
    expect(await revisionsFound('teal')).toEqual([]);
  });
});
