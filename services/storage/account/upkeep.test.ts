import type { Caller } from '../../../models/api.ts';
import { readRegions } from '../../../models/region.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import type { Storage } from '../tools.ts';
import { changeStorageAccount, createStorageAccount, readStorageAccount } from './account.ts';
import { lookForHostnames } from './upkeep.ts';

const caller: Caller = {
  accountId: 'account',
  organizationId: 'organization',
  keyId: 'key',
  keyPrefix: 'p',
  keyLabel: '',
  keyScope: 'admin',
  requestId: 'r',
};
const hourMs = 3_600_000;

describe('the hostname of an account', () => {
  let test: TestApp;
  let storage: Storage;
  const asked: string[] = [];
  let addresses: string[] | null;
  const dns = {
    addresses: (name: string) => {
      asked.push(name);
      return Promise.resolve(addresses);
    },
  };
  beforeEach(async () => {
    test = await testApp();
    addresses = [];
    asked.length = 0;
    const regions = await readRegions(test.app.configuration);
    storage = {
      app: {
        ...test.app,
        configuration: { ...test.app.configuration, PLY_REGIONS_FILE: 'regions.json' },
      },
      actions: { call: () => Promise.reject(new Error('no actor is called')) },
      regions: regions.map((region) => ({
        ...region,
        endpoints: { ...region.endpoints, blobGlobal: 'https://{account}.blob.example.com' },
      })),
      wakeUp: () => undefined,
    };
  });
  afterEach(() => test.close());
  const state = async (): Promise<string> => (await readStorageAccount(storage, caller)).dnsState;

  it('is pending until the DNS has it', async () => {
    expect(await createStorageAccount(storage, caller, { name: 'acme', homeRegion: 'in-west' })).toMatchObject({
      blobEndpoint: 'https://acme.blob.example.com',
      dnsState: 'pending',
    });
    await lookForHostnames(storage, dns);
    expect([asked, await state()]).toEqual([['acme.blob.example.com'], 'pending']);
    // Not looked up again within a minute.
    expect(await lookForHostnames(storage, dns)).toBe(0);
    addresses = ['192.0.2.1'];
    test.ahead.local += hourMs;
    await lookForHostnames(storage, dns);
    expect(await state()).toBe('active');
    expect(await lookForHostnames(storage, dns)).toBe(0);
  });

  it('fails after 72 hours, and is looked for again after a change', async () => {
    await createStorageAccount(storage, caller, { name: 'acme', homeRegion: 'in-west' });
    addresses = null;
    test.ahead.local += 71 * hourMs;
    await lookForHostnames(storage, dns);
    expect(await state()).toBe('pending');
    test.ahead.local += 2 * hourMs;
    await lookForHostnames(storage, dns);
    expect(await state()).toBe('failed');
    await changeStorageAccount(storage, caller, {});
    expect(await state()).toBe('failed');
    await changeStorageAccount(storage, caller, { homeRegion: 'in-west' });
    expect(await state()).toBe('pending');
  });
});
