import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from '../../mixins/actions/call.ts';
import type { AuditView } from '../../models/api.ts';
import { accounts } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import type { NewUsageEvent } from '../../models/usage-event.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { content, until } from './support/client.ts';
import { startTrafficStage, type TrafficStage } from './support/traffic.ts';

interface Answer {
  total: number | null;
  lines: { metric: string; quantity: number; amount: number | null }[];
}

const folder = mkdtempSync(join(tmpdir(), 'ply-usage-command-'));
let stage: TrafficStage;
let ply: CommandLine;
let accountId: string;
beforeAll(async () => {
  stage = await startTrafficStage(Date.UTC(2031, 3, 20, 12), {
    PLY_DATA_DIR: folder,
    PLY_PLANS_FILE: join(projectRoot, 'plans/examples.json'),
    PLY_PRICES_FILE: join(projectRoot, 'plans/prices-example.json'),
  });
  ply = commandLine({ PLY_DATA_DIR: folder });
  const [account] = await stage.program.app.records.collection(accounts, systemScope).find({ filter: {}, limit: 1 });
  accountId = account?._id ?? '';
  const settings = ['--currency', 'EUR', '--quota', 'searches=8000', '--plan', 'growth'];
  expect(await ply(['account', 'set', ...settings])).toMatchObject({ code: 0 });
  const event = (day: string, metric: NewUsageEvent['metric'], quantity: number): NewUsageEvent => ({
    _id: `${day}:${metric}`,
    accountId,
    organizationId: stage.standard.organizationId,
    assetId: null,
    metric,
    quantity,
    at: Date.parse(`${day}T10:00:00Z`),
  });
  await call(stage.program.broker, 'ledger.record', {
    events: [
      event('2031-04-02', 'searches', 4000),
      event('2031-04-03', 'searches', 2000),
      event('2031-04-20', 'searches', 1),
      event('2031-04-05', 'source_bytes', 123),
    ],
  });
  await until(usage, ({ lines }) => lines.some(({ metric, quantity }) => metric === 'searches' && quantity > 0));
});
afterAll(async () => {
  await stage.end();
  rmSync(folder, { recursive: true, force: true });
});

const usage = (): Promise<Answer> => stage.standard.get(200, 'GET', `${content}/usage`);

describe('ply account adjust', () => {
  it('adds a line to the open month, which counts in the total and not toward the minimum, and a row to the audit', async () => {
    const before = await usage();
    const adjusted = await ply([
      'account',
      'adjust',
      '--amount=-12.50',
      '--description=Outage of \u001b[31m3 April',
      `--account=${accountId}`,
    ]);
    expect(adjusted).toMatchObject({
      code: 0,
      output: expect.stringMatching(
        /^amount +-12\.50 EUR\ndescription +Outage of +\[31m3 April\ncharged in +2031-04$/m,
      ),
    });
    const after = await usage();
    expect(after.lines.filter(({ metric }) => metric === 'adjustment')).toEqual([
      {
        metric: 'adjustment',
        dimension: 'adjustment',
        label: 'Outage of \u001b[31m3 April',
        unit: 'adjustment',
        quantity: 1,
        included: null,
        billable: null,
        unitPrice: null,
        amount: -12.5,
        listAmount: null,
        priced: true,
        duplicatesNotCharged: 0,
      },
    ]);
    expect(after.lines.filter(({ metric }) => metric !== 'adjustment')).toEqual(before.lines);
    expect(Math.round(((before.total ?? 0) - (after.total ?? 0)) * 100)).toBe(1250);
    const { items } = await stage.admin.get<{ items: AuditView[] }>(200, 'GET', '/api/account-audit?limit=1');
    expect(items).toEqual([
      expect.objectContaining({
        actor: { kind: 'plycdn', id: null, label: 'command line', prefix: null },
        action: 'account.adjusted',
        resourceKind: 'adjustment',
        detail: { amount: '-12.50', currency: 'EUR', description: 'Outage of \u001b[31m3 April' },
      }),
    ]);
  });

  it.each([
    [['--amount=-12.505', '--description=x'], /^-12\.505 is no amount of money/],
    [['--amount=0', '--description=x'], /the amount of a correction must not be 0/],
    [['--amount=1'], /^Missing what to charge/],
    [['--amount=1', `--description=${'x'.repeat(201)}`], /^description must/],
    [['--amount=1', '--description='], /^description must/],
  ])('refuses %j', async (words, errors) => {
    expect(await ply(['account', 'adjust', ...words])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(errors),
    });
  });
});

describe('ply usage', () => {
  it('prints the month with a bar for each day, what it costs, and the quotas', async () => {
    const { code, output } = await ply(['usage']);
    expect(code).toBe(0);
    expect(output).toMatch(/^\S.*: 2031-04 \(UTC\), open\nplan growth\n\n +1 +10 +20 +30 +quantity +included +EUR$/m);
    expect(output).toMatch(/^Searches {18}█▄ {16}▁ +6,001 +search +1,000 +\d+\.\d\d$/m);
    expect(output).toMatch(/^Outage of \[31m3 April +-12\.50$/m);
    expect(output).toMatch(/^Bytes read from sources +█ +123 +byte$/m);
    expect(output).toMatch(/^Searches +█{15} +75 % +6,001 of 8,000 search$/m);
    const { total } = await usage();
    expect(output).toMatch(new RegExp(`^total +${(total ?? 0).toFixed(2)}$`, 'm'));
    expect(output).not.toContain('Written answers');
  });

  it('prints a month that is not yet reached without use, and refuses what is none', async () => {
    expect((await ply(['usage', '--month', '2031-05'])).output).toMatch(/: 2031-05 \(UTC\), open$/m);
    expect(await ply(['usage', '--month', '2031-13'])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/month must be a month, such as 2026-01/),
    });
  });
});
