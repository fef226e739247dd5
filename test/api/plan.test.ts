import { join } from 'node:path';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { content, expectRefused, until, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
let ply: CommandLine;
beforeAll(async () => {
  program = await startTestProgram({
    PLY_PLANS_FILE: join(projectRoot, 'plans/examples.json'),
    PLY_PRICES_FILE: join(projectRoot, 'plans/prices-example.json'),
  });
  ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') });
});
afterAll(() => program.end());

describe('a plan', () => {
  // A new organization, because limits count over a whole minute.
  let fresh: Client;
  beforeAll(async () => {
    fresh = program.admin.as(
      (await program.admin.get<{ id: string }>(201, 'POST', '/api/sub-organizations', { body: { name: 'Fresh' } })).id,
    );
  });

  it('holds at once while the program runs, and another one with the next month', async () => {
    expect(await ply(['account', 'set', '--plan', 'platinum'])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^there is no plan platinum/),
    });
    expect((await ply(['account', 'set', '--plan', 'starter'])).output).toMatch(
      /^plan +starter\nfeatures +metadata, collections, suggestions\na minute +600 requests, 120 searches.*\nat most +maxAssets 10000$/m,
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
    expect((await ply(['account', 'set', '--plan', 'none'])).output).toMatch(
      /^plan +starter\nnext month +no plan: every feature$/m,
    );
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
