import { setTimeout as pause } from 'node:timers/promises';
import { activeHostnames, bucketOfHostname } from '../../../mixins/storage/hostnames.ts';
import { domainWork } from '../../../mixins/storage/domain-work.ts';
import { Dispatcher } from '../../../mixins/work/dispatcher.ts';
import { Sweeper } from '../../../mixins/work/sweeper.ts';
import type { Caller } from '../../../models/api.ts';
import { auditLog } from '../../../models/audit-log.ts';
import type { Domain, DomainView } from '../../../models/domain.ts';
import { systemScope } from '../../../models/scope.ts';
import { startTestDns, type TestDns } from '../../../test/servers/dns.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { readRegions } from '../../../models/region.ts';
import { createBucket } from '../buckets/create.ts';
import { allBuckets, type Storage } from '../tools.ts';
import { addDomain } from './add.ts';
import { checkDomain, releaseDomains, removeDomain } from './change.ts';
import { openDns } from './dns.ts';
import { readDomain } from './read.ts';
import { allDomains } from './tools.ts';
import { domainWorkers } from './work.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const hostname = 'files.customer.com';
const caller: Caller = {
  accountId: 'account',
  organizationId: 'organization',
  keyId: 'key',
  keyPrefix: 'p',
  keyLabel: '',
  keyScope: 'admin',
  requestId: 'r',
  ip: '192.0.2.1',
};

let dns: TestDns;
let test: TestApp;
let storage: Storage;
let stop: () => Promise<void>;
beforeEach(async () => {
  dns = await startTestDns();
  test = await testApp({
    PLY_DNS_SERVERS: dns.address,
    PLY_DELIVERY_DOMAIN: 'cdn.service.net',
    PLY_RETRY_BASE_MS: '10',
    PLY_LEASE_SECONDS: '600',
  });
  storage = {
    app: test.app,
    actions: { call: () => Promise.reject(new Error('no actor is called')) },
    regions: await readRegions(test.app.configuration),
    wakeUp: () => undefined,
  };
  const workers = domainWorkers(test.app, { storage, dns: openDns(test.app.configuration), authority: null });
  for (const worker of workers) await worker.start();
  stop = async () => {
    for (const worker of workers) await worker.stop(100);
  };
});
afterEach(async () => {
  await stop();
  await test.close();
  await dns.stop();
});

const advance = (milliseconds: number): void => {
  test.ahead.local += milliseconds;
  test.ahead.records += milliseconds;
};
const stored = async (id: string): Promise<Domain> => {
  const domain = await allDomains(test.app).get(id);
  if (domain === null) throw new Error('the domain is gone');
  return domain;
};
/** Dispatches and sweeps until nothing more is to be done now, and returns the domain. */
async function settle(id: string): Promise<Domain> {
  const kind = domainWork(test.app);
  const sweeper = new Sweeper(test.app, kind);
  const dispatchers = kind.stages.map((stage) => new Dispatcher(test.app, kind, { stage, slots: () => 4 }));
  for (let tries = 0; tries < 500; tries += 1) {
    await sweeper.round();
    for (const dispatcher of dispatchers) await dispatcher.round();
    await sweeper.drainOutboxes();
    const domain = await stored(id);
    const isIdle =
      domain.run.phase === 'ended' ||
      (domain.run.phase === 'put_off' && (domain.run.dueAt ?? 0) > test.app.records.time());
    if (isIdle && domain.outbox.length === 0) return domain;
    await pause(10);
  }
  throw new Error('the domain does not settle');
}
/** Lets the time of the next look come. */
async function nextLook(id: string): Promise<Domain> {
  const { run } = await stored(id);
  advance(Math.max(0, (run.dueAt ?? 0) - test.app.records.time()));
  return settle(id);
}
function place({ records }: Pick<DomainView, 'records'>, route: string | null = null): void {
  const [txt, cname] = records;
  dns.records.set(txt?.name ?? '', { TXT: [txt?.value ?? ''] });
  dns.records.set(hostname, { CNAME: route ?? cname?.value ?? '' });
}
async function activeBucket(name: string): Promise<string> {
  const { id } = await createBucket(storage, caller, test.app.runtime.uuid(), {
    name,
    region: 'in-west',
    visibility: 'public',
    strictResidency: false,
  });
  await allBuckets(test.app).update(id, {}, { set: { state: 'active' } });
  return id;
}
const add = async (name = 'bucket'): Promise<{ view: DomainView; bucketId: string }> => {
  const bucketId = await activeBucket(name);
  return { view: await addDomain(storage, caller, test.app.runtime.uuid(), { bucketId, hostname }), bucketId };
};
async function active(): Promise<{ view: DomainView; bucketId: string }> {
  const added = await add();
  place(added.view);
  expect((await settle(added.view.id)).state).toBe('active');
  return added;
}
async function actions(): Promise<string[]> {
  const rows = await test.app.records
    .collection(auditLog, systemScope)
    .find({ filter: { resourceKind: 'domain' }, sort: [['at', 1]], limit: 100 });
  return rows.map(({ action, actor }) => `${action} ${actor}`);
}

