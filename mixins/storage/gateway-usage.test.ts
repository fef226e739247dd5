import type { NewUsageEvent } from '../../models/usage-event.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { GatewayUsage, sumsOf, type Answered } from './gateway-usage.ts';

const organization = { accountId: 'account', organizationId: 'organization' };
const bucket = { _id: 'bucket', region: 'eu-central' };

let test: TestApp;
beforeEach(async () => {
  test = await testApp();
});
afterEach(() => test.close());

function opened(): { usage: GatewayUsage; sent: NewUsageEvent[][]; fail: (times: number) => void } {
  const sent: NewUsageEvent[][] = [];
  let failing = 0;
  const actions = {
    call: (_: string, { events }: { events: NewUsageEvent[] }) => {
      sent.push(structuredClone(events));
      failing -= 1;
      return failing >= 0 ? Promise.reject(new Error('away')) : Promise.resolve({ recorded: events.length });
    },
  };
  const usage = new GatewayUsage(test.app, actions as never, 's3', 'in-west');
  return { usage, sent, fail: (times) => (failing = times) };
}
const answered = (fields: Partial<Answered>): Answered => ({
  method: 'GET',
  organization,
  bucket,
  status: 200,
  bytes: 0,
  ...fields,
});

describe('the usage of a door', () => {
  it('is summed up by metric and bucket', async () => {
    const { usage, sent } = opened();
    for (const each of [
      { bytes: 10 },
      { method: 'HEAD' },
      { method: 'GET', status: 404 },
      { method: 'PUT' },
      { method: 'POST' },
      { method: 'DELETE' },
      { method: 'GET', bucket: null, bytes: 0 },
      { status: 403 },
      { status: 401 },
      { status: 500 },
      { organization: null },
    ])
      usage.count(answered(each));
    expect(await usage.flush()).toBe(true);
    expect(
      sent.flat().map(({ metric, quantity, dimension, resourceId }) => [metric, quantity, dimension, resourceId]),
    ).toEqual([
      ['gateway_read_requests_millions', 3, 'eu-central', 'bucket'],
      ['gateway_egress_gb', 10, 'eu-central', 'bucket'],
      ['gateway_write_requests_millions', 2, 'eu-central', 'bucket'],
      ['gateway_read_requests_millions', 1, 'in-west', 'organization'],
    ]);
  });

  it('keeps its ids when it is sent again', async () => {
    const { usage, sent, fail } = opened();
    fail(1);
    usage.count(answered({}));
    expect(await usage.flush()).toBe(false);
    usage.count(answered({ method: 'PUT' }));
    expect(await usage.flush()).toBe(true);
    expect(sent.map((events) => events.map(({ metric }) => metric))).toEqual([
      ['gateway_read_requests_millions'],
      ['gateway_read_requests_millions'],
      ['gateway_write_requests_millions'],
    ]);
    const [first, again, other] = sent.map(([event]) => event?._id);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('has sums of one day each', () => {
    const line = (at: number): string =>
      `${JSON.stringify({ ...organization, metric: 'gateway_egress_gb', dimension: 'r', assetId: null, quantity: 2, at })}\n`;
    const sums = sumsOf({ writer: 'w', number: 3, lines: line(86_399_999) + line(86_400_000) + line(86_400_001) });
    expect(sums.map(({ _id, quantity }) => [_id, quantity])).toEqual([
      ['gateway:w:3:0', 2],
      ['gateway:w:3:1', 4],
    ]);
  });
});
