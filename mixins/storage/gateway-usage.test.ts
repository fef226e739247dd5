import { pino } from 'pino';
import { systemRuntime } from '../../models/runtime.ts';
import type { NewUsageEvent } from '../../models/usage-event.ts';
import { GatewayUsage, type Answered } from './gateway-usage.ts';

const organization = { accountId: 'account', organizationId: 'organization' };
const bucket = { _id: 'bucket', region: 'eu-central' };

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
  const usage = new GatewayUsage(
    { runtime: systemRuntime, log: pino({ level: 'silent' }) },
    actions as never,
    'in-west',
  );
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
    await usage.flush();
    expect(
      sent.flat().map(({ metric, quantity, dimension, resourceId }) => [metric, quantity, dimension, resourceId]),
    ).toEqual([
      ['gateway_read_requests_millions', 3, 'eu-central', 'bucket'],
      ['gateway_egress_gb', 10, 'eu-central', 'bucket'],
      ['gateway_write_requests_millions', 2, 'eu-central', 'bucket'],
      ['gateway_read_requests_millions', 1, 'in-west', undefined],
    ]);
  });

  it('keeps its ids when it is sent again', async () => {
    const { usage, sent, fail } = opened();
    fail(1);
    usage.count(answered({}));
    await usage.flush();
    usage.count(answered({}));
    await usage.flush();
    await usage.flush();
    const ids = sent.map((events) => events.map(({ _id }) => _id));
    expect(ids).toEqual([[ids[0]?.[0]], [ids[0]?.[0], expect.stringMatching(/:2$/)]]);
  });
});
