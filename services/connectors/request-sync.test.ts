import type { RecordsService } from '../../mixins/records/records.ts';
import type { Caller } from '../../models/api.ts';
import { connectors, type Connector, type ConnectorInput } from '../../models/connector.ts';
import { accounts, organizations } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { plainRecords } from '../../test/support/plain-records.ts';
import { createConnector, removeConnector } from './create.ts';
import { nextNight } from './night.ts';
import { nightlyRound } from './nightly.ts';
import { notificationToken } from './notify-url.ts';
import { notifications } from './notify.ts';
import { replaceConnector } from './replace.ts';
import { requestSync } from './request-sync.ts';
import { allConnectors, type ConnectorTools } from './tools.ts';

const caller: Caller = {
  accountId: 'account',
  organizationId: '11111111-1111-4111-8111-111111111111',
  keyId: 'k',
  keyPrefix: 'ply_',
  keyLabel: 'test',
  keyScope: 'standard',
  requestId: 'r',
};
const input: ConnectorInput = {
  source: {
    kind: 's3',
    config: { endpoint: 'https://s3.example.com', bucket: 'files', region: 'x', prefix: '', accessKeyId: 'k' },
  },
  name: 'files',
  credential: 'secret',
  schedule: 'manual',
  enabled: true,
  defaultAclMode: 'restricted',
  extractContentFromVideoFrames: null,
};
const day = 86_400_000;
const run: NonNullable<Connector['sync']> = {
  syncId: 's',
  token: 1,
  owner: 'node',
  until: 0,
  startedAt: 0,
  putOff: 0,
  checkpoint: { phase: 'listing', cursor: null, comparedTo: null, listed: 0, emptyOnce: false, gaps: [] },
  summary: { new: 0, changed: 0, unchanged: 0, reauthorized: 0, moved: 0, removed: 0, failed: 0 },
  failures: [],
};

let stage: TestApp;
let rings: number[];
let writes: number;
let tools: ConnectorTools;
let plain: RecordsService<Connector>;
beforeEach(async () => {
  stage = await testApp();
  const { records } = stage.app;
  plain = plainRecords(records, connectors);
  rings = [];
  writes = 0;
  // Counts the attempted writes of connectors.
  const counted: typeof records = {
    ...records,
    collection: (definition, scope) => {
      const collection = records.collection(definition, scope);
      const update: typeof collection.update = (...args) => {
        writes += 1;
        return collection.update(...args);
      };
      return definition.name === 'connectors' ? { ...collection, update } : collection;
    },
  };
  tools = { app: { ...stage.app, records: counted }, wakeUp: (milliseconds) => rings.push(milliseconds) };
  await records.collection(accounts, systemScope).insert({
    _id: 'account',
    organizationId: caller.organizationId,
    plan: null,
    timeZone: 'Europe/Berlin',
    createdAt: 0,
  });
  await records.collection(organizations, systemScope).insert({
    _id: caller.organizationId,
    accountId: 'account',
    parentId: null,
    name: 'Own',
    contactEmail: null,
    description: null,
    isActive: true,
    metadata: null,
    createdAt: 0,
    updatedAt: 0,
  });
});
afterEach(() => stage.close());

async function create(fields: Partial<ConnectorInput> = {}): Promise<string> {
  return (await createConnector(tools.app, plain, caller, { ...input, ...fields })).connectorId;
}
async function stored(id: string): Promise<Connector> {
  const connector = await allConnectors(stage.app).get(id);
  if (connector === null) throw new Error('the connector is gone');
  return connector;
}
/** Starts the requested sync, as its claim does. */
async function begin(id: string): Promise<void> {
  await allConnectors(stage.app).update(
    id,
    {},
    { set: { requestedAt: null, sync: run, syncDue: stage.app.records.time() + 30_000 } },
  );
}
const event = (id: string): { token: string; isHandshake: boolean } => ({
  token: notificationToken(tools.app, id),
  isHandshake: false,
});

