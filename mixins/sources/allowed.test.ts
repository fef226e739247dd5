import { readConfiguration } from '../../models/configuration/configuration.ts';
import { scopeOf } from '../../models/scope.ts';
import { emptySettings, settingsRows } from '../../models/settings.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { checkAllowed } from './allowed.ts';

describe('reading for an organization', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await testApp();
  });
  afterAll(() => test.close());

  async function allow(sourceHosts: string[]): Promise<void> {
    await test.app.records.collection(settingsRows, scopeOf('organization')).put({
      ...emptySettings('organization', 0),
      sourceHosts,
    });
  }

  it('is allowed from hosts within its current settings and the ceiling', async () => {
    const app = {
      ...test.app,
      configuration: readConfiguration({ PLY_ALLOWED_HOST_CEILING: '*.example.com,one.test' }),
    };
    const isAllowed = async (address: string): Promise<boolean> => {
      try {
        await checkAllowed(app, 'organization', address);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ name: 'SourceFailure', code: 'source_host_not_allowed', outcome: 'definite' });
        return false;
      }
    };
    expect(await isAllowed('https://a.example.com/x')).toBe(true);
    expect(await isAllowed('https://one.test/x')).toBe(true);
    expect(await isAllowed('https://other.test/x')).toBe(false);
    await allow(['*.deep.example.com', 'other.test']);
    expect(await isAllowed('https://a.DEEP.example.com/x')).toBe(true);
    expect(await isAllowed('https://a.example.com/x')).toBe(false);
    // A setting that was made before the ceiling does not bypass it.
    expect(await isAllowed('https://other.test/x')).toBe(false);
    await allow([]);
    expect(await isAllowed('https://a.example.com/x')).toBe(true);
  });
});