describe('looks at a domain', () => {
  it('are each minute for an hour, then each ten minutes, and end after 72 hours', async () => {
    const { view } = await add();
    const began = Date.parse(view.createdAt);
    let domain = await settle(view.id);
    let looks = 1;
    const looked = (): number => (domain.lastCheckedAt ?? 0) - began;
    for (; looked() < hour - minute; looks += 1) {
      const before = domain.nextCheckAt;
      domain = await nextLook(view.id);
      expect(domain.lastCheckedAt).toBeGreaterThanOrEqual(before ?? Infinity);
    }
    // The clock goes on while the test runs, so the last look of the hour may come late.
    expect(looks).toBeGreaterThanOrEqual(58);
    expect(looks).toBeLessThanOrEqual(60);
    domain = await nextLook(view.id);
    expect((domain.nextCheckAt ?? 0) - (domain.lastCheckedAt ?? 0)).toBe(10 * minute);
    advance(71 * hour);
    domain = await settle(view.id);
    expect(domain).toMatchObject({ state: 'failed', failureReason: 'dns_not_configured', nextCheckAt: null });
    const again = await checkDomain(storage, caller, view.id);
    expect(again).toMatchObject({ state: 'pending_dns', failureReason: null });
    expect(again.records[0]?.value).not.toBe(view.records[0]?.value);
    expect(again.records[1]).toEqual(view.records[1]);
    // The former value proves nothing any more.
    place(view);
    expect((await settle(view.id)).checks).toMatchObject({ ownership: 'missing', routing: 'found' });
    place(again);
    expect((await nextLook(view.id)).state).toBe('active');
    expect(await actions()).toEqual([
      'domain.added api_key:key',
      'domain.failed plycdn',
      'domain.check_requested api_key:key',
      'domain.verified plycdn',
      'domain.active plycdn',
    ]);
  });

  it('find records that are gone from an active domain, once more after an hour, and detach it', async () => {
    const { view, bucketId } = await active();
    expect(await activeHostnames(test.app, caller.organizationId, bucketId)).toEqual([hostname]);
    expect(await bucketOfHostname(test.app, hostname)).toEqual({ organizationId: caller.organizationId, bucketId });
    const [txt] = view.records;
    dns.records.delete(txt?.name ?? '');
    const first = await nextLook(view.id);
    expect(first).toMatchObject({ state: 'active', checks: { ownership: 'missing' } });
    expect((first.nextCheckAt ?? 0) - (first.lastCheckedAt ?? 0)).toBe(hour);
    // What cannot be seen confirms nothing.
    dns.mode = 'failing';
    expect(await nextLook(view.id)).toMatchObject({ state: 'active', checks: { ownership: 'unknown' } });
    dns.mode = 'answering';
    const detached = await nextLook(view.id);
    expect(detached).toMatchObject({ state: 'detached', failureReason: 'ownership_record_removed' });
    expect(detached.claimedHostname).toBeUndefined();
    expect(await bucketOfHostname(test.app, hostname)).toBeNull();
    expect(await activeHostnames(test.app, caller.organizationId, bucketId)).toEqual([]);
    expect((await actions()).slice(-2)).toEqual(['domain.detached plycdn', 'domain.released plycdn']);
  });

  it('keep an active domain whose records are back within the hour', async () => {
    const { view } = await active();
    place(view, 'other.service.net');
    expect(await nextLook(view.id)).toMatchObject({ state: 'active', checks: { routing: 'elsewhere' } });
    place(view);
    const kept = await nextLook(view.id);
    expect(kept).toMatchObject({ state: 'active', missingSince: null, checks: { routing: 'found' } });
    expect((kept.nextCheckAt ?? 0) - (kept.lastCheckedAt ?? 0)).toBe(day);
  });
});

