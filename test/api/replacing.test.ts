import { setTimeout as pause } from 'node:timers/promises';
import { content, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
});
afterAll(() => program.end());

/** Searches repeatedly until `stop` is called, which returns the results of each search. */
function watch(client: Client, request: object): { seen: readonly number[][]; stop: () => Promise<number[][]> } {
  const seen: number[][] = [];
  let isOver = false;
  const over = (async () => {
    while (!isOver) seen.push((await client.search(request)).items.map(({ revision }) => revision));
  })();
  return {
    seen,
    stop: async () => {
      isOver = true;
      await over;
      return seen;
    },
  };
}

it('each search finds a file once while it gets new revisions, never an older one again', async () => {
  const text = (revision: number): string => `The flamingo of revision number ${revision} stands still.`;
  const fields = (revision: number) => ({
    externalId: 'flamingo',
    filename: 'flamingo.txt',
    ...program.source.put(`flamingo-${revision}.txt`, text(revision)),
  });
  await program.standard.indexed(fields(1));
  await pause(50);
  const watchers = [
    { query: 'flamingo' },
    { query: 'flamingo stands', group: 'file' },
    { query: 'flamingo', filter: { externalIds: ['flamingo'] } },
  ].map((request) => watch(program.standard, request));
  for (let revision = 2; revision <= 25 || watchers.some(({ seen }) => seen.length <= 50); revision += 1) {
    const { jobId } = await program.standard.register(fields(revision));
    await program.standard.reaches(jobId, 'ready');
    // A search that starts after the job is ready finds its revision.
    expect(
      (await program.standard.search({ query: 'flamingo' })).items.map((item) => [item.revision, item.snippet]),
    ).toEqual([[revision, text(revision)]]);
  }
  for (const watcher of watchers) {
    const seen = await watcher.stop();
    expect(seen.length).toBeGreaterThan(50);
    expect(seen.filter((revisions) => revisions.length !== 1)).toEqual([]);
    const order = seen.flat();
    expect(order).toEqual([...order].sort((a, b) => a - b));
  }
});

it('no passage is missing or duplicated while a file is reindexed', async () => {
  const sections = 40;
  const text = (revision: number): string =>
    Array.from(
      { length: sections },
      (_, at) => `# Part ${at}\n\nThe pelican of revision ${revision} has part ${at}.`,
    ).join('\n\n');
  const fields = (revision: number) => ({
    externalId: 'pelican',
    filename: 'pelican.md',
    ...program.source.put(`pelican-${revision}.md`, text(revision)),
  });
  await program.standard.indexed(fields(1));
  const watcher = watch(program.standard, { query: 'pelican', limit: 100 });
  for (let revision = 2; revision <= 8 || watcher.seen.length <= 10; revision += 1)
    await program.standard.indexed(fields(revision));
  const seen = await watcher.stop();
  const wrong = seen.filter((revisions) => revisions.length !== sections || new Set(revisions).size !== 1);
  expect({ searches: seen.length > 10, wrong }).toEqual({ searches: true, wrong: [] });
});

it('no search finds a file twice while it is granted and revoked', async () => {
  const { assetId } = await program.standard.indexed({
    externalId: 'toucan',
    ...program.source.put('toucan.txt', 'the toucan'),
  });
  const always = await program.standard.indexed({
    externalId: 'always',
    ...program.source.put('always.txt', 'another toucan'),
  });
  const watcher = watch(program.standard, { query: 'toucan' });
  for (let round = 0; round < 30; round += 1) {
    const body = round % 2 === 0 ? { mode: 'restricted', principals: ['x'] } : { mode: 'open' };
    await program.standard.get(200, 'PUT', `${content}/assets/${assetId}/permissions`, { body });
  }
  const seen = await watcher.stop();
  for (const revisions of seen) expect([1, 2]).toContain(revisions.length);
  const { items } = await program.standard.search({ query: 'toucan' });
  expect(items.map((item) => item.assetId).sort()).toEqual([assetId, always.assetId].sort());
  const metrics = await (await fetch(`${program.metricsUrl}/metrics`)).text();
  expect(/^ply_permission_drops_total (\d+)/m.exec(metrics)?.[1]).toBe('0');
});