describe('storage events', () => {
  it('in a burst of 10,000 cause one sync and a few writes', async () => {
    const id = await create();
    const events = notifications(tools);
    const taken = await Promise.all(Array.from({ length: 10_000 }, () => events.take(event(id))));
    expect(taken.every(({ accepted }) => accepted)).toBe(true);
    expect(writes).toBeLessThan(10);
    const { requestedAt, syncDue, sync } = await stored(id);
    expect([requestedAt !== null, sync]).toEqual([true, null]);
    expect((syncDue ?? 0) - stage.app.records.time()).toBeGreaterThan(500);
    expect(rings).toHaveLength(writes);
  });

  it('start a sync when no more arrive, and at most a minute after the first', async () => {
    const id = await create();
    const events = notifications(tools);
    const waits: number[] = [];
    for (let second = 0; second <= 65; second += 1) {
      await events.take(event(id));
      const { syncDue = 0 } = await stored(id);
      waits.push(Math.round((syncDue - stage.app.records.time()) / 1000));
      stage.ahead.local += 1000;
      stage.ahead.records += 1000;
      if (syncDue <= stage.app.records.time()) break;
    }
    // Real time passes as well.
    expect(waits.slice(0, 45).filter((wait) => wait !== 1 && wait !== 2)).toEqual([]);
    expect(waits.length).toBeGreaterThanOrEqual(46);
    expect(waits.length).toBeLessThanOrEqual(62);
  });

  it('during a sync request another one, which is due when the running one ends', async () => {
    const id = await create();
    await begin(id);
    const before = await stored(id);
    const events = notifications(tools);
    await events.take(event(id));
    await events.take(event(id));
    expect(await stored(id)).toMatchObject({ requestedAt: expect.any(Number), syncDue: before.syncDue, sync: run });
    expect([writes, rings]).toEqual([1, []]);
  });

  it('have no effect where the organization is deactivated or the plan has no connectors', async () => {
    const id = await create();
    const { records } = stage.app;
    const events = notifications(tools);
    await records
      .collection(organizations, systemScope)
      .update(caller.organizationId, {}, { set: { isActive: false } });
    await events.take(event(id));
    await records.collection(organizations, systemScope).update(caller.organizationId, {}, { set: { isActive: true } });
    await records.collection(accounts, systemScope).update('account', {}, { set: { features: ['collections'] } });
    await events.take(event(id));
    expect((await stored(id)).requestedAt).toBeNull();
    await records.collection(accounts, systemScope).update('account', {}, { set: { features: ['connectors'] } });
    await events.take(event(id));
    expect((await stored(id)).requestedAt).not.toBeNull();
  });

  it('of a deleted connector are refused, also pending ones', async () => {
    const id = await create();
    const events = notifications(tools);
    await removeConnector(tools.app, plain, caller, id);
    const settled = await Promise.allSettled(Array.from({ length: 5 }, () => events.take(event(id))));
    expect(settled.map((each) => (each.status === 'rejected' ? each.reason : null))).toEqual(
      Array(5).fill(expect.objectContaining({ type: 'invalid_callback' })),
    );
  });
});

describe('a request', () => {
  it('brings forward a sync that waits for the end of a burst, and keeps the time of the first request', async () => {
    const id = await create();
    await notifications(tools).take(event(id));
    const first = await stored(id);
    const answer = await requestSync(tools, caller, id);
    expect(Date.parse(answer.requestedAt)).toBe(first.requestedAt);
    expect((await stored(id)).syncDue ?? 0).toBeLessThan(stage.app.records.time() + 500);
    await notifications(tools).take(event(id));
    expect((await stored(id)).syncDue ?? 0).toBeLessThan(stage.app.records.time() + 500);
  });
});

describe('a request during a sync that waits after a failure', () => {
  it('retries it at once, which events do not', async () => {
    const id = await create();
    const until = stage.app.records.time() + 600_000;
    const wait = (putOff: number): Promise<unknown> =>
      allConnectors(stage.app).update(
        id,
        {},
        { set: { requestedAt: null, sync: { ...run, owner: null, until, putOff }, syncDue: until } },
      );
    await wait(3);
    await notifications(tools).take(event(id));
    expect(await stored(id)).toMatchObject({ requestedAt: expect.any(Number), syncDue: until, sync: { until } });
    await requestSync(tools, caller, id);
    const { syncDue = 0, sync } = await stored(id);
    expect([syncDue < stage.app.records.time() + 500, sync?.until === syncDue, sync?.putOff]).toEqual([true, true, 3]);
    expect(rings).toHaveLength(1);
    // A sync that waits after an empty listing is not retried early.
    await wait(0);
    await requestSync(tools, caller, id);
    expect(await stored(id)).toMatchObject({ requestedAt: expect.any(Number), syncDue: until, sync: { until } });
  });
});

