import { systemScope } from '../../models/scope.ts';
import { accounts } from '../../models/organization.ts';
import type { NewUsageEvent } from '../../models/usage-event.ts';
import { call } from '../../mixins/actions/call.ts';
import { content, expectRefused, until, type Client } from './support/client.ts';
import { startTrafficStage, type TrafficStage } from './support/traffic.ts';

type Answer = { [field: string]: unknown };

let stage: TrafficStage;
let second: Client;
let secondId: string;
let accountId: string;
let sent = 0;
const now = Date.UTC(2031, 3, 20, 12);
beforeAll(async () => {
  stage = await startTrafficStage(now);
  secondId = (await stage.admin.createOrganization('Second')).id;
  second = stage.standard.as(secondId);
  const [account] = await stage.program.app.records.collection(accounts, systemScope).find({ filter: {}, limit: 1 });
  accountId = account?._id ?? '';
  await record('2031-04-02', { metric: 'searches', quantity: 3 });
  await record('2031-04-02', { metric: 'searches', quantity: 2, organizationId: secondId });
  await record('2031-04-20', { metric: 'searches', quantity: 1 });
  await record('2031-04-19', { metric: 'index_gigabyte_months', quantity: 2 ** 30 });
  await record('2031-04-05', { metric: 'media_hours', quantity: 1_800_000, dimension: 'ocr' });
  await record('2031-04-05', {
    metric: 'media_hours',
    quantity: 0,
    duplicateOf: '3f2a9c10-0000-4000-8000-000000000000',
  });
  await record('2031-04-05', { metric: 'ocr_frames', quantity: 40 });
  await record('2031-04-05', { metric: 'source_bytes', quantity: 123 });
  await record('2031-05-01', { metric: 'answers', quantity: 1 });
  await until(
    () => stage.standard.get<{ lines: { metric: string }[] }>(200, 'GET', `${content}/usage?month=2031-05`),
    ({ lines }) => lines.length > 0,
  );
});
afterAll(() => stage.end());

async function record(
  day: string,
  event: Partial<NewUsageEvent> & Pick<NewUsageEvent, 'metric' | 'quantity'>,
): Promise<void> {
  sent += 1;
  const { organizationId } = stage.standard;
  await call(stage.program.broker, 'ledger.record', {
    events: [
      { _id: `test-${sent}`, accountId, organizationId, assetId: null, at: Date.parse(`${day}T10:00:00Z`), ...event },
    ],
  });
}

const usage = (query = '', client = stage.standard): Promise<Answer> =>
  client.get(200, 'GET', `${content}/usage${query}`);
const daily = (query = '', client = stage.standard): Promise<Answer> =>
  client.get(200, 'GET', `${content}/usage/daily${query}`);

const line = (metric: string, label: string, unit: string, quantity: number, duplicates = 0): Answer => ({
  metric,
  dimension: metric,
  label,
  unit,
  quantity,
  included: 0,
  billable: quantity,
  unitPrice: null,
  amount: null,
  listAmount: null,
  priced: false,
  duplicatesNotCharged: duplicates,
});

describe('GET /usage', () => {
  const month = { kind: 'month', from: '2031-04-01', to: '2031-04-30', timeZone: 'UTC' };

  it('tells what the account used in the current month, without prices on a first start', async () => {
    const answer = await usage();
    expect(answer).toEqual({
      plan: null,
      currency: null,
      status: 'open',
      statementNumber: null,
      scope: 'account',
      payAsYouGo: false,
      total: null,
      period: month,
      lines: [
        line('media_hours', 'Recordings indexed', 'hour', 0.5, 1),
        line('searches', 'Searches', 'search', 6),
        line('index_gigabyte_months', 'Content kept searchable', 'GB-month', 1 / 30),
      ],
      organizations: expect.any(Array),
      processing: [
        { metric: 'ocr_frames', label: 'Video frames read', unit: 'frame', quantity: 40, events: 1 },
        { metric: 'source_bytes', label: 'Bytes read from sources', unit: 'byte', quantity: 123, events: 1 },
      ],
      priced: false,
    });
    const organizations = answer['organizations'] as { organizationId: string; lines: { quantity: number }[] }[];
    expect(organizations.map(({ organizationId }) => organizationId)).toEqual(
      [stage.standard.organizationId, secondId].toSorted(),
    );
    expect(organizations.find(({ organizationId }) => organizationId === secondId)).toEqual({
      organizationId: secondId,
      listAmount: null,
      lines: [
        {
          metric: 'searches',
          dimension: 'searches',
          quantity: 2,
          included: null,
          billable: 2,
          listAmount: null,
          duplicatesNotCharged: 0,
        },
      ],
    });
    expect(await usage('?month=2031-04')).toEqual(answer);
    expect(await usage('?from=2031-04-01&to=2031-04-30')).toEqual(answer);
    expect(await usage('?from=2031-04-01')).toEqual(answer);
  });

  it('tells a sub-organization what it used itself', async () => {
    expect(await usage('', second)).toEqual({
      plan: null,
      currency: null,
      status: 'open',
      statementNumber: null,
      scope: 'organization',
      payAsYouGo: false,
      total: null,
      period: month,
      lines: [{ ...line('searches', 'Searches', 'search', 2), included: null }],
      processing: [],
      priced: false,
    });
  });

  it('has quantities alone for other periods', async () => {
    const nulls = { included: null, billable: null };
    expect(await usage('?from=2031-04-02&to=2031-05-01')).toMatchObject({
      period: { kind: 'range', from: '2031-04-02', to: '2031-05-01', timeZone: 'UTC' },
      total: null,
      lines: [
        { ...line('media_hours', 'Recordings indexed', 'hour', 0.5, 1), ...nulls },
        { ...line('searches', 'Searches', 'search', 6), ...nulls },
        { ...line('answers', 'Written answers', 'answer', 1), ...nulls },
        { ...line('index_gigabyte_months', 'Content kept searchable', 'GB-month', 1 / 30), ...nulls },
      ],
    });
    expect(await usage('?from=2031-04-03&to=2031-04-04')).toMatchObject({
      lines: [],
      organizations: [],
      processing: [],
    });
  });

  it('has no quantities of a month that is not yet reached', async () => {
    expect(await usage('?month=2032-01')).toMatchObject({ status: 'open', lines: [], organizations: [], total: null });
  });

  it('leaves out what was used outside the service, which stays in daily usage and in the record of work', async () => {
    const stored = stage.program.app.records.collection(accounts, systemScope);
    await stored.update(accountId, {}, { set: { serviceStartsAt: Date.UTC(2031, 3, 5, 11) } });
    try {
      expect(await usage()).toMatchObject({
        proration: { activeDays: 26, daysInMonth: 30, from: '2031-04-05', to: '2031-04-30' },
        lines: [
          { metric: 'searches', quantity: 1 },
          { metric: 'index_gigabyte_months', quantity: 1 / 30 },
        ],
        processing: [{ metric: 'ocr_frames' }, { metric: 'source_bytes' }],
      });
      await stored.update(accountId, {}, { set: { serviceStartsAt: Date.UTC(2031, 3, 5, 10) } });
      expect(await usage()).toMatchObject({
        lines: [{ metric: 'media_hours', quantity: 0.5 }, { metric: 'searches' }, { metric: 'index_gigabyte_months' }],
      });
    } finally {
      await stored.update(accountId, {}, { unset: ['serviceStartsAt'] });
    }
  });

  it.each<[string, string]>([
    ['?month=2031-13', 'month'],
    ['?month=', 'month'],
    ['?month=2031-04&from=2031-04-01', 'from'],
    ['?month=2031-04&to=2031-04-01', 'to'],
    ['?from=2031-02-30', 'from'],
    ['?from=2031-04-02&to=2031-04-01', 'to'],
    ['?to=2031-03-31', 'to'],
    ['?from=2031-04-02&to=x', 'to'],
    ['?month=0000-01', 'month'],
    ['?from=0001-01-01', 'from'],
  ])('%s is no period', async (query, field) => {
    expectRefused(await stage.standard.ask('GET', `${content}/usage${query}`), [
      422,
      'invalid_period',
      ['query', field],
    ]);
  });
});

