import { join } from 'node:path';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import type { AuditView } from '../../models/api.ts';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { content, expectRefused, registration, until, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
let ply: CommandLine;
let second: Client;
let assetId: string;
beforeAll(async () => {
  program = await startTestProgram({
    PLY_PLANS_FILE: join(projectRoot, 'plans/examples.json'),
    PLY_PRICES_FILE: join(projectRoot, 'plans/prices-example.json'),
  });
  ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') });
  second = program.admin.as((await program.admin.createOrganization('Second')).id);
  for (const client of [program.standard, second])
    ({ assetId } = await client.indexed({
      ...program.source.put('a.txt', 'The lighthouse keeper sleeps.'),
      filename: 'a.txt',
    }));
});
afterAll(() => program.end());

interface Quotas {
  metrics: { metric: string; used: number; percent: number | null }[];
  dashboardSearches: object;
}

const set = async (...options: string[]): Promise<void> => {
  expect(await ply(['account', 'set', ...options])).toMatchObject({ code: 0 });
};
const quotas = (client = program.standard): Promise<Quotas> => client.get(200, 'GET', `${content}/usage/quotas`);
const search = (client = program.standard) =>
  client.ask('POST', `${content}/search`, { body: { query: 'lighthouse' } });
const exceeded: [number, string] = [429, 'quota_exceeded'];

describe('quotas', () => {
  it('are none at first', async () => {
    const answer = await quotas();
    expect(answer).toEqual({
      month: expect.stringMatching(/^\d{4}-\d{2}$/),
      timeZone: 'UTC',
      payAsYouGo: false,
      alertThresholds: [80, 100],
      metrics: [
        ['media_hours', 'hour', true],
        ['document_megabytes', 'MB', true],
        ['searches', 'search', true],
        ['answers', 'answer', true],
        ['index_gigabyte_months', 'GB-month', false],
      ].map(([metric, unit, enforced]) => ({
        metric,
        label: expect.any(String),
        unit,
        quota: null,
        used: expect.any(Number),
        remaining: null,
        percent: null,
        enforced,
        alertsReached: [],
      })),
      dashboardSearches: {
        allowance: null,
        used: 0,
        remaining: null,
        overAllowance: 0,
        unitPrice: null,
        currency: null,
        serviceActive: true,
        serviceStartsAt: null,
        serviceEndsAt: null,
      },
      serviceActive: true,
      serviceStartsAt: null,
      serviceEndsAt: null,
    });
  });

  it('refuse searches of all organizations at once when they are used up, and nothing else', async () => {
    expect((await search()).status).toBe(200);
    await set('--quota', 'searches=3');
    expect((await search(second)).status).toBe(200);
    expect((await second.ask('GET', `${content}/assets/${assetId}/related`)).status).toBe(200);
    expectRefused(await search(), exceeded);
    expectRefused(await search(second), exceeded);
    expectRefused(await second.ask('GET', `${content}/assets/${assetId}/related`), exceeded);
    expectRefused(await second.ask('POST', `${content}/answer`, { body: { query: 'lighthouse' } }), exceeded);
    const absent = `${content}/assets/00000000-0000-4000-8000-000000000000/related`;
    expectRefused(await second.ask('GET', absent), [404, 'asset_not_found']);
    expectRefused(await second.ask('POST', `${content}/search`, { body: {} }), [
      422,
      'validation_error',
      ['body', 'query'],
    ]);
    expect((await second.ask('GET', `${content}/suggest?prefix=lig`)).status).toBe(200);
    expect((await second.asset(assetId)).assetId).toBe(assetId);
    for (const client of [program.standard, second])
      expect((await quotas(client)).metrics.find(({ metric }) => metric === 'searches')).toMatchObject({
        quota: 3,
        used: 3,
        remaining: 0,
        percent: 100,
        alertsReached: [80, 100],
      });
  });

  it('are open again when they are raised, or paid as used', async () => {
    await set('--quota', 'searches=4');
    expect((await search()).status).toBe(200);
    expectRefused(await search(), exceeded);
    await set('--pay-as-you-go', 'true');
    expect((await search()).status).toBe(200);
    expect((await quotas()).metrics.find(({ metric }) => metric === 'searches')).toMatchObject({
      used: 5,
      percent: 125,
      remaining: 0,
    });
    await set('--pay-as-you-go', 'false');
    expectRefused(await search(), exceeded);
    await set('--quota', 'searches=none');
    expect((await search()).status).toBe(200);
  });

  it('refuse files of their kind alone', async () => {
    await set('--quota', 'document_megabytes=0');
    const file = (name: string): { [field: string]: unknown } =>
      registration({ ...program.source.put(name, 'text'), externalId: name, filename: name });
    expectRefused(await program.standard.ask('POST', `${content}/assets`, { body: file('b.txt') }), exceeded);
    const imported = await program.standard.get<{ results: { code?: string }[] }>(202, 'POST', `${content}/imports`, {
      body: { assets: [file('c.txt'), { ...file('d.txt'), filename: 'd.wav', kind: 'audio' }] },
    });
    expect(imported.results[0]?.code).toBe('quota_exceeded');
    expect(imported.results[1]?.code).not.toBe('quota_exceeded');
    const reindex = await second.ask('POST', `${content}/assets/${assetId}/reindex`, {
      headers: { 'Idempotency-Key': 'again' },
    });
    expectRefused(reindex, exceeded);
    await set('--quota', 'document_megabytes=none');
    await program.standard.indexed({ ...program.source.put('b.txt', 'text'), externalId: 'b.txt', filename: 'b.txt' });
  });

  it('alert once for each threshold, in the audit and as a metric', async () => {
    await set('--quota', 'searches=1');
    const rows = await until(
      async () =>
        (await program.admin.get<{ items: AuditView[] }>(200, 'GET', '/api/account-audit?limit=100')).items.filter(
          ({ action, resourceId }) => action === 'quota.reached' && resourceId === 'searches',
        ),
      (found) => found.length >= 2,
    );
    expect(rows.map(({ detail }) => detail['threshold']).toSorted()).toEqual([100, 80]);
    expect(rows[0]).toMatchObject({ actor: { kind: 'plycdn' }, resourceKind: 'quota' });
  });

  it('show the allowance of dashboard searches and the service', async () => {
    await set('--currency', 'EUR', '--service-ends-at', '2020-01-01T00:00:00Z');
    const answer = await quotas();
    expect(answer).toMatchObject({
      serviceActive: false,
      serviceStartsAt: null,
      serviceEndsAt: '2020-01-01T00:00:00.000Z',
      dashboardSearches: { allowance: 0, used: 0, overAllowance: 0, currency: 'EUR', serviceActive: false },
    });
    await set('--service-ends-at', 'none');
    expect((await quotas()).dashboardSearches).toMatchObject({ allowance: 500, remaining: 500, unitPrice: 0.002 });
  });
});
