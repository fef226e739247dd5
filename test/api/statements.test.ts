import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { call } from '../../mixins/actions/call.ts';
import { canonicalJson } from '../../models/canonical-json.ts';
import { accounts } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { statements, usageAdjustments } from '../../models/statement.ts';
import type { NewUsageEvent } from '../../models/usage-event.ts';
import { ensureProgram } from '../../scripts/setup/system.ts';
import { changeAccount } from '../../services/accounts/account.ts';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { skipWithReason } from '../support/servers.ts';
import { content, expectRefused, until, type Client } from './support/client.ts';
import { startTrafficStage, type TrafficStage } from './support/traffic.ts';

type Answer = { [field: string]: unknown };
type List = { items: { [field: string]: unknown; month: string }[] };

/** Closing waits for the log to settle, and looks every few seconds. */
const waitMs = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'ply-statements-'));
const [plansFile, pricesFile] = [join(folder, 'plans.json'), join(folder, 'prices.json')];
const rates = {
  requestsPerMinute: 60_000,
  searchRequestsPerMinute: 60_000,
  registrationsPerMinute: 60_000,
  storageRequestsPerMinute: 60_000,
};

const office = await ensureProgram(['soffice', '--version'], ['libreoffice-calc-nogui']);

let stage: TrafficStage;
let ply: CommandLine;
let second: Client;
let secondId: string;
let accountId: string;
let sent = 0;
beforeAll(async () => {
  writeFileSync(
    plansFile,
    JSON.stringify({ plans: [{ name: 'growth', features: ['storage'], monthlyMinimum: 10, limits: rates }] }),
  );
  writePrices(0.5);
  stage = await startTrafficStage(Date.parse('2031-04-20T12:00:00Z'), {
    PLY_DATA_DIR: join(folder, 'data'),
    PLY_PLANS_FILE: plansFile,
    PLY_PRICES_FILE: pricesFile,
  });
  ply = commandLine({ PLY_DATA_DIR: join(folder, 'data') });
  secondId = (await stage.admin.createOrganization('=Sales, "West"')).id;
  second = stage.standard.as(secondId);
  const [account] = await stage.program.app.records.collection(accounts, systemScope).find({ filter: {}, limit: 1 });
  accountId = account?._id ?? '';
  await changeAccount(stage.program.app, {
    plan: 'growth',
    currency: 'EUR',
    timeZone: 'Asia/Kolkata',
    serviceStartsAt: Date.parse('2031-04-11T03:00:00+05:30'),
  });
});
afterAll(async () => {
  await stage.end();
  rmSync(folder, { recursive: true, force: true });
});

function writePrices(unitPrice: number): void {
  const searches = { metric: 'searches', unit: 'search', included: 10, tiers: [{ upTo: null, unitPrice }] };
  writeFileSync(pricesFile, JSON.stringify({ currency: 'EUR', prices: [searches] }));
}

async function record(
  at: string,
  quantity: number,
  event: Partial<NewUsageEvent> & Pick<NewUsageEvent, 'metric'> = { metric: 'searches' },
): Promise<void> {
  sent += 1;
  const { organizationId } = stage.standard;
  await call(stage.program.broker, 'ledger.record', {
    events: [{ _id: `test-${sent}`, accountId, organizationId, assetId: null, quantity, at: Date.parse(at), ...event }],
  });
}

const list = (client = stage.standard): Promise<List> => client.get(200, 'GET', `${content}/statements`);
const statement = (month: string, client = stage.standard): Promise<Answer> =>
  client.get(200, 'GET', `${content}/statements/${month}`);
const usage = (month: string, client = stage.standard): Promise<Answer> =>
  client.get(200, 'GET', `${content}/usage?month=${month}`);
const csv = (month: string, client = stage.standard): Promise<Response> =>
  fetch(`${client.url}${content}/statements/${month}/export`, {
    headers: { Authorization: `ApiKey ${client.key}`, 'X-Organization-Id': client.organizationId },
  });

async function closed(month: string): Promise<void> {
  await until(list, ({ items }) => items.some((item) => item.month === month), waitMs);
}

it('has no statement of an open month, and refuses what is no month', async () => {
  expect(await list()).toEqual({ items: [] });
  for (const path of ['2031-04', '2031-03', '2032-01'])
    for (const file of ['', '/export'])
      expectRefused(await stage.standard.ask('GET', `${content}/statements/${path}${file}`), [
        404,
        'statement_not_found',
      ]);
  for (const path of ['2031-13', '2031-4', 'x', '0000-01'])
    expectRefused(await stage.standard.ask('GET', `${content}/statements/${path}`), [
      422,
      'validation_error',
      ['path', 'month'],
    ]);
});

