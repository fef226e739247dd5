import { firstStarts } from '../models/organization.ts';
import { systemScope } from '../models/scope.ts';
import { testApp, type TestApp } from '../test/support/app.ts';
import { readInstallation, renewInstallation } from './installation.ts';

let test: TestApp;
beforeEach(async () => {
  test = await testApp();
});
afterEach(() => test.close());

const unset = { PLY_NATS_PREFIX: null };

it('the first start makes an id, all later and concurrent ones read it, and the prefix is derived from it', async () => {
  const { records, runtime } = test.app;
  const [first, ...others] = await Promise.all([1, 2, 3, 4].map(() => readInstallation(records, unset, runtime)));
  for (const other of others) expect(other).toEqual(first);
  expect(first).toEqual({
    id: first?.id,
    natsPrefix: `ply_${first?.id.slice(0, 8)}`,
    mayHaveFormerNodes: false,
  });
  expect(await readInstallation(records, { PLY_NATS_PREFIX: 'own' }, runtime)).toEqual({ ...first, natsPrefix: 'own' });
});

it('records of the version before keep its prefix, and accept its processes unless another prefix is configured', async () => {
  const { records, runtime } = test.app;
  await records.collection(firstStarts, systemScope).insert({
    _id: 'first-start',
    accountId: runtime.uuid(),
    organizationId: runtime.uuid(),
    state: 'done',
    token: 1,
    until: 0,
    keys: [],
  });
  const found = await readInstallation(records, unset, runtime);
  expect(found).toMatchObject({ natsPrefix: 'ply', mayHaveFormerNodes: true });
  expect(await readInstallation(records, { PLY_NATS_PREFIX: 'own' }, runtime)).toEqual({
    id: found.id,
    natsPrefix: 'own',
    mayHaveFormerNodes: false,
  });
  const renewed = await renewInstallation(records, unset, runtime);
  expect(renewed.id).not.toBe(found.id);
  expect(await readInstallation(records, unset, runtime)).toEqual(renewed);
  expect(renewed).toMatchObject({ natsPrefix: `ply_${renewed.id.slice(0, 8)}`, mayHaveFormerNodes: false });
});
