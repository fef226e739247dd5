import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SpeechDouble } from '../../adapters/speech/openai/test-server.ts';
import type { ImportResult } from '../../models/api.ts';
import { openStudio, tone } from '../../media/testing/recordings.ts';
import { commandLine } from '../support/command-line.ts';
import { skipWithReason } from '../support/servers.ts';
import { content, expectRefused, registration, until, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const double = new SpeechDouble();
let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram({ PLY_SPEECH_URL: await double.start(), PLY_TRANSCRIBER_WORKERS: '1' });
});
afterAll(async () => {
  await program.end();
  await double.stop();
});

async function newOrganization(): Promise<Client> {
  return program.standard.as((await program.admin.createOrganization('Effects')).id);
}

const patch = (client: Client, body: unknown): Promise<unknown> =>
  client.get(200, 'PATCH', `${content}/settings`, { body });
const permissions = (client: Client, assetId: string): Promise<{ mode: string; principals: string[] }> =>
  client.get(200, 'GET', `${content}/assets/${assetId}/permissions`);

describe('requireAcl', () => {
  it('hides new files without principals from everybody, and does not change existing ones', async () => {
    const client = await newOrganization();
    const reference = program.source.put('capybara.txt', 'the capybara');
    const before = await client.indexed(reference);
    await patch(client, { requireAcl: true });
    const unsaid = await client.indexed(reference);
    const nobody = await client.indexed({ principals: [], ...reference });
    const somebody = await client.indexed({ principals: ['reader'], ...reference });
    expect(await permissions(client, before.assetId)).toMatchObject({ mode: 'open' });
    for (const { assetId } of [unsaid, nobody])
      expect(await permissions(client, assetId)).toMatchObject({ mode: 'restricted', principals: [] });
    expect(await permissions(client, somebody.assetId)).toMatchObject({ mode: 'restricted', principals: ['reader'] });
    const found = async (principals?: string[]): Promise<string[]> =>
      (await client.search({ query: 'capybara', ...(principals === undefined ? {} : { principals }) })).items
        .map(({ assetId }) => assetId)
        .sort();
    expect(await found()).toEqual([before.assetId]);
    expect(await found(['reader'])).toEqual([before.assetId, somebody.assetId].sort());
    const { results } = await client.get<{ results: ImportResult[] }>(202, 'POST', `${content}/imports`, {
      body: { assets: [registration(reference)] },
    });
    const [imported] = results;
    if (imported === undefined || !('assetId' in imported)) throw new Error('it was not imported');
    expect(await permissions(client, imported.assetId)).toMatchObject({ mode: 'restricted', principals: [] });
  });

  it('does not change permissions in the next version of a file, and is inherited', async () => {
    const client = await newOrganization();
    const { assetId } = await client.indexed({
      externalId: 'versioned',
      ...program.source.put('versioned.txt', 'one'),
    });
    await patch(program.standard, { requireAcl: true });
    try {
      const okapi = await client.register(program.source.put('okapi.txt', 'the okapi'));
      expect(await permissions(client, okapi.assetId)).toMatchObject({ mode: 'restricted' });
      await client.indexed({ externalId: 'versioned', ...program.source.put('versioned.txt', 'two') });
      expect(await permissions(client, assetId)).toMatchObject({ mode: 'open' });
      await client.indexed({
        externalId: 'versioned',
        principals: [],
        ...program.source.put('versioned.txt', 'three'),
      });
      expect(await permissions(client, assetId)).toMatchObject({ mode: 'restricted', principals: [] });
    } finally {
      await client.get(200, 'DELETE', `${content}/settings`);
      await program.standard.get(200, 'DELETE', `${content}/settings`);
    }
  });
});

