import type { AuditLogView } from '../../models/audit-log.ts';
import type { BucketView } from '../../models/bucket.ts';
import { content, expectRefused, type Client } from './support/client.ts';
import { startTrafficStage, type TrafficStage } from './support/traffic.ts';

const path = `${content}/audit`;
const noon = (text: string): number => Date.parse(`${text}T12:00:00Z`);

let stage: TrafficStage;
let admin: Client;
let bucket: BucketView;
beforeAll(async () => {
  stage = await startTrafficStage(noon('2031-02-27'));
  ({ admin } = stage);
  bucket = await stage.createBucket();
  stage.setClock(noon('2031-02-28'));
  await admin.get(200, 'PATCH', `${content}/buckets/${bucket.id}`, {
    body: { visibility: 'public', analytics: { enabled: true } },
  });
  stage.setClock(noon('2031-03-01'));
  await admin.get(202, 'DELETE', `${content}/buckets/${bucket.id}`);
});
afterAll(() => stage.end());

const read = (query = '', client = stage.standard): Promise<AuditLogView> => client.get(200, 'GET', `${path}${query}`);
const actions = async (query: string): Promise<string[]> => (await read(query)).items.map(({ action }) => action);

it('lists what was done, newest first, without values', async () => {
  const { items, nextCursor } = await read();
  expect(nextCursor).toBeNull();
  const row = (action: string, day: string, detail: object): object => ({
    at: expect.stringMatching(new RegExp(`^${day}T12:0\\d:\\d\\d\\.\\d{3}Z$`)),
    actor: expect.stringMatching(/^api_key:[0-9a-f-]{36}$/),
    action,
    resourceKind: 'bucket',
    resourceId: bucket.id,
    detail,
    ip: '127.0.0.1',
  });
  expect(items).toEqual([
    row('bucket.deleted', '2031-03-01', {}),
    row('bucket.updated', '2031-02-28', { fields: expect.arrayContaining(['visibility']) }),
    row('bucket.created', '2031-02-27', {}),
  ]);
});

it('takes days, an action and a resource', async () => {
  expect(await actions('?from=2031-02-28')).toEqual(['bucket.deleted', 'bucket.updated']);
  expect(await actions('?to=2031-02-28')).toEqual(['bucket.updated', 'bucket.created']);
  expect(await actions('?from=2031-02-28&to=2031-02-28')).toEqual(['bucket.updated']);
  expect(await actions('?action=bucket.created')).toEqual(['bucket.created']);
  expect(await actions(`?resourceId=${bucket.id}&action=bucket.deleted`)).toEqual(['bucket.deleted']);
  expect(await actions('?resourceId=unknown')).toEqual([]);
  expect(await actions('?action=unknown')).toEqual([]);
});

it('gives pages', async () => {
  const first = await read('?limit=2');
  expect(first.items.map(({ action }) => action)).toEqual(['bucket.deleted', 'bucket.updated']);
  const second = await read(`?limit=2&cursor=${first.nextCursor}`);
  expect(second).toMatchObject({ items: [{ action: 'bucket.created' }], nextCursor: null });
});

it('shows nothing of another organization', async () => {
  const other = await admin.createOrganization('other');
  expect(await read('', stage.standard.as(other.id))).toEqual({ items: [], nextCursor: null });
});

it.each([
  ['from=2031-02-30', 'from'],
  ['from=2031-03-01&to=2031-02-28', 'to'],
  ['limit=0', 'limit'],
  ['limit=501', 'limit'],
  ['cursor=abc', 'cursor'],
  ['action=', 'action'],
])('refuses %s', async (query, field) => {
  expectRefused(await admin.ask('GET', `${path}?${query}`), [422, 'validation_error', ['query', field]]);
});
