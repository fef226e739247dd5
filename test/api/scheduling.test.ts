import { setTimeout as pause } from 'node:timers/promises';
import type { Accepted } from '../../models/api.ts';
import { content, until, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { readStores } from './support/stores.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram({
    PLY_RETRY_BASE_MS: '10',
    PLY_EXTRACTOR_SLOTS: '2',
    PLY_EMBEDDER_SLOTS: '2',
    PLY_LEASE_SECONDS: '1',
  });
});
afterAll(() => program.end());

it('a job fails after eight attempts to read its source', async () => {
  const { jobId } = await program.standard.register(program.source.put('never.txt', 'never', { status: 503 }));
  const job = await until(
    () => program.standard.job(jobId),
    ({ state }) => state === 'failed',
  );
  expect(job).toMatchObject({ errorCode: 'source_unreachable', attempt: 8, retryAt: null });
  // An attempt whose lease expired on a busy machine is repeated and not counted.
  expect([8, 9]).toContain(program.source.count('never.txt'));
});

it('attempts start at one in each stage and run', async () => {
  const reference = program.source.put('again.txt', 'again', { status: 500 });
  const { assetId, jobId } = await program.standard.register(reference);
  await program.standard.reaches(jobId, 'retry_scheduled');
  program.source.change('again.txt', { status: 200 });
  expect(await program.standard.reaches(jobId, 'ready')).toMatchObject({ attempt: 1 });
  const second = await program.standard.get<Accepted>(202, 'POST', `${content}/assets/${assetId}/reindex`, {
    headers: { 'Idempotency-Key': 'again' },
  });
  expect(await program.standard.reaches(second.jobId, 'ready')).toMatchObject({ attempt: 1, revision: 2 });
});

it('many files of one organization do not delay a few of another', async () => {
  const { id } = await program.admin.createOrganization('small');
  const small = program.standard.as(id);
  // The sources respond after all files are registered, so the result does not depend on timing.
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const some = async (client: Client, prefix: string, count: number): Promise<string[]> => {
    const assets = Array.from({ length: count }, (_, at) => ({
      externalId: `${prefix}${at}`,
      filename: 'a.txt',
      kind: 'document',
      ...program.source.put(`${prefix}${at}.txt`, `${prefix} ${at}`, { held }),
    }));
    const { results } = await client.get<{ results: Accepted[] }>(202, 'POST', `${content}/imports`, {
      body: { assets },
    });
    return results.map(({ jobId }) => jobId);
  };
  const large = [...(await some(program.standard, 'large', 100)), ...(await some(program.standard, 'more', 100))];
  const few = await some(small, 'few', 5);
  release();
  const readyAt = async (client: Client, jobs: readonly string[]): Promise<number[]> => {
    const times: number[] = [];
    for (const jobId of jobs)
      times.push(
        Date.parse(
          (
            await until(
              () => client.job(jobId),
              ({ state }) => state === 'ready',
            )
          ).updatedAt,
        ),
      );
    return times;
  };
  const lastOfFew = Math.max(...(await readyAt(small, few)));
  // Most of the many files still wait when the few are done.
  expect((await readyAt(program.standard, large)).filter((at) => at > lastOfFew).length).toBeGreaterThan(100);
});

it('runs a job once if its worker was suspended beyond its lease', async () => {
  const held = program.source.hold('frozen.txt', 'the frozen mammoth');
  const { assetId, jobId } = await program.standard.register(held);
  await program.standard.reaches(jobId, 'extracting');
  program.process.freeze();
  await pause(1800);
  program.process.resume();
  held.release();
  expect(await program.standard.reaches(jobId, 'ready')).toMatchObject({ revision: 1, attempt: 1 });
  expect((await program.standard.search({ query: 'mammoth' })).items.map((item) => item.assetId)).toEqual([assetId]);
  expect(await program.process.stop()).toBe(0);
  const { usage, assets } = await readStores(program);
  expect(
    usage
      .filter((event) => event.assetId === assetId)
      .map(({ metric }) => metric)
      .sort(),
  ).toEqual(['document_megabytes', 'source_bytes']);
  expect(assets.find(({ _id }) => _id === assetId)?.outbox).toEqual([]);
});
