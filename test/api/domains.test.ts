import { randomUUID } from 'node:crypto';
import type { BucketView } from '../../models/bucket.ts';
import type { DomainView } from '../../models/domain.ts';
import { startTestDns, type TestDns } from '../servers/dns.ts';
import {
  content,
  expectRefused,
  until,
  type Answer,
  type Client,
  type ErrorBody,
  type Expected,
} from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const path = `${content}/domains`;
const deliveryDomain = 'cdn.ply-delivery.net';
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

let dns: TestDns;
let program: TestProgram;
let admin: Client;
beforeAll(async () => {
  dns = await startTestDns();
  program = await startTestProgram({ PLY_DNS_SERVERS: dns.address, PLY_DELIVERY_DOMAIN: deliveryDomain });
  ({ admin } = program);
});
afterAll(async () => {
  await program.end();
  await dns.stop();
});

const newHostname = (): string => `files.${randomUUID()}.com`;
const key = (): { 'Idempotency-Key': string } => ({ 'Idempotency-Key': randomUUID() });

async function bucket(client = admin): Promise<BucketView> {
  const { id } = await client.get<BucketView>(202, 'POST', `${content}/buckets`, {
    body: { name: `b-${randomUUID()}`, region: 'in-west', visibility: 'public' },
    headers: key(),
  });
  return until(
    () => client.get<BucketView>(200, 'GET', `${content}/buckets/${id}`),
    ({ state }) => state === 'active',
  );
}
function ask(body: object, client = admin): Promise<Answer<ErrorBody>> {
  return client.ask('POST', path, { body, headers: key() });
}
function add(bucketId: string, hostname: string, client = admin): Promise<DomainView> {
  return client.get(202, 'POST', path, { body: { bucketId, hostname }, headers: key() });
}
const read = (id: string, client = admin): Promise<DomainView> => client.get(200, 'GET', `${path}/${id}`);
const reaches = (id: string, state: DomainView['state']): Promise<DomainView> =>
  until(
    () => read(id),
    (domain) => domain.state === state,
  );
/** Makes the records that a domain asks for. */
function place({ records, hostname }: DomainView): void {
  const valueOf = (type: string): string => records.find((record) => record.type === type)?.value ?? '';
  dns.records.set(`_plycdn.${hostname}`, { TXT: ['other', valueOf('TXT')] });
  dns.records.set(hostname, { CNAME: valueOf('CNAME') });
}