describe('sourceHosts', () => {
  it('restrict registrations and imports', async () => {
    const client = await newOrganization();
    await patch(client, { sourceHosts: ['files.example.com', '*.example.org'] });
    const elsewhere = program.source.put('elsewhere.txt', 'elsewhere');
    expectRefused(await client.ask('POST', `${content}/assets`, { body: registration(elsewhere) }), [
      403,
      'source_host_not_allowed',
    ]);
    expectRefused(
      await client.ask('POST', `${content}/assets`, {
        body: registration({ sourceUrl: 'https://example.org/a.txt', sourceVersion: '"1"' }),
      }),
      [403, 'source_host_not_allowed'],
    );
    const { results } = await client.get<{ results: ImportResult[] }>(202, 'POST', `${content}/imports`, {
      body: {
        assets: [
          registration(elsewhere),
          registration({ sourceUrl: 'https://a.b.example.org/a.txt', sourceVersion: '"1"' }),
        ],
      },
    });
    expect(results).toEqual([
      expect.objectContaining({ code: 'source_host_not_allowed' }),
      expect.objectContaining({ assetId: expect.any(String) }),
    ]);
    expect(program.source.count('elsewhere.txt')).toBe(0);
    await patch(client, { sourceHosts: ['127.0.0.1'] });
    await client.indexed(elsewhere);
  });

  it('apply to each read: a removed host gets no further request', async () => {
    const client = await newOrganization();
    const { assetId } = await client.indexed(program.source.put('once.txt', 'read once'));
    await patch(client, { sourceHosts: ['files.example.com'] });
    const read = program.source.count('once.txt');
    const again = await client.get<{ jobId: string }>(202, 'POST', `${content}/assets/${assetId}/reindex`, {
      headers: { 'Idempotency-Key': 'again' },
    });
    expect(await client.reaches(again.jobId, 'failed')).toMatchObject({
      errorCode: 'source_host_not_allowed',
      attempt: 1,
    });
    expect(program.source.count('once.txt')).toBe(read);
    expect((await client.search({ query: 'read once' })).items).toHaveLength(1);
  });
});

const studio = await openStudio();
if ('unavailable' in studio) skipWithReason('dailyAudioHours', studio.unavailable);
else
  describe('dailyAudioHours', () => {
    afterAll(() => studio.close());

    it('delays recordings beyond the cap, and no documents', async () => {
      // About noon in the account's time zone, so that the day does not end during the test.
      const ahead = 12 - new Date().getUTCHours();
      const said = await commandLine({ PLY_DATA_DIR: join(program.folder, 'data') })([
        'account',
        'set',
        '--time-zone',
        `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`,
      ]);
      expect(said).toMatchObject({ code: 0, errors: '' });
      const client = await newOrganization();
      // Two recordings of four seconds reach the cap. The header declares their length; otherwise it counts after
      // decoding.
      await patch(client, { dailyAudioHours: 6 / 3600 });
      const jobs: string[] = [];
      for (const name of ['a', 'b', 'c', 'd']) {
        const bytes = readFileSync(await studio.make(`${name}.m4a`, ...tone(4, 300 + jobs.length * 50)));
        jobs.push(
          (
            await client.register({
              filename: `${name}.m4a`,
              kind: 'audio',
              ...program.source.put(`${name}.m4a`, bytes),
            })
          ).jobId,
        );
      }
      const states = async (): Promise<string[]> =>
        (await Promise.all(jobs.map((jobId) => client.job(jobId)))).map(({ state }) => state).sort();
      // The length is known after the file is opened, so the job may be extracting for a moment before it waits.
      await until(states, (now) => now.join() === 'queued,queued,ready,ready');
      await client.indexed(program.source.put('beside.txt', 'a document beside'));
      await pause(1500);
      expect(await states()).toEqual(['queued', 'queued', 'ready', 'ready']);
      const waiting = await Promise.all(jobs.map((jobId) => client.job(jobId)));
      expect(
        waiting
          .filter(({ state }) => state === 'queued')
          .every(({ attempt, errorCode, stage }) => attempt === 1 && errorCode === null && stage === 'extracting'),
      ).toBe(true);
      const cancelled = waiting.find(({ state }) => state === 'queued')?.jobId;
      await client.get(202, 'POST', `${content}/jobs/${cancelled}/cancel`);
      await patch(client, { dailyAudioHours: null });
      expect(
        await until(states, (now) => !now.includes('queued') && now.filter((state) => state === 'ready').length === 3),
      ).toEqual(['cancelled', 'ready', 'ready', 'ready']);
    });
  });
