import { Metrics } from '../../../mixins/metrics.ts';
import { connectors, type Connector } from '../../../models/connector.ts';
import { accounts, organizations } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { SyncFigures } from './figures.ts';

const day = 86_400_000;
let stage: TestApp;
beforeEach(async () => {
  stage = await testApp();
  const { records } = stage.app;
  await records
    .collection(accounts, systemScope)
    .insert({ _id: 'account', organizationId: 'active', plan: null, timeZone: 'UTC', createdAt: 0 });
  for (const _id of ['active', 'off'])
    await records.collection(organizations, systemScope).insert({
      _id,
      accountId: 'account',
      parentId: null,
      name: _id,
      contactEmail: null,
      description: null,
      isActive: _id === 'active',
      metadata: null,
      createdAt: 0,
      updatedAt: 0,
    });
});
afterEach(() => stage.close());

let made = 0;
async function add(fields: Partial<Connector>): Promise<void> {
  made += 1;
  await stage.app.records.collection(connectors, systemScope).insert({
    _id: `connector-${made}`,
    organizationId: 'active',
    accountId: 'account',
    name: `c ${made}`,
    source: { kind: 'canvas', config: { baseUrl: 'https://source.example' } },
    sealedCredential: null,
    schedule: 'nightly',
    enabled: true,
    defaultAclMode: 'restricted',
    extractContentFromVideoFrames: null,
    requestedAt: null,
    sync: null,
    lastRunAt: null,
    lastError: null,
    lastSummary: null,
    failures: [],
    createdAt: 0,
    updatedAt: 0,
    version: 1,
    ...fields,
  });
}
/** The gauges: the age in days, and the number of failing connectors. */
async function measured(): Promise<number[]> {
  const metrics = new Metrics();
  await new SyncFigures({ ...stage.app, metrics }).survey();
  const text = await metrics.registry.metrics();
  const figure = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return [Math.round((figure('ply_sync_oldest_success_age_seconds') * 1000) / day), figure('ply_connectors_failing')];
}

it('the gauges show the oldest success of nightly connectors and how many fail', async () => {
  expect(await measured()).toEqual([0, 0]);
  const now = stage.app.runtime.now();
  await add({ lastSuccessAt: now - 2 * day });
  await add({ lastSuccessAt: now - 9 * day, lastError: 'Why it failed.' });
  expect(await measured()).toEqual([9, 1]);
});

it('connectors without nightly syncs are not overdue', async () => {
  const ago = stage.app.runtime.now() - 9 * day;
  await add({ lastSuccessAt: ago, schedule: 'manual' });
  await add({ lastSuccessAt: ago, enabled: false, lastError: 'Why it failed.' });
  await add({ lastSuccessAt: ago, organizationId: 'off' });
  // Disabled for long, and made nightly just now.
  await add({ lastSuccessAt: ago, updatedAt: stage.app.runtime.now() });
  expect(await measured()).toEqual([0, 0]);
  await add({ createdAt: ago, updatedAt: ago });
  expect(await measured()).toEqual([9, 0]);
  await stage.app.records
    .collection(accounts, systemScope)
    .update('account', {}, { set: { features: ['collections'] } });
  expect(await measured()).toEqual([0, 0]);
});
