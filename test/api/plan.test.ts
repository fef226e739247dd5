import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planFeatures } from '../../models/plan.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { content, expectRefused, until, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let folder: string;
let program: TestProgram;
let ply: CommandLine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ply-plan-'));
  const plans = JSON.parse(await readFile(join(projectRoot, 'plans/examples.json'), 'utf8')) as {
    plans: { limits: { maxAssets?: number } }[];
  };
  if (plans.plans[0] !== undefined) plans.plans[0].limits.maxAssets = 3;
  await writeFile(join(folder, 'plans.json'), JSON.stringify(plans));
  program = await startTestProgram({
    PLY_PLANS_FILE: join(folder, 'plans.json'),
    PLY_PRICES_FILE: join(projectRoot, 'plans/prices-example.json'),
  });
  ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') });
});
afterAll(async () => {
  await program.end();
  await rm(folder, { recursive: true });
});

const planPath = `${content}/plan`;

describe('a plan', () => {
  // A new organization, because limits count over a whole minute.
  let fresh: Client;
  beforeAll(async () => {
    fresh = program.admin.as(
      (await program.admin.get<{ id: string }>(201, 'POST', '/api/sub-organizations', { body: { name: 'Fresh' } })).id,
    );
  });

  it('is not there at first: everything is available', async () => {
    expect((await program.standard.ask('GET', planPath)).body).toEqual({
      plan: null,
      enforced: false,
      features: [...planFeatures],
      limits: {},
    });
  });

  it('holds at once while the program runs, and another one with the next month', async () => {
    expect(await ply(['account', 'set', '--plan', 'platinum'])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^there is no plan platinum/),
    });
    expect((await ply(['account', 'set', '--plan', 'starter'])).output).toMatch(
      /^plan +starter\nfeatures +metadata, collections, suggestions\na minute +600 requests, 120 searches.*\nat most +maxAssets 3$/m,
    );
    const refused = await until(
      () => fresh.ask('PUT', `${content}/tuning/synonyms`, { body: [] }),
      ({ status }) => status === 403,
    );
    expectRefused(refused, [403, 'not_included_in_plan']);
    expect(refused.headers.get('ratelimit-limit')).toBe('600');
    expect(
      (await fresh.ask('POST', `${content}/search`, { body: { query: 'anything' } })).headers.get('ratelimit-limit'),
    ).toBe('120');
    const plan = {
      plan: 'starter',
      enforced: true,
      features: ['metadata', 'collections', 'suggestions'],
      limits: {
        requestsPerMinute: 600,
        searchRequestsPerMinute: 120,
        registrationsPerMinute: 120,
        storageRequestsPerMinute: 600,
        maxAssets: 3,
      },
    };
    expect((await fresh.ask('GET', planPath)).body).toEqual(plan);
    expect((await ply(['account', 'set', '--plan', 'none'])).output).toMatch(
      /^plan +starter\nnext month +no plan: every feature$/m,
    );
    expect((await fresh.ask('GET', planPath)).body).toEqual(plan);
  });

  it.each([
    ['POST', '/answer', { query: 'x' }],
    ['POST', '/buckets', { name: 'some-bucket', region: 'in-west' }],
    ['POST', '/domains', { bucketId: '00000000-0000-4000-8000-000000000000', hostname: 'a.example.com' }],
    ['POST', '/buckets/00000000-0000-4000-8000-000000000000/uploads', { key: 'a', contentType: 'text/plain', size: 1 }],
    ['GET', '/assets/00000000-0000-4000-8000-000000000000/related', undefined],
    ['GET', '/analytics/searches', undefined],
    ['PUT', '/tuning/synonyms', []],
    ['PATCH', '/settings', { requireAcl: true }],
  ])('refuses %s %s without its feature', async (method, path, body) => {
    const refused = await fresh.ask(method, `${content}${path}`, body === undefined ? {} : { body });
    expectRefused(refused, [403, 'not_included_in_plan']);
  });

  it('has a ceiling of assets for the whole account, alone and in an import', async () => {
    const asset = (name: string) => ({
      ...program.source.put(name, 'text'),
      externalId: name,
      filename: name,
      kind: 'document',
    });
    const register = (client: Client, body: object) => client.ask('POST', `${content}/assets`, { body });
    expect((await register(program.admin, asset('1.txt'))).status).toBe(202);
    expect((await register(fresh, asset('2.txt'))).status).toBe(202);
    const imported = await fresh.get<{ results: { code?: string }[] }>(202, 'POST', `${content}/imports`, {
      body: { assets: [asset('3.txt'), asset('4.txt')] },
    });
    expect(imported.results.map(({ code }) => code).toSorted()).toEqual(['plan_limit_reached', undefined]);
    expectRefused(await register(program.admin, asset('5.txt')), [403, 'plan_limit_reached']);
    // A new version of a known file passes.
    expect((await register(fresh, { ...asset('2.txt'), sourceVersion: 'second' })).status).toBe(202);
  });
});

describe('the settings of an account', () => {
  it('are set by the command line', async () => {
    const { code, output } = await ply(
      'account set --currency EUR --service-starts-at 2031-01-31T00:00:00+01:00 --pay-as-you-go true'
        .concat(' --quota searches=1000 --quota media_hours=2.5 --alert-thresholds 50,90,100')
        .split(' '),
    );
    expect(code).toBe(0);
    for (const line of [
      /^currency +EUR$/m,
      /^service +from 2031-01-30T23:00:00\.000Z to none$/m,
      /^pay as you go +yes$/m,
      /^quotas +media_hours 2\.5, searches 1000$/m,
      /^alerts at +50, 90, 100 percent$/m,
    ])
      expect(output).toMatch(line);
    const without = await ply(['account', 'set', '--currency', 'none', '--quota', 'searches=none']);
    expect(without.output).toMatch(/^currency +none: nothing is priced$/m);
    expect(without.output).toMatch(/^quotas +media_hours 2\.5$/m);
  });

  it.each([
    [['--currency', 'euro'], /^currency must/],
    [['--time-zone', '+01:00'], /is no IANA time zone/],
    [['--service-ends-at', '2031-01-31'], /^--service-ends-at: 2031-01-31 is no time with its offset/],
    [['--service-ends-at', '2030-01-31T00:00:00Z'], /the service must end after it begins/],
    [['--pay-as-you-go', 'yes'], /^--pay-as-you-go: yes is neither/],
    [['--quota', 'clicks=1'], /^--quota: clicks is none of media_hours/],
    [['--quota', 'searches=-1'], /-1 is no quota/],
    [['--alert-thresholds', '100,80'], /^alertThresholds must ascend/],
    [['--alert-thresholds', '1,2,3,4,5,6'], /^--alert-thresholds/],
    [[], /^Missing what to set/],
  ])('are refused with %j', async (options, errors) => {
    expect(await ply(['account', 'set', ...options])).toMatchObject({ code: 1, errors: expect.stringMatching(errors) });
  });
});
