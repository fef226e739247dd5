import { setTimeout as pause } from 'node:timers/promises';
import { content } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
});
afterAll(() => program.end());

const letters = (at: number): string =>
  `${String.fromCharCode(97 + Math.floor(at / 26))}${String.fromCharCode(97 + (at % 26))}`;

it('permissions and metadata that change during indexing apply to the indexed file', async () => {
  const count = 48;
  const raced = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const word = `meerkat${letters(at)}q`;
      const opens = at % 2 === 0;
      await pause(at * 20);
      const { assetId, jobId } = await program.standard.register({
        ...program.source.put(`${word}.txt`, word),
        ...(opens ? { principals: ['before'] } : {}),
        metadata: { step: 'before' },
      });
      await pause((at * 37) % 120);
      await program.standard.get(200, 'PUT', `${content}/assets/${assetId}/permissions`, {
        body: opens ? { mode: 'open' } : { mode: 'restricted', principals: ['after'] },
      });
      await program.standard.get(200, 'PUT', `${content}/assets/${assetId}/metadata`, {
        body: { metadata: { step: 'after' } },
      });
      await program.standard.reaches(jobId, 'ready');
      return { word, opens };
    }),
  );
  // One file after another: hundreds of searches at a time are more than the program accepts on a busy machine.
  for (const { word, opens } of raced) {
    const found = async (extra: object): Promise<number> =>
      (await program.standard.search({ query: word, filter: { metadata: { step: 'after' } }, ...extra })).items.length;
    const outcome = {
      opens,
      nobody: await found({}),
      before: await found({ principals: ['before'] }),
      after: await found({ principals: ['after'] }),
      old: await found({ filter: { metadata: { step: 'before' } }, principals: ['after'] }),
    };
    expect(outcome).toEqual(
      opens
        ? { opens: true, nobody: 1, before: 1, after: 1, old: 0 }
        : { opens: false, nobody: 0, before: 0, after: 1, old: 0 },
    );
  }
});

it('a file with all kinds of concurrent changes ends in a permitted state', async () => {
  // The words differ too much for spelling correction: a removed or unfinished file must not be found.
  const words = ['lemur', 'okapi', 'gibbon', 'quetzal', 'axolotl', 'pangolin'];
  for (let round = 0; round < words.length; round += 1) {
    const externalId = `storm-${round}`;
    const word = words[round]!;
    const first = await program.standard.register({
      externalId,
      ...program.source.put(`${externalId}-0.txt`, `${word} number 0`),
    });
    await pause(round * 25);
    const path = `${content}/assets/${first.assetId}`;
    const changes = [
      ...[1, 2, 3].map((version) =>
        program.standard.ask('POST', `${content}/assets`, {
          body: {
            externalId,
            filename: 'a.txt',
            kind: 'document',
            ...program.source.put(`${externalId}-${version}.txt`, `${word} number ${version}`),
          },
        }),
      ),
      ...[1, 2].map((at) =>
        program.standard.ask('POST', `${path}/reindex`, { headers: { 'Idempotency-Key': `${externalId} ${at}` } }),
      ),
      program.standard.ask('POST', `${content}/jobs/${first.jobId}/cancel`),
      ...[1, 2].map((at) =>
        program.standard.ask('PUT', `${path}/permissions`, { body: { mode: 'restricted', principals: [`p${at}`] } }),
      ),
      program.standard.ask('PUT', `${path}/metadata`, { body: { metadata: { round } } }),
      ...(round % 2 === 0 ? [] : [program.standard.ask('DELETE', path)]),
    ];
    const answers = await Promise.all(changes);
    for (const { status, body } of answers)
      expect({ status, code: status < 400 ? null : body.code }).toEqual({
        status: expect.any(Number),
        code:
          status < 400
            ? null
            : expect.stringMatching(/^(asset_busy|job_not_cancellable|job_not_found|asset_not_found)$/),
      });
    const { items } = await program.standard.get<{
      items: { assetId: string; externalId: string; latestJob: { jobId: string } }[];
    }>(200, 'GET', `${content}/assets?limit=100`);
    const left = items.filter((item) => item.externalId === externalId);
    // A removal frees the externalId, so a later version is a new file.
    expect(left.length).toBeLessThanOrEqual(1);
    for (const { assetId, latestJob } of left) {
      await program.standard.reaches(latestJob.jobId, 'ready', 'cancelled');
      const { latestRevision, activeRevision } = await program.standard.asset(assetId);
      const found = await program.standard.search({ query: word, principals: ['p1', 'p2'] });
      expect(found.items.map((item) => [item.assetId, item.revision])).toEqual(
        activeRevision === null ? [] : [[assetId, activeRevision]],
      );
      expect(activeRevision ?? 0).toBeLessThanOrEqual(latestRevision);
      const { items: runs } = await program.standard.get<{ items: { revision: number }[] }>(
        200,
        'GET',
        `${content}/assets/${assetId}/jobs`,
      );
      expect(runs.map(({ revision }) => revision)).toEqual(
        Array.from({ length: latestRevision }, (_, at) => latestRevision - at),
      );
    }
    if (left.length === 0)
      expect((await program.standard.search({ query: word, principals: ['p1', 'p2'] })).items).toEqual([]);
  }
});