it.each(['1000-01', '9999-12'])('GET /usage of %s is a period without use', async (month) => {
  const answer = await stage.standard.ask('GET', `${content}/usage?month=${month}`);
  expect(answer).toMatchObject({
    status: 200,
    body: { status: 'open', period: { kind: 'month', from: `${month}-01` } },
  });
});

describe('GET /usage/daily', () => {
  it('tells what was used on each day', async () => {
    const metrics = [
      {
        metric: 'ocr_frames',
        label: 'Video frames read',
        unit: 'frame',
        points: [{ day: '2031-04-05', quantity: 40 }],
      },
      {
        metric: 'source_bytes',
        label: 'Bytes read from sources',
        unit: 'byte',
        points: [{ day: '2031-04-05', quantity: 123 }],
      },
      {
        metric: 'media_hours',
        label: 'Recordings indexed',
        unit: 'hour',
        points: [{ day: '2031-04-05', quantity: 0.5 }],
      },
      {
        metric: 'searches',
        label: 'Searches',
        unit: 'search',
        points: [
          { day: '2031-04-02', quantity: 5 },
          { day: '2031-04-20', quantity: 1 },
        ],
      },
      {
        metric: 'index_gigabyte_months',
        label: 'Content kept searchable',
        unit: 'GB',
        points: [{ day: '2031-04-19', quantity: 1 }],
      },
    ];
    const period = { from: '2031-04-01', to: '2031-04-30', kind: 'month', timeZone: 'UTC' };
    expect(await daily()).toEqual({ period, timeZone: 'UTC', metrics });
    expect(await daily('?from=2031-04-19&to=2031-04-19')).toMatchObject({
      period: { kind: 'range' },
      metrics: [metrics[4]],
    });
  });

  it('tells one metric, and each organization', async () => {
    expect(await daily('?metric=answers')).toMatchObject({
      metrics: [{ metric: 'answers', label: 'Written answers', unit: 'answer', points: [] }],
    });
    const own = {
      organizationId: secondId,
      metrics: [{ metric: 'searches', points: [{ day: '2031-04-02', quantity: 2 }] }],
    };
    const answer = await daily('?metric=searches&breakdown=organization');
    expect(answer['organizations']).toHaveLength(2);
    expect(answer['organizations']).toContainEqual(expect.objectContaining({ organizationId: secondId }));
    const ofSecond = await daily('?breakdown=organization', second);
    expect(ofSecond).toMatchObject({ metrics: own.metrics });
    expect(ofSecond).not.toHaveProperty('organizations');
  });

  it.each<[string, string, string]>([
    ['?from=2031-01-01&to=2032-02-05', 'period_too_long', 'to'],
    ['?from=2031-04-02&to=2031-04-01', 'invalid_period', 'to'],
    ['?from=31', 'invalid_period', 'from'],
    ['?metric=clicks', 'invalid_metric', 'metric'],
    ['?breakdown=bucket', 'invalid_breakdown', 'breakdown'],
  ])('refuses %s', async (query, code, field) => {
    expectRefused(await stage.standard.ask('GET', `${content}/usage/daily${query}`), [422, code, ['query', field]]);
  });

  it('takes 400 days', async () => {
    expect(await daily('?from=2031-01-01&to=2032-02-04')).toMatchObject({ period: { kind: 'range' } });
  });
});