describe('a hostname', () => {
  it('goes to a second domain once the first is deleted and the edges have let it go', async () => {
    const first = await active();
    const second = await add('second');
    place(second.view);
    dns.records.set(`_plycdn.${hostname}`, {
      TXT: [first.view, second.view].map(({ records }) => records[0]?.value ?? ''),
    });
    expect(await settle(second.view.id)).toMatchObject({ state: 'verifying', checks: { claim: 'held_elsewhere' } });
    await removeDomain(storage, caller, first.view.id);
    await expect(readDomain(storage, caller, first.view.id)).rejects.toMatchObject({ type: 'domain_not_found' });
    expect(await bucketOfHostname(test.app, hostname)).toBeNull();
    await settle(first.view.id);
    expect((await nextLook(second.view.id)).state).toBe('active');
    expect((await bucketOfHostname(test.app, hostname))?.bucketId).toBe(second.bucketId);
    expect((await actions()).filter((action) => action.startsWith('domain.released'))).toHaveLength(1);
  });

  it('that stays held elsewhere fails after 72 hours', async () => {
    const first = await active();
    const second = await add('second');
    place(second.view);
    dns.records.set(`_plycdn.${hostname}`, {
      TXT: [first.view, second.view].map(({ records }) => records[0]?.value ?? ''),
    });
    await settle(second.view.id);
    advance(72 * hour);
    expect(await settle(second.view.id)).toMatchObject({ state: 'failed', failureReason: 'hostname_in_use' });
    expect((await stored(first.view.id)).state).toBe('active');
  });

  it('of two domains that are ready at once goes to one', async () => {
    const [first, second] = [await add('first'), await add('second')];
    dns.records.set(`_plycdn.${hostname}`, {
      TXT: [first.view, second.view].map(({ records }) => records[0]?.value ?? ''),
    });
    dns.records.set('first.cdn.service.net', { A: ['192.0.2.1'] });
    dns.records.set('second.cdn.service.net', { A: ['192.0.2.1'] });
    dns.records.set(hostname, { SOA: true, A: ['192.0.2.1'] });
    const domains = await Promise.all([settle(first.view.id), settle(second.view.id)]);
    expect(domains.map(({ state }) => state).toSorted()).toEqual(['active', 'verifying']);
    expect(domains.every(({ apex }) => apex === true)).toBe(true);
  });

  it('of the service itself is refused', async () => {
    const bucketId = await activeBucket('own');
    const endpoints = { s3VirtualHost: 'https://{bucket}.s3.service.org', upload: 'https://up.service.org' };
    const regions = storage.regions.map((region) => ({ ...region, endpoints: { ...region.endpoints, ...endpoints } }));
    const add = (name: string) =>
      addDomain({ ...storage, regions }, caller, test.app.runtime.uuid(), { bucketId, hostname: name });
    for (const own of ['s3.service.org', 'a.s3.service.org', 'up.service.org', 'a.cdn.service.net'])
      await expect(add(own)).rejects.toMatchObject({ type: 'hostname_not_allowed' });
    expect(await add('a.up.service.org')).toMatchObject({ hostname: 'a.up.service.org' });
  });

  it('of a bucket whose content is removed is given free', async () => {
    const { view, bucketId } = await active();
    await releaseDomains(storage, { organizationId: caller.organizationId, _id: bucketId });
    expect((await settle(view.id)).claimedHostname).toBeUndefined();
    expect((await actions()).slice(-2)).toEqual(['domain.deleted plycdn', 'domain.released plycdn']);
  });
});
