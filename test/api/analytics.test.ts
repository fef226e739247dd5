import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { LibraryHealth, SearchAnalytics, Suggestions } from '../../models/analytics.ts';
import { content, expectRefused, until, type Client, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
let client: Client;

beforeAll(async () => {
  program = await startTestProgram();
  client = program.standard;
  await client.indexed({
    externalId: 'pumps',
    filename: 'pumps.txt',
    ...program.source.put('pumps.txt', 'The pump seal leaks when the bearing is worn.\nA spare bearing is in store.'),
  });
});
afterAll(() => program.end());

function suggest(query: string, as = client): Promise<Suggestions> {
  return as.get(200, 'GET', `${content}/suggest?${query}`);
}

function searches(query = '', as = client): Promise<SearchAnalytics> {
  return as.get(200, 'GET', `${content}/analytics/searches${query}`);
}

function library(query = '', as = client): Promise<LibraryHealth> {
  return as.get(200, 'GET', `${content}/analytics/library${query}`);
}

/** Searches are logged after their responses. */
function logged(count: number, as = client): Promise<SearchAnalytics> {
  return until(
    () => searches('', as),
    ({ summary }) => summary.searches >= count,
  );
}

async function organization(): Promise<Client> {
  const { id } = await program.admin.createOrganization(`Branch ${randomUUID()}`);
  return client.as(id);
}

describe('GET /suggest', () => {
  it.each<[string, Expected]>([
    ['', [422, 'validation_error', ['query', 'prefix']]],
    ['prefix=', [422, 'validation_error', ['query', 'prefix']]],
    [`prefix=${'x'.repeat(201)}`, [422, 'validation_error', ['query', 'prefix']]],
    ['prefix=%ff', [422, 'validation_error', ['query', 'prefix']]],
    ['prefix=a&prefix=b', [422, 'validation_error', ['query', 'prefix']]],
    ['prefix=ab&limit=0', [422, 'validation_error', ['query', 'limit']]],
    ['prefix=ab&limit=26', [422, 'validation_error', ['query', 'limit']]],
    [`prefix=${'x'.repeat(201)}&limit=26`, [422, 'validation_error', ['query', 'prefix']]],
  ])('refuses %s', async (query, expected) => {
    expectRefused(await client.ask('GET', `${content}/suggest?${query}`), expected);
  });

  it('suggests queries that found something, by prefix', async () => {
    const before = (await searches()).summary.searches;
    for (let at = 0; at < 3; at += 1) await client.search({ query: at === 0 ? 'Pump  SEAL ' : 'pump seal' });
    for (let at = 0; at < 3; at += 1) await client.search({ query: 'pump xylophone quasar zeppelin trombone' });
    for (let at = 0; at < 3; at += 1) await client.search({ query: 'pump bearing', principals: ['ann'] });
    for (const principals of [['ann'], ['bob'], ['bob', 'ann']]) await client.search({ query: 'pump', principals });
    await logged(before + 12);
    expect(await suggest('prefix=PU')).toEqual({
      prefix: 'PU',
      items: [
        { query: 'pump', searches: 3, meanResults: expect.any(Number) },
        { query: 'pump seal', searches: 3, meanResults: expect.any(Number) },
      ],
    });
    expect((await suggest('prefix=pump&limit=1')).items.map(({ query }) => query)).toEqual(['pump']);
    expect(await suggest('prefix=p')).toEqual({ prefix: 'p', items: [] });
    expect((await suggest(`prefix=${'x'.repeat(200)}`)).items).toEqual([]);
  });
});

describe('GET /analytics/searches', () => {
  it.each<[string, string]>([
    ['days=0', 'days'],
    ['days=366', 'days'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['days=x&limit=0', 'days'],
  ])('refuses %s', async (query, field) => {
    expectRefused(await client.ask('GET', `${content}/analytics/searches?${query}`), [
      422,
      'validation_error',
      ['query', field],
    ]);
  });

  it('counts the searches of one organization by day', async () => {
    const branch = await organization();
    expect(await searches('?days=2', branch)).toMatchObject({
      summary: { searches: 0, medianMilliseconds: null },
      recordingSince: null,
    });
    const began = Date.now();
    await branch.search({ query: 'Alpha' });
    await branch.search({ query: 'alpha', offset: 20 });
    await branch.search({ query: 'beta', group: 'file' });
    const answer = await logged(3, branch);
    expect(answer).toEqual({
      summary: {
        searches: 3,
        withResults: 0,
        withoutResults: 3,
        answers: 0,
        meanResults: 0,
        medianMilliseconds: expect.any(Number),
      },
      topQueries: [
        { query: 'alpha', searches: 2, meanResults: 0, lastSearchedAt: expect.any(String) },
        { query: 'beta', searches: 1, meanResults: 0, lastSearchedAt: expect.any(String) },
      ],
      daily: expect.any(Array),
      withoutResults: [
        { query: 'alpha', searches: 2, lastSearchedAt: expect.any(String) },
        { query: 'beta', searches: 1, lastSearchedAt: expect.any(String) },
      ],
      windowDays: 30,
      recordingSince: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(answer.daily).toHaveLength(30);
    expect(answer.daily.reduce((sum, day) => sum + day.searches, 0)).toBe(3);
    expect(Date.parse(answer.recordingSince ?? '')).toBeGreaterThanOrEqual(began);
    expect((await searches('?days=365&limit=1', branch)).topQueries).toHaveLength(1);
  });

  it('counts searches without storing texts if searchLogDays is 0', async () => {
    const branch = await organization();
    await branch.get(200, 'PUT', `${content}/settings`, { body: { searchLogDays: 0 } });
    for (let at = 0; at < 3; at += 1) await branch.search({ query: 'confidential matter' });
    expect(await logged(3, branch)).toMatchObject({
      summary: { searches: 3 },
      topQueries: [],
      withoutResults: [],
      recordingSince: null,
    });
    expect((await suggest('prefix=conf', branch)).items).toEqual([]);
    await branch.get(200, 'PUT', `${content}/settings`, { body: { searchLogDays: 30 } });
    // Other processes apply settings within a second.
    await pause(1100);
    expect((await searches('', branch)).topQueries).toEqual([]);
  });

  it('includes all searches before a stop', async () => {
    const branch = await organization();
    await Promise.all(Array.from({ length: 20 }, () => branch.search({ query: 'last words' })));
    await program.process.stop();
    await program.start();
    expect((await searches('?days=2', branch)).topQueries).toMatchObject([{ query: 'last words', searches: 20 }]);
  });
});

describe('GET /analytics/library', () => {
  it.each(['limit=0', 'limit=101', 'limit=x'])('refuses %s', async (query) => {
    expectRefused(await client.ask('GET', `${content}/analytics/library?${query}`), [
      422,
      'validation_error',
      ['query', 'limit'],
    ]);
  });

  it('counts jobs by state, failures and empty files', async () => {
    const branch = await organization();
    const none = {
      queued: 0,
      extracting: 0,
      transcribing: 0,
      embedding: 0,
      retry_scheduled: 0,
      awaiting_source_access: 0,
      ready: 0,
      failed: 0,
      cancelled: 0,
      deleting: 0,
      cleanup: 0,
    };
    expect(await library('', branch)).toEqual({
      states: none,
      needsAttention: 0,
      items: [],
      indexedButEmpty: [],
      sourceMissing: [],
    });
    await branch.indexed({ ...program.source.put('ok.txt', 'Some text.'), filename: 'ok.txt' });
    const empty = await branch.indexed({
      ...program.source.put('empty.txt', '\n\n'),
      filename: 'empty.txt',
      externalId: 'empty',
    });
    const denied = await branch.register({
      ...program.source.put('no.txt', 'x', { status: 403 }),
      filename: 'no.txt',
      externalId: 'no',
    });
    await branch.reaches(denied.jobId, 'awaiting_source_access');
    await pause(3);
    const broken = await branch.register({
      ...program.source.put('broken.txt', new Uint8Array([0xff, 0xfe, 0x80])),
      filename: 'broken.txt',
      externalId: 'broken',
    });
    await branch.reaches(broken.jobId, 'failed');
    // Counts are cached, longer if counting took longer.
    const health = await until(
      () => library('', branch),
      ({ states }) => states.failed === 1,
    );
    expect(health).toEqual({
      states: { ...none, ready: 2, failed: 1, awaiting_source_access: 1 },
      needsAttention: 2,
      items: [
        {
          assetId: broken.assetId,
          externalId: 'broken',
          filename: 'broken.txt',
          kind: 'document',
          jobId: broken.jobId,
          state: 'failed',
          stage: 'extracting',
          errorCode: 'text_encoding_must_be_utf8',
          attempt: 1,
          updatedAt: expect.any(String),
        },
        {
          assetId: denied.assetId,
          externalId: 'no',
          filename: 'no.txt',
          kind: 'document',
          jobId: denied.jobId,
          state: 'awaiting_source_access',
          stage: 'extracting',
          errorCode: expect.anything(),
          attempt: 1,
          updatedAt: expect.any(String),
        },
      ],
      indexedButEmpty: [
        {
          assetId: empty.assetId,
          externalId: 'empty',
          filename: 'empty.txt',
          kind: 'document',
          warnings: [{ code: 'indexed_nothing', detail: expect.any(String) }],
        },
      ],
      sourceMissing: [],
    });
    expect((await library('?limit=1', branch)).items).toHaveLength(1);
    await branch.get(202, 'DELETE', `${content}/assets/${broken.assetId}`);
    await until(
      () => library('', branch),
      ({ needsAttention, items }) => needsAttention === 1 && items.length === 1,
    );
  });
});