describe('a custom domain', () => {
  it('asks for its records, is found in the DNS, and becomes active', async () => {
    const { id: bucketId, name } = await bucket();
    const hostname = newHostname();
    const added = await add(bucketId, `${hostname.toUpperCase()}.`);
    expect(added).toEqual({
      id: added.id,
      bucketId,
      hostname,
      unicodeHostname: hostname,
      state: 'pending_dns',
      failureReason: null,
      apex: null,
      records: [
        {
          type: 'TXT',
          name: `_plycdn.${hostname}`,
          value: expect.stringMatching(/^plycdn-verify=[0-9a-f]{32}$/),
        },
        { type: 'CNAME', name: hostname, value: `${name}.${deliveryDomain}` },
      ],
      checks: { ownership: 'unknown', routing: 'unknown', claim: 'unknown', certificate: 'none' },
      lastCheckedAt: null,
      nextCheckAt: added.createdAt,
      activeAt: null,
      createdAt: expect.stringMatching(instant),
      updatedAt: added.createdAt,
    });
    const looked = await until(
      () => read(added.id),
      ({ lastCheckedAt }) => lastCheckedAt !== null,
      10_000,
    );
    expect(looked).toMatchObject({
      state: 'pending_dns',
      apex: false,
      checks: { ownership: 'missing', routing: 'missing', claim: 'free', certificate: 'none' },
    });
    expect(Date.parse(looked.nextCheckAt ?? '') - Date.parse(looked.lastCheckedAt ?? '')).toBe(60_000);
    place(added);
    const checked = await program.standard.get<DomainView>(202, 'POST', `${path}/${added.id}/check`);
    expect(['pending_dns', 'verifying', 'issuing_certificate', 'active']).toContain(checked.state);
    const active = await reaches(added.id, 'active');
    expect(active).toMatchObject({
      apex: false,
      records: added.records,
      checks: { ownership: 'found', routing: 'found', claim: 'free', certificate: 'active' },
      activeAt: expect.stringMatching(instant),
    });
    expect(Date.parse(active.nextCheckAt ?? '') - Date.parse(active.activeAt ?? '')).toBe(86_400_000);
    const early = await admin.ask('POST', `${path}/${added.id}/check`);
    expectRefused(early, [429, 'domain_check_too_soon']);
    expect(early.body.retryable).toBe(true);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(30);
    expect((await admin.ask('DELETE', `${path}/${added.id}`)).status).toBe(204);
    expectRefused(await admin.ask('GET', `${path}/${added.id}`), [404, 'domain_not_found']);
    expectRefused(await admin.ask('DELETE', `${path}/${added.id}`), [404, 'domain_not_found']);
    // The hostname is free again, for the same bucket too.
    const again = await add(bucketId, hostname);
    expect(again.records[0]?.value).not.toBe(added.records[0]?.value);
  });

  it('is shown in Unicode, and is one with its other forms', async () => {
    const { id: bucketId } = await bucket();
    const label = randomUUID();
    const domain = await add(bucketId, `Bücher.${label}.de`);
    expect(domain).toMatchObject({
      hostname: `xn--bcher-kva.${label}.de`,
      unicodeHostname: `bücher.${label}.de`,
      records: [{ name: `_plycdn.xn--bcher-kva.${label}.de` }, { name: `xn--bcher-kva.${label}.de` }],
    });
    expectRefused(await ask({ bucketId, hostname: `XN--BCHER-KVA.${label}.de.` }), [409, 'domain_exists']);
  });

  it('at the apex of a zone is found by its addresses', async () => {
    const { id: bucketId, defaultHostname } = await bucket();
    const hostname = `${randomUUID()}.com`;
    dns.records.set(defaultHostname, { A: ['192.0.2.7'], AAAA: ['2001:db8::7'] });
    const domain = await add(bucketId, hostname);
    const value = domain.records[0]?.value ?? '';
    dns.records.set(`_plycdn.${hostname}`, { TXT: [value] });
    dns.records.set(hostname, { SOA: true, A: ['198.51.100.1'] });
    const elsewhere = await until(
      () => read(domain.id),
      ({ lastCheckedAt }) => lastCheckedAt !== null,
    );
    expect([elsewhere.apex, elsewhere.checks.routing === 'found']).toEqual([elsewhere.apex, false]);
    dns.records.set(hostname, { SOA: true, AAAA: ['2001:db8::7'] });
    await admin.get(202, 'POST', `${path}/${domain.id}/check`);
    expect(await reaches(domain.id, 'active')).toMatchObject({ apex: true, checks: { routing: 'found' } });
  });

  it('that is active elsewhere shows so, and is not taken over', async () => {
    const [first, second] = [await bucket(), await bucket()];
    const hostname = newHostname();
    const holder = await add(first.id, hostname);
    place(holder);
    await admin.get(202, 'POST', `${path}/${holder.id}/check`);
    await reaches(holder.id, 'active');
    const other = await add(second.id, hostname);
    const holderText = holder.records[0]?.value ?? '';
    dns.records.set(`_plycdn.${hostname}`, { TXT: [holderText, other.records[0]?.value ?? ''] });
    dns.records.set(hostname, { CNAME: 'a.alias.net' });
    dns.records.set('a.alias.net', { CNAME: second.defaultHostname });
    await admin.get(202, 'POST', `${path}/${other.id}/check`);
    expect(await reaches(other.id, 'verifying')).toMatchObject({ checks: { claim: 'held_elsewhere' } });
    // It is looked at again at once, and stays where it is.
    const stays = await until(
      () => read(other.id),
      ({ checks, nextCheckAt }) => checks.routing === 'found' && Date.parse(nextCheckAt ?? '') > Date.now() + 30_000,
    );
    expect(stays.state).toBe('verifying');
    expect((await read(holder.id)).state).toBe('active');
  });

  it('keeps its state while the DNS does not answer', async () => {
    const { id: bucketId } = await bucket();
    dns.mode = 'failing';
    const { id } = await add(bucketId, newHostname());
    const looked = await until(
      () => read(id),
      ({ lastCheckedAt }) => lastCheckedAt !== null,
    );
    dns.mode = 'answering';
    expect(looked).toMatchObject({
      state: 'pending_dns',
      apex: null,
      checks: { ownership: 'unknown', routing: 'unknown' },
    });
  });
});

