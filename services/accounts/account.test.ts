import { changeAccount, readAccount } from './account.ts';
import { keyAccess } from './access.ts';
import { hashKey } from './keys.ts';
import { startedHouse, testHouse } from './testing/house.ts';

describe('the account of the deployment', () => {
  it('has a time zone that is set to one that there is', async () => {
    const { house, first } = await startedHouse();
    try {
      const before = { accountId: first.accountId, organizationId: first.organizationId, plan: null, features: null, limits: null, timeZone: 'UTC', createdAt: expect.any(Number) };
      expect(await readAccount(house)).toEqual(before);
      expect(await changeAccount(house, { timeZone: 'europe/berlin' })).toEqual({ ...before, timeZone: 'Europe/Berlin' });
      await expect(changeAccount(house, { timeZone: 'Europe/Atlantis' })).rejects.toThrow('Europe/Atlantis is no IANA time zone');
      expect(await changeAccount(house, {})).toEqual({ ...before, timeZone: 'Europe/Berlin' });
      expect(await readAccount(house)).toEqual({ ...before, timeZone: 'Europe/Berlin' });
    } finally {
      await house.stop();
    }
  });

  it('has a plan of the file, with its features and limits, and none again', async () => {
    const { house, first } = await startedHouse({ PLY_PLANS_FILE: 'plans/examples.json' });
    try {
      expect(await changeAccount(house, { plan: 'starter' })).toMatchObject({ plan: 'starter', features: ['metadata', 'collections', 'suggestions'], limits: { requestsPerMinute: 600, storageRequestsPerMinute: 600 }, timeZone: 'UTC' });
      expect(await keyAccess(house, hashKey(first.standardKey))).toMatchObject({ features: ['metadata', 'collections', 'suggestions'], limits: { requests: 600, search: 120, registrations: 120 } });
      await expect(changeAccount(house, { plan: 'platinum' })).rejects.toThrow('there is no plan platinum');
      expect(await changeAccount(house, { plan: null })).toMatchObject({ plan: null, features: null, limits: null });
      expect(await keyAccess(house, hashKey(first.standardKey))).toMatchObject({ features: null, limits: { requests: 60_000 } });
    } finally {
      await house.stop();
    }
  });

  it('is made at the first start', async () => {
    const house = await testHouse();
    try {
      await expect(readAccount(house)).rejects.toThrow('at the first start');
      await expect(changeAccount(house, { timeZone: 'UTC' })).rejects.toThrow('at the first start');
    } finally {
      await house.stop();
    }
  });
});
