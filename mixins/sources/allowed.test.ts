import type { GuardedClient } from '../guarded-client/client.ts';
import { readConfiguration } from '../../models/configuration/configuration.ts';
import { scopeOf } from '../../models/scope.ts';
import { settingsRows } from '../../models/settings.ts';
import { testHouse, type TestHouse } from '../../test/support/house.ts';
import { forgetSettings } from '../settings/settings.ts';
import { allowedClient } from './allowed.ts';

describe('reading for an organization', () => {
  let test: TestHouse;
  const asked: string[] = [];
  const outside: GuardedClient = {
    request: async (address) => {
      asked.push(String(address));
      return { status: 200, header: () => null, body: (async function* () {})(), discard: () => undefined };
    },
    close: () => Promise.resolve(),
  };
  beforeAll(async () => {
    test = await testHouse();
  });
  afterAll(() => test.close());

  async function allow(sourceHosts: string[]): Promise<void> {
    await test.house.records.collection(settingsRows, scopeOf('organization')).put({
      _id: 'organization', organizationId: 'organization', sourceHosts, callbackUrl: null, sealedCallbackSecret: null, dailyAudioHours: null, requireAcl: null,
      extractContentFromVideoFrames: null, searchLogDays: null, videoDefaults: { ladder: null, keepOriginal: null, download: null, thumbnails: null }, createdAt: 0, updatedAt: 0,
    });
    forgetSettings(test.house);
  }

  it('asks hosts that its settings and the ceiling allow, looking at each request', async () => {
    const ceiling = { ...test.house, configuration: readConfiguration({ PLY_ALLOWED_HOST_CEILING: '*.example.com,one.test' }) };
    const client = allowedClient(outside, ceiling, 'organization');
    const outcome = async (address: string): Promise<string> => {
      asked.length = 0;
      try {
        await client.request(address, { maxBytes: 1 });
        return asked.join();
      } catch (error) {
        expect(error).toMatchObject({ name: 'SourceFailure', code: 'source_host_not_allowed', outcome: 'definite' });
        expect(asked).toEqual([]);
        return 'refused';
      }
    };
    expect(await outcome('https://a.example.com/x')).toBe('https://a.example.com/x');
    expect(await outcome('https://one.test/x')).toBe('https://one.test/x');
    expect(await outcome('https://other.test/x')).toBe('refused');
    await allow(['*.deep.example.com', 'other.test']);
    expect(await outcome('https://a.DEEP.example.com/x')).toBe('https://a.DEEP.example.com/x');
    expect(await outcome('https://a.example.com/x')).toBe('refused');
    // A setting is no way out of the ceiling that the deployment was given since.
    expect(await outcome('https://other.test/x')).toBe('refused');
    await allow([]);
    expect(await outcome('https://a.example.com/x')).toBe('https://a.example.com/x');
  });
});
