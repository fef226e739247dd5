import type { RecordsService } from '../../mixins/records/records.ts';
import type { Caller } from '../../models/api.ts';
import { connectors, type Connector, type ConnectorInput, type SyncRun } from '../../models/connector.ts';
import { accounts, organizations } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { plainRecords } from '../../test/support/plain-records.ts';
import { createConnector } from './create.ts';
import { notificationToken } from './notify-url.ts';
import { notifications, type Notifications } from './notify.ts';
import { requestSync } from './request-sync.ts';
import { claim } from './sync/claim.ts';
import { LeasedSync } from './sync/leased-sync.ts';
import { freshState } from './sync/progress.ts';
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

let stage: TestApp;
let tools: ConnectorTools;
let plain: RecordsService<Connector>;
let events: Notifications;
let id: string;
beforeEach(async () => {
  stage = await testApp();
  const { records } = stage.app;
  plain = plainRecords(records, connectors);
  tools = { app: stage.app, wakeUp: () => undefined };
  events = notifications(tools);
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
  id = (await createConnector(stage.app, plain, caller, input)).connectorId;
});
afterEach(() => stage.close());

const event = () => events.take({ token: notificationToken(stage.app, id), isHandshake: false });
async function stored(): Promise<Connector> {
  const connector = await allConnectors(stage.app).get(id);
  if (connector === null) throw new Error('the connector is gone');
  return connector;
}
/** A running sync that started so long ago. */
async function underWay(tookMs: number): Promise<{ end(): Promise<void> }> {
  const { app } = stage;
  const run: SyncRun = {
    syncId: 's',
    token: 1,
    owner: app.nodeId,
    until: app.records.time() + 30_000,
    startedAt: app.runtime.now() - tookMs,
    ...freshState(),
    putOff: 0,
  };
  const connector = await allConnectors(app).update(
    id,
    {},
    { set: { sync: run, requestedAt: null, syncDue: run.until } },
  );
  if (connector === null) throw new Error('the connector is gone');
  return {
    end: async () => {
      const held = new LeasedSync(allConnectors(app), connector, {
        leaseMs: 30_000,
        time: () => app.records.time(),
        log: app.log,
      });
      await held.finish(freshState(), { at: app.runtime.now(), error: null });
      await held.end();
    },
  };
}
/** Seconds until the next sync may start. */
async function due(): Promise<number | null> {
  const { syncDue } = await stored();
  return syncDue === undefined ? null : Math.max(0, Math.round((syncDue - stage.app.records.time()) / 1000));
}

describe('storage events that come during a sync', () => {
  it.each([
    [60_000, 60],
    [10, 2],
    [7_200_000, 900],
  ])('leave the source alone for as long as it took: %i ms', async (took, seconds) => {
    const sync = await underWay(took);
    await event();
    await sync.end();
    expect(await due()).toBe(seconds);
    // Further events do not bring it forward.
    if (seconds > 2) for (let more = 0; more < 3; more += 1) await event();
    expect(await due()).toBe(seconds);
  });

  it('do not delay a sync that a client requests during or after it', async () => {
    const sync = await underWay(60_000);
    await event();
    const { requestedAt } = await requestSync(tools, caller, id);
    await event();
    await sync.end();
    expect(await due()).toBe(0);
    expect(requestedAt).toBe(new Date((await stored()).requestedAt ?? 0).toISOString());

    const next = await underWay(60_000);
    await event();
    await next.end();
    expect(await due()).toBe(60);
    await requestSync(tools, caller, id);
    expect(await due()).toBe(0);
  });

  it('no longer count when the sync that they requested has started', async () => {
    const sync = await underWay(60_000);
    await event();
    await sync.end();
    stage.ahead.local += 61_000;
    stage.ahead.records += 61_000;
    const claimed = await claim(stage.app, allConnectors(stage.app), await stored(), {
      leaseMs: 30_000,
      time: () => stage.app.records.time(),
      log: stage.app.log,
    });
    expect(claimed).toMatchObject({ requestedAt: null, sync: { owner: stage.app.nodeId } });
    expect(claimed?.isFromEvents).toBeUndefined();
  });
});
