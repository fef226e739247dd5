import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readiness } from '../../app/health.ts';
import type { AssetView } from '../../models/api.ts';
import { content, until } from '../api/support/client.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { readStores } from '../api/support/stores.ts';

const documents = 90;
let program: TestProgram;

const data = (): string => join(program.folder, 'data');

async function assets(): Promise<AssetView[]> {
  return (await program.standard.get<{ items: AssetView[] }>(200, 'GET', `${content}/assets?limit=100`)).items;
}

async function readiness(): Promise<Readiness> {
  return (await (await fetch(`${program.url}/health/ready`)).json()) as Readiness;
}

async function found(query: string, principals: string[] = []): Promise<string[]> {
  return [...new Set((await program.standard.search({ query, principals })).items.map((item) => item.assetId))];
}

function logged(message: string): number {
  return readFileSync(program.logFile, 'utf8').split(message).length - 1;
}

/** Charged document bytes in the records of a stopped program. */
async function charged(): Promise<number> {
  const { usage } = await readStores(program);
  return usage.filter(({ metric }) => metric === 'document_megabytes').reduce((sum, { quantity }) => sum + quantity, 0);
}

beforeAll(async () => {
  program = await startTestProgram({ PLY_REQUESTS_PER_MINUTE: '100000', PLY_REGISTRATIONS_PER_MINUTE: '100000' });
});

afterAll(async () => {
  await program.end();
});

it('a deleted passage index is recovered from stored texts over a crash, without reads or charges', async () => {
  const ids = await Promise.all(
    Array.from({ length: documents }, async (_, at) => {
      const placed = program.source.put(`document-${at}.txt`, `The document tells of keyword${at}x and of tides.`);
      return (
        await program.standard.register({
          filename: `document-${at}.txt`,
          ...placed,
          ...(at % 4 === 1 ? { principals: ['group:crew'] } : {}),
        })
      ).assetId;
    }),
  );
  await until(assets, (all) => all.length === documents && all.every(({ latestJob }) => latestJob.state === 'ready'));
  expect(await found('keyword5x', ['group:crew'])).toEqual([ids[5]]);
  expect((await readiness()).parts['index']).toBeUndefined();
  await program.process.stop();
  const paid = await charged();
  expect(paid).toBeGreaterThan(0);
  // The source is unavailable: stored texts must suffice.
  await program.source.stop();
  for (const name of readdirSync(data())) if (name.startsWith('passages.db')) rmSync(join(data(), name));

  await program.start();
  const {
    parts: { index },
    ready,
  } = await until(readiness, ({ parts }) => parts['index'] !== undefined);
  expect({ ready, index }).toMatchObject({
    ready: true,
    index: {
      state: 'recovering',
      detail: expect.stringMatching(
        /^the passage index was lost: missing files are indexed again from the kept texts, \d+ so far \(\d+ of 90 checked/,
      ),
    },
  });
  expect(logged('the passage index is not the one that the records know')).toBe(1);
  await program.process.kill();

  await program.start();
  await until(assets, (items) =>
    items.every(({ latestJob, activeRevision }) => latestJob.state === 'ready' && (activeRevision ?? 0) > 1),
  );
  await until(readiness, (report) => report.parts['index'] === undefined && report.ready);
  // Each file was indexed again once.
  expect((await assets()).map(({ activeRevision }) => activeRevision)).toEqual(Array(documents).fill(2));
  for (const at of [0, 5, 41, 89]) expect([at, await found(`keyword${at}x`, ['group:crew'])]).toEqual([at, [ids[at]]]);
  expect(await found('keyword5x', ['group:other'])).toEqual([]);
  await until(
    async () => logged('the passage index is recovered'),
    (times) => times === 1,
  );
  await program.process.stop();
  expect(await charged()).toBe(paid);
});