describe('a replacement during a sync', () => {
  it('ends it where something else is read, and requests a new one', async () => {
    const id = await create();
    await begin(id);
    await replaceConnector(tools, caller, id, {
      ...input,
      name: 'another name',
      credential: null,
      schedule: 'nightly',
    });
    expect(await stored(id)).toMatchObject({ name: 'another name', sync: run, version: 1 });
    const view = await replaceConnector(tools, caller, id, { ...input, credential: null, defaultAclMode: 'open' });
    expect(view.syncPending).toBe(true);
    const restarted = await stored(id);
    expect(restarted).toMatchObject({ sync: null, version: 2 });
    expect(restarted.syncDue ?? Infinity).toBeLessThanOrEqual(stage.app.records.time());
    expect(rings).toEqual([0]);
  });

  it('ends it without a new one where it disables the connector', async () => {
    const id = await create({ schedule: 'nightly' });
    await begin(id);
    await requestSync(tools, caller, id);
    await replaceConnector(tools, caller, id, { ...input, schedule: 'nightly', credential: null, enabled: false });
    const disabled = await stored(id);
    expect(disabled).toMatchObject({ sync: null, requestedAt: null, version: 2 });
    expect([disabled.syncDue, disabled.nightlyDue]).toEqual([undefined, undefined]);
    await replaceConnector(tools, caller, id, { ...input, schedule: 'nightly', credential: null });
    expect((await stored(id)).nightlyDue).toBe(nextNight(stage.app.records.time(), 'Europe/Berlin', id));
  });
});

describe('a night', () => {
  /** Advances the time to a connector's next nightly sync. */
  async function passTo(id: string, more = 0): Promise<number> {
    const { nightlyDue = 0 } = await stored(id);
    const ahead = nightlyDue - Date.now() + 1000 + more;
    Object.assign(stage.ahead, { local: ahead, records: ahead });
    return nightlyDue;
  }

  it('requests one sync, however many processes poll', async () => {
    const id = await create({ schedule: 'nightly' });
    expect(await nightlyRound(tools)).toBe(0);
    const due = await passTo(id);
    await Promise.all(Array.from({ length: 5 }, () => nightlyRound(tools)));
    const { nightlyDue, requestedAt } = await stored(id);
    expect(requestedAt).not.toBeNull();
    expect(nightlyDue).toBe(nextNight(due, 'Europe/Berlin', id));
    expect(rings).toEqual([0]);
    expect(await nightlyRound(tools)).toBe(0);
  });

  it('that was missed, with others, requests one sync', async () => {
    const id = await create({ schedule: 'nightly' });
    const due = await passTo(id, 10 * day);
    expect(await nightlyRound(tools)).toBe(1);
    expect(await nightlyRound(tools)).toBe(0);
    expect(rings).toEqual([0]);
    const { nightlyDue = 0 } = await stored(id);
    expect(nightlyDue).toBeGreaterThan(due + 9 * day);
    expect(nightlyDue).toBeLessThanOrEqual(stage.app.records.time() + 25 * 3_600_000);
  });

  it('adds no sync to a requested one, and one to a running one', async () => {
    const id = await create({ schedule: 'nightly' });
    const other = await create({ schedule: 'nightly', name: 'other' });
    await requestSync(tools, caller, id);
    const { requestedAt } = await stored(id);
    await begin(other);
    await passTo(id, day);
    expect(await nightlyRound(tools)).toBe(2);
    expect((await stored(id)).requestedAt).toBe(requestedAt);
    expect(await stored(other)).toMatchObject({ sync: run, requestedAt: expect.any(Number) });
  });

  it('is skipped where nothing may be synced, and does not exist for manual connectors', async () => {
    const id = await create({ schedule: 'nightly' });
    expect((await stored(await create({ name: 'manual' }))).nightlyDue).toBeUndefined();
    expect(
      (await stored(await create({ name: 'off', schedule: 'nightly', enabled: false }))).nightlyDue,
    ).toBeUndefined();
    await stage.app.records
      .collection(organizations, systemScope)
      .update(caller.organizationId, {}, { set: { isActive: false } });
    await passTo(id);
    expect(await nightlyRound(tools)).toBe(1);
    expect((await stored(id)).requestedAt).toBeNull();
    expect(await nightlyRound(tools)).toBe(0);
  });
});
