import { ledgers } from '../../models/statement.ts';
import { systemScope } from '../../models/scope.ts';
import { accountOf } from './account.ts';
import { adjustAccount } from './adjust.ts';
import { readAudit } from './audit.ts';
import { startedApp, type TestApp } from './testing/app.ts';

let app: TestApp;
beforeEach(async () => {
  ({ app } = await startedApp());
});
afterEach(() => app.stop());

it('a correction is written with its row of the audit, also when the process dies before the row is appended', async () => {
  const account = await accountOf(app);
  const credit = await adjustAccount(app, account, { amount: -1250, description: 'Outage of 3 April' });
  expect(credit).toMatchObject({ accountId: account._id, amount: -1250, description: 'Outage of 3 April' });
  const dying = { ...app.collections.audit, insert: () => Promise.reject(new Error('killed')) };
  const broken: TestApp = {
    ...app,
    records: {
      ...app.records,
      collection: (definition, scope) =>
        definition.name === 'account_audit'
          ? { ...app.records.collection(definition, scope), insert: dying.insert }
          : app.records.collection(definition, scope),
    },
  };
  await adjustAccount(broken, account, { amount: 1, description: 'Rounding' });
  expect(await app.collections.audit.count({ accountId: account._id })).toBe(
    (await readAudit(app.collections, account._id, 100, null)).items.length - 1,
  );
  const { items } = await readAudit(app.collections, account._id, 2, null);
  expect(items.map(({ action, detail }) => ({ action, ...detail }))).toEqual([
    { action: 'account.adjusted', amount: '0.01', currency: null, description: 'Rounding' },
    { action: 'account.adjusted', amount: '-12.50', currency: null, description: 'Outage of 3 April' },
  ]);
  expect(await app.collections.adjustments.get(credit._id)).not.toHaveProperty('pendingAuditMark');
});

it('a correction is received after the last statement, also when the clock was set back', async () => {
  const account = await accountOf(app);
  const cutoff = Date.now() + 60_000;
  await app.records.collection(ledgers, systemScope).insert({
    _id: account._id,
    firstMonth: '2031-01',
    closedThrough: '2031-01',
    cutoff,
    statements: 1,
    closing: null,
    dueAt: 0,
  });
  expect((await adjustAccount(app, account, { amount: 5, description: 'x' })).receivedAt).toBe(cutoff);
});

it('a correction of nothing is refused', async () => {
  await expect(adjustAccount(app, await accountOf(app), { amount: 0, description: 'x' })).rejects.toThrow(
    'the amount of a correction must not be 0',
  );
});
