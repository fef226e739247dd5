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

  it('gets a plan of the file with its features and limits, and can be set to no plan again', async () => {
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
      expect(await changeAccount(app, { plan: null })).toMatchObject({ plan: null, features: null, limits: null });
      expect(await keyAccess(app, hashKey(first.standardKey))).toMatchObject({
        features: null,
        limits: { requests: 60_000 },
      });
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