describe('adding a domain', () => {
  it.each<[string, Expected]>([
    ['localhost', [422, 'validation_error', ['body', 'hostname']]],
    ['192.0.2.1', [422, 'validation_error', ['body', 'hostname']]],
    ['[::1]', [422, 'validation_error', ['body', 'hostname']]],
    ['*.example.com', [422, 'validation_error', ['body', 'hostname']]],
    ['a_b.example.com', [422, 'validation_error', ['body', 'hostname']]],
    ['https://a.example.com', [422, 'validation_error', ['body', 'hostname']]],
    [`${'a.'.repeat(122)}com`, [422, 'validation_error', ['body', 'hostname']]],
    ['', [422, 'validation_error', ['body', 'hostname']]],
    ['files.local', [422, 'hostname_not_allowed']],
    ['a.b.example', [422, 'hostname_not_allowed']],
    [deliveryDomain, [422, 'hostname_not_allowed']],
    [`B.${deliveryDomain}.`, [422, 'hostname_not_allowed']],
  ])('is refused with the hostname %j', async (hostname, expected) => {
    expectRefused(await ask({ bucketId: randomUUID(), hostname }), expected);
  });

  it('needs a bucket of the organization that is active, an admin key and an Idempotency-Key', async () => {
    const hostname = newHostname();
    expectRefused(await ask({ bucketId: randomUUID(), hostname }), [404, 'bucket_not_found']);
    expectRefused(await ask({ bucketId: 'x', hostname }), [422, 'validation_error', ['body', 'bucketId']]);
    const { id: bucketId } = await bucket();
    const other = admin.as((await admin.createOrganization('Other')).id);
    expectRefused(await ask({ bucketId, hostname }, other), [404, 'bucket_not_found']);
    expectRefused(await ask({ bucketId, hostname }, program.standard), [403, 'admin_key_required']);
    expectRefused(await admin.ask('POST', path, { body: { bucketId, hostname } }), [400, 'idempotency_key_required']);
    const domain = await add(bucketId, hostname);
    expectRefused(await program.standard.ask('DELETE', `${path}/${domain.id}`), [403, 'admin_key_required']);
    for (const [method, suffix] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/check'],
    ] as const)
      expectRefused(await other.ask(method, `${path}/${domain.id}${suffix}`), [404, 'domain_not_found']);
    await admin.get(202, 'DELETE', `${content}/buckets/${bucketId}`);
    expectRefused(await ask({ bucketId, hostname: newHostname() }), [409, 'bucket_not_active']);
  });
});

describe('limits of domains', () => {
  let narrow: TestProgram;
  beforeAll(async () => {
    narrow = await startTestProgram({ PLY_DNS_SERVERS: dns.address, PLY_DELIVERY_DOMAIN: deliveryDomain });
  });
  afterAll(() => narrow.end());

  it('are 8 a bucket and 20 an hour, and lists have pages', async () => {
    const client = narrow.admin;
    const buckets = [await bucket(client), await bucket(client), await bucket(client)];
    const [one, two, three] = buckets.map(({ id }) => id);
    const made: DomainView[] = [];
    for (const bucketId of [one, two])
      for (let count = 0; count < 8; count += 1) made.push(await add(bucketId ?? '', newHostname(), client));
    expectRefused(await ask({ bucketId: one, hostname: newHostname() }, client), [409, 'domain_limit_reached']);
    for (let count = 0; count < 3; count += 1) made.push(await add(three ?? '', newHostname(), client));
    // What was refused does not count.
    for (let tries = 0; tries < 3; tries += 1)
      expectRefused(await ask({ bucketId: three, hostname: made[18]?.hostname }, client), [409, 'domain_exists']);
    made.push(await add(three ?? '', newHostname(), client));
    await client.get(204, 'DELETE', `${path}/${made[19]?.id}`);
    const refused = await ask({ bucketId: three, hostname: newHostname() }, client);
    expectRefused(refused, [429, 'domain_rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);

    type Page = { items: DomainView[]; nextCursor: string | null };
    const page = (query: string): Promise<Page> => narrow.standard.get(200, 'GET', `${path}${query}`);
    const ids = ({ items }: Page): string[] => items.map(({ id }) => id);
    const expected = made.slice(0, 19).map(({ id }) => id);
    expect(await page('').then((all) => [ids(all), all.nextCursor])).toEqual([expected, null]);
    const first = await page('?limit=12');
    const second = await page(`?limit=12&cursor=${first.nextCursor}`);
    expect([...ids(first), ...ids(second)]).toEqual(expected);
    expect(second.nextCursor).toBeNull();
    expect(ids(await page(`?bucketId=${two}&limit=100`))).toEqual(expected.slice(8, 16));
    expect(await page(`?bucketId=${randomUUID()}`)).toEqual({ items: [], nextCursor: null });
    for (const [query, field] of [
      ['?limit=0', 'limit'],
      ['?limit=101', 'limit'],
      ['?cursor=x', 'cursor'],
      ['?bucketId=x', 'bucketId'],
    ])
      expectRefused(await client.ask('GET', `${path}${query}`), [422, 'validation_error', ['query', field ?? '']]);
  });
});
