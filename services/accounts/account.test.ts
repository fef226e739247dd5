import { changeAccount, readAccount } from './account.ts';
import { startedHouse, testHouse } from './testing/house.ts';

describe('the account of the deployment', () => {
  it('has a time zone that is set to one that there is', async () => {
    const { house, first } = await startedHouse();
    try {
      const before = { accountId: first.accountId, organizationId: first.organizationId, plan: null, features: null, timeZone: 'UTC', createdAt: expect.any(Number) };
      expect(await readAccount(house)).toEqual(before);
      expect(await changeAccount(house, { timeZone: 'europe/berlin' })).toEqual({ ...before, timeZone: 'Europe/Berlin' });
      await expect(changeAccount(house, { timeZone: 'Europe/Atlantis' })).rejects.toThrow('Europe/Atlantis is no IANA time zone');
      expect(await changeAccount(house, {})).toEqual({ ...before, timeZone: 'Europe/Berlin' });
      expect(await readAccount(house)).toEqual({ ...before, timeZone: 'Europe/Berlin' });
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
