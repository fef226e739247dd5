import { changeAccount, readAccount } from './account.ts';
import { keyAccess } from './access.ts';
import { hashKey } from './keys.ts';
import { startedApp, testApp } from './testing/app.ts';

describe('the account of the deployment', () => {
  it('has a time zone, which must exist', async () => {
    const { app, first } = await startedApp();
    try {
      const before = {
        accountId: first.accountId,
        organizationId: first.organizationId,
        plan: null,
        features: null,
        limits: null,
        timeZone: 'UTC',
        currency: null,
        serviceStartsAt: null,
        serviceEndsAt: null,
        payAsYouGo: false,
        quotas: {},
        alertThresholds: [80, 100],
        createdAt: expect.any(Number),
      };
      expect(await readAccount(app)).toEqual(before);
      expect(await changeAccount(app, { timeZone: 'europe/berlin' })).toEqual({
        ...before,
        timeZone: 'Europe/Berlin',
      });
      await expect(changeAccount(app, { timeZone: 'Europe/Atlantis' })).rejects.toThrow(
        'Europe/Atlantis is no IANA time zone',
      );
      expect(await changeAccount(app, {})).toEqual({ ...before, timeZone: 'Europe/Berlin' });
      expect(await readAccount(app)).toEqual({ ...before, timeZone: 'Europe/Berlin' });
    } finally {
      await app.stop();
    }
  });

  it('gets a plan of the file with its features and limits, and no plan with the next month', async () => {
    const { app, first } = await startedApp({ PLY_PLANS_FILE: 'plans/examples.json' });
    try {
      expect(await changeAccount(app, { plan: 'starter' })).toMatchObject({
        plan: 'starter',
        features: ['metadata', 'collections', 'suggestions'],
        limits: { requestsPerMinute: 600, storageRequestsPerMinute: 600 },
        timeZone: 'UTC',
      });
      expect(await keyAccess(app, hashKey(first.standardKey))).toMatchObject({
        features: ['metadata', 'collections', 'suggestions'],
        limits: { requests: 600, search: 120, registrations: 120 },
      });
      await expect(changeAccount(app, { plan: 'platinum' })).rejects.toThrow('there is no plan platinum');
      expect(await changeAccount(app, { plan: null })).toMatchObject({ plan: 'starter', nextPlan: { name: null } });
    } finally {
      await app.stop();
    }
  });

  it('has settings of its service, its quotas and its currency', async () => {
    const { app } = await startedApp();
    try {
      const settings = { currency: 'EUR', serviceStartsAt: 1000, serviceEndsAt: 2000, payAsYouGo: true };
      const change = { ...settings, quotas: { searches: 5_000_000, answers: 0 }, alertThresholds: [50, 100] };
      expect(await changeAccount(app, change)).toMatchObject(change);
      expect((await changeAccount(app, { quotas: { answers: null, media_hours: 1 } })).quotas).toEqual({
        searches: 5_000_000,
        media_hours: 1,
      });
      await expect(changeAccount(app, { serviceEndsAt: 1000 })).rejects.toThrow('must end after it begins');
      const without = { currency: null, serviceStartsAt: null, serviceEndsAt: null };
      expect(await changeAccount(app, without)).toMatchObject(without);
    } finally {
      await app.stop();
    }
  });

  it('is created by the first start', async () => {
    const app = await testApp();
    try {
      await expect(readAccount(app)).rejects.toThrow('the first start of the program creates it');
      await expect(changeAccount(app, { timeZone: 'UTC' })).rejects.toThrow(
        'the first start of the program creates it',
      );
    } finally {
      await app.stop();
    }
  });
});