describe('a closed month', () => {
  let open: Answer;
  beforeAll(async () => {
    await record('2031-04-05T00:00:00Z', 100);
    await record('2031-04-12T00:00:00Z', 7);
    await record('2031-04-30T18:29:59.999Z', 20, { metric: 'searches', organizationId: secondId });
    await record('2031-04-12T00:00:00Z', 40, { metric: 'source_bytes', organizationId: secondId });
    await record('2031-04-30T18:30:00.000Z', 1);
    await stage.program.app.records.collection(usageAdjustments, systemScope).insert({
      _id: 'credit',
      accountId,
      receivedAt: stage.program.app.records.time(),
      amount: -205,
      description: '-2.05 for the outage',
    });
    open = await until(
      () => usage('2031-04'),
      ({ lines }) => (lines as { quantity: number }[])[0]?.quantity === 27,
    );
    stage.setClock(Date.parse('2031-05-03T18:29:00Z'));
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    expect(await list()).toEqual({ items: [] });
    stage.setClock(Date.parse('2031-05-03T18:30:00Z'));
    await closed('2031-04');
  }, 2 * waitMs);

  it('is listed with its number and total', async () => {
    const number = `${accountId.slice(0, 8).toUpperCase()}-2031-000001`;
    expect(await list()).toEqual({
      items: [
        {
          statementNumber: number,
          month: '2031-04',
          currency: 'EUR',
          // 27 searches less 20/30 of 10, to six decimals, at .5, less the credit: more than 20/30 of the minimum.
          total: 8.12,
          closedAt: expect.stringMatching(/^2031-05-03T18:3/),
        },
      ],
    });
    expect((await list(second)).items).toEqual([
      {
        statementNumber: number,
        month: '2031-04',
        currency: 'EUR',
        total: null,
        subtotal: 10,
        closedAt: expect.any(String),
      },
    ]);
  });

  it('has the lines of the open month, and a digest of its canonical form', async () => {
    const answer = await statement('2031-04');
    const { sha256, ...signed } = answer;
    const { processing, ...lines } = open;
    expect(answer).toEqual({
      ...lines,
      status: 'closed',
      statementNumber: `${accountId.slice(0, 8).toUpperCase()}-2031-000001`,
      month: '2031-04',
      customer: expect.any(String),
      closedAt: expect.any(String),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      organizationNames: { [stage.standard.organizationId]: answer['customer'], [secondId]: '=Sales, "West"' },
      proration: { activeDays: 20, daysInMonth: 30, from: '2031-04-11', to: '2031-04-30' },
    });
    expect(createHash('sha256').update(canonicalJson(signed)).digest('hex')).toBe(sha256);
    expect(processing).toEqual([
      { metric: 'source_bytes', label: 'Bytes read from sources', unit: 'byte', quantity: 40, events: 1 },
    ]);
  });

  it('is what GET /usage answers', async () => {
    const { month, customer, closedAt, sha256, organizationNames, ...figures } = await statement('2031-04');
    expect(await usage('2031-04')).toEqual({ ...figures, processing: open['processing'] });
    expect([month, customer, closedAt, sha256, organizationNames]).not.toContain(undefined);
    const { processing, ...own } = await usage('2031-04', second);
    expect(own).toEqual({
      plan: 'growth',
      currency: 'EUR',
      status: 'closed',
      statementNumber: figures['statementNumber'],
      scope: 'organization',
      payAsYouGo: false,
      total: null,
      period: figures['period'],
      proration: figures['proration'],
      priced: true,
      lines: [
        {
          metric: 'searches',
          dimension: 'searches',
          label: 'Searches',
          unit: 'search',
          quantity: 20,
          included: null,
          billable: 20,
          unitPrice: 0.5,
          amount: null,
          listAmount: 10,
          priced: true,
          duplicatesNotCharged: 0,
        },
      ],
    });
    expect(processing).toEqual(open['processing']);
  });

  it('has lines of what has a price, or of a sub-organization of what it used, in a range of its days as well', async () => {
    const range = (from: string, to: string, client = stage.standard): Promise<Answer> =>
      client.get(200, 'GET', `${content}/usage?from=${from}&to=${to}`);
    expect((await range('2031-04-13', '2031-04-29'))['lines']).toMatchObject([{ metric: 'searches', quantity: 0 }]);
    expect((await range('2031-04-13', '2031-04-29', second))['lines']).toEqual([]);
    expect((await range('2031-04-13', '2031-04-30', second))['lines']).toMatchObject([{ quantity: 20, amount: null }]);
  });

  it('of a sub-organization has its own lines alone', async () => {
    const { processing, ...own } = await usage('2031-04', second);
    const whole = await statement('2031-04');
    expect(processing).toHaveLength(1);
    expect(await statement('2031-04', second)).toEqual({
      ...own,
      organizations: [],
      month: '2031-04',
      customer: whole['customer'],
      closedAt: whole['closedAt'],
      organizationNames: {},
    });
  });

  it('is exported', async () => {
    const { customer, statementNumber } = await statement('2031-04');
    const response = await csv('2031-04');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${String(statementNumber)}.csv"`);
    const head = [
      `Statement,${String(statementNumber)}`,
      `Customer,${String(customer)}`,
      'Period,2031-04-01 to 2031-04-30 (Asia/Kolkata)',
      'Plan,growth',
      'Currency,EUR',
      'Status,closed',
      'Service,2031-04-11 to 2031-04-30 (20 of 30 days)',
      'Section,Organization,Item,Metric,Quantity,Unit,Included,Billable,Unit price,Amount,Proration',
    ];
    expect(await response.text()).toBe(
      [
        ...head,
        'account,,Searches,searches,27,search,6.666667,20.333333,0.5,10.17,20/30',
        "account,,'-2.05 for the outage,adjustment,1,adjustment,,,,-2.05,",
        `organization,"'=Sales, ""West""",Searches,searches,20,search,,20,0.5,10.00,`,
        `organization,${String(customer)},Searches,searches,7,search,,7,0.5,3.50,`,
        'total,,Total,,,,,,,8.12,',
        '',
      ].join('\r\n'),
    );
    expect(await (await csv('2031-04', second)).text()).toBe(
      [...head, 'account,,Searches,searches,20,search,,20,0.5,10.00,', 'total,,Total,,,,,,,,', ''].join('\r\n'),
    );
  });

  if (!office.ok) skipWithReason('an exported statement in LibreOffice', office.reason);
  else
    it(
      'opens in LibreOffice as it is',
      async () => {
        const file = join(folder, 'statement.csv');
        const written = await (await csv('2031-04')).text();
        writeFileSync(file, written);
        const { status, stderr } = spawnSync(
          'soffice',
          [
            `-env:UserInstallation=file://${folder}/office`,
            '--headless',
            ...['--convert-to', 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true'],
            ...['--outdir', join(folder, 'sheet'), file],
          ],
          { encoding: 'utf8' },
        );
        // It says what it cannot read on the error output. Java, which it looks for, reads no sheets.
        expect([status, stderr.replace(/^.*javaldx.*\n/gm, '')]).toEqual([0, '']);
        const cellsOf = (text: string): string[][] =>
          parse(text, { relax_column_count: true }).map((cells) =>
            cells
              .join('\n')
              .trimEnd()
              .split('\n')
              .map((cell) => cell.replace(/^(-?\d+\.\d*?)0+$/, '$1').replace(/\.$/, '')),
          );
        expect(cellsOf(readFileSync(join(folder, 'sheet/statement.csv'), 'utf8'))).toEqual(cellsOf(written));
      },
      2 * waitMs,
    );

  it(
    'stays as it is when plans, prices, names and the account change, and late use is charged on the next month',
    async () => {
      const before = [await statement('2031-04'), await (await csv('2031-04')).text()];
      writePrices(3);
      await changeAccount(stage.program.app, { currency: null, serviceStartsAt: null, timeZone: 'UTC' });
      await stage.admin.get(200, 'PUT', `/api/sub-organizations/${secondId}`, { body: { name: 'New name' } });
      await record('2031-04-29T00:00:00Z', 2);
      await record('2031-04-02T00:00:00Z', 50);
      expect([await statement('2031-04'), await (await csv('2031-04')).text()]).toEqual(before);
      await changeAccount(stage.program.app, { currency: 'EUR' });
      const late = {
        metric: 'searches',
        dimension: 'searches/late-2031-04',
        label: 'Searches (2031-04)',
        lateFor: '2031-04',
        quantity: 2,
        included: 0,
        billable: 2,
        unitPrice: 0.5,
        amount: 1,
        listAmount: 1,
        priced: true,
      };
      expect((await usage('2031-05'))['lines']).toContainEqual(expect.objectContaining(late));
      stage.setClock(Date.parse('2031-06-04T00:00:00Z'));
      await closed('2031-05');
      const next = await statement('2031-05');
      expect(next['statementNumber']).toMatch(/-2031-000002$/);
      expect(next['lines']).toContainEqual(expect.objectContaining(late));
      expect(next).toMatchObject({ total: 11, period: { timeZone: 'UTC' } });
      expect(next).not.toHaveProperty('proration');
      expect((await list()).items.map(({ month }) => month)).toEqual(['2031-05', '2031-04']);
      expect([await statement('2031-04'), await (await csv('2031-04')).text()]).toEqual(before);
    },
    2 * waitMs,
  );
});

describe('ply statements', () => {
  it('closes what is due, and says what is not', async () => {
    stage.setClock(Date.parse('2031-07-04T00:00:00Z'));
    const { code, output } = await ply(['statements', 'close', '--account', accountId]);
    expect(code).toBe(0);
    expect(output).toContain('2031-07 can be closed from 2031-08-04T00:00:00.000Z');
    expect((await list()).items.map(({ month }) => month)).toEqual(['2031-06', '2031-05', '2031-04']);
  }, 60_000);

  it('writes all statements with their digests', async () => {
    const target = join(folder, 'exported');
    expect(await ply(['statements', 'export', target])).toMatchObject({ code: 0, errors: '' });
    const digests = readFileSync(join(target, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    expect(digests).toHaveLength(3);
    for (const line of digests) {
      const [digest, name = ''] = line.split('  ');
      expect(
        createHash('sha256')
          .update(readFileSync(join(target, name)))
          .digest('hex'),
      ).toBe(digest);
    }
    const { statementNumber } = await statement('2031-04');
    expect(readFileSync(join(target, `${String(statementNumber)}.csv`), 'utf8')).toBe(
      await (await csv('2031-04')).text(),
    );
  }, 30_000);

  it('computes all statements again, and names differences', async () => {
    const { code, output } = await ply(['statements', 'verify']);
    expect([code, output.match(/equals its events/g)?.length]).toEqual([0, 3]);
    const book = stage.program.app.records.collection(statements, systemScope);
    await book.update(`${accountId}:2031-05`, {}, { set: { 'content.total': 11.01 } });
    const found = await ply(['statements', 'verify']);
    expect(found).toMatchObject({
      code: 1,
      output: expect.stringContaining('statement.content.total: stored 11.01, computed 11'),
    });
  }, 30_000);

  it('writes the events of a line, of a closed month and of an open one', async () => {
    const file = join(folder, 'events.csv');
    const events = async (month: string, line: string): Promise<{ code: number; text: string; rows: string[] }> => {
      const { code, output, errors } = await ply(['statements', 'events', month, line, file]);
      return { code, text: output + errors, rows: readFileSync(file, 'utf8').trimEnd().split('\r\n').slice(1) };
    };
    const april = await events('2031-04', 'searches');
    expect(april).toMatchObject({ code: 0, text: expect.stringContaining('together 27 search, as the line says') });
    expect(april.rows.map((row) => row.split(',')[9]).toSorted()).toEqual(['20', '7']);
    const late = await events('2031-05', 'searches/late-2031-04');
    expect(late).toMatchObject({ code: 0, text: expect.stringContaining('Wrote 1 events of 2031-05') });
    expect(late.rows[0]).toContain(`2031-04-29,${stage.standard.organizationId},,,searches,,2,count,`);
    await record('2031-07-02T00:00:00Z', 3);
    await until(
      () => usage('2031-07'),
      ({ lines }) => (lines as { quantity: number }[])[0]?.quantity === 3,
    );
    expect(await events('2031-07', 'searches')).toMatchObject({
      code: 0,
      rows: [expect.stringContaining(',3,count,')],
    });
    expect(await events('2031-07', 'answers')).toMatchObject({
      code: 1,
      text: expect.stringContaining('2031-07 has no line answers; its lines with events are: searches'),
    });
    // As the bytes of a file that was changed would.
    const book = stage.program.app.records.collection(statements, systemScope);
    const kept = await book.get(`${accountId}:2031-04`);
    await book.update(
      `${accountId}:2031-04`,
      {},
      { set: { 'content.lines': kept?.content.lines.map((line) => ({ ...line, quantity: 28 })) ?? [] } },
    );
    expect(await events('2031-04', 'searches')).toMatchObject({
      code: 1,
      text: expect.stringContaining('but the line says 28'),
    });
    if (kept !== null) await book.put(kept);
  }, 60_000);

  it.each([[[]], [['open']], [['export']], [['close', 'x']], [['events', '2031-04']]])('refuses %j', async (words) => {
    expect(await ply(['statements', ...words])).toMatchObject({ code: 1, errors: expect.stringContaining('Usage: ') });
  });

  it('says which words there are', async () => {
    expect((await ply(['statements'])).errors).toContain('Missing one of close, verify, events, export. Usage: ');
  });
});
