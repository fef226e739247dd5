import type { Records } from '../../adapters/records/port.ts';
import { testHouse, type TestHouse } from '../../test/support/house.ts';
import { organizations } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { deploymentSettings, settingsRows, type SettingsRow } from '../../models/settings.ts';
import { forgetSettings, settingsOf } from './settings.ts';

const row = (organizationId: string, fields: Partial<SettingsRow> = {}): SettingsRow => ({
  _id: organizationId, organizationId, sourceHosts: null, callbackUrl: null, sealedCallbackSecret: null, dailyAudioHours: null, requireAcl: null, extractContentFromVideoFrames: null,
  searchLogDays: null, videoDefaults: { ladder: null, keepOriginal: null, download: null, thumbnails: null }, createdAt: 0, updatedAt: 0, ...fields,
});

describe('what is remembered of settings', () => {
  let test: TestHouse;
  beforeAll(async () => {
    test = await testHouse();
    const house = test.house.records.collection(organizations, systemScope);
    const organization = { accountId: 'account', name: 'x', contactEmail: null, description: null, isActive: true, metadata: null, createdAt: 0, updatedAt: 0 };
    await house.insertNew([{ ...organization, _id: 'parent', parentId: null }, { ...organization, _id: 'child', parentId: 'parent' }]);
  });
  afterAll(() => test.close());
  const write = (settings: SettingsRow): Promise<void> => test.house.records.collection(settingsRows, scopeOf(settings.organizationId)).put(settings);

  it('is asked again after a second, so that a change elsewhere holds', async () => {
    expect(await settingsOf(test.house, 'child')).toEqual(deploymentSettings);
    await write(row('parent', { searchLogDays: 7 }));
    expect((await settingsOf(test.house, 'child')).searchLogDays).toBe(90);
    test.ahead.local += 1001;
    expect((await settingsOf(test.house, 'child')).searchLogDays).toBe(7);
    await write(row('child', { searchLogDays: 0 }));
    // A clock that was set back keeps nothing alive.
    test.ahead.local -= 3600_000;
    expect((await settingsOf(test.house, 'child')).searchLogDays).toBe(0);
    test.ahead.local += 3600_000;
  });

  it('is forgotten at once after a change here, also of those who inherit', async () => {
    await write(row('child'));
    await write(row('parent', { searchLogDays: 8 }));
    forgetSettings(test.house);
    expect((await settingsOf(test.house, 'child')).searchLogDays).toBe(8);
    const before = settingsOf(test.house, 'child');
    await write(row('parent', { searchLogDays: 9 }));
    forgetSettings(test.house);
    expect((await settingsOf(test.house, 'child')).searchLogDays).toBe(9);
    expect((await before).searchLogDays).toBe(8);
  });

  it('is read once by those who ask together, and a failure is not remembered', async () => {
    let reads = 0;
    let isAway = true;
    const { records, ambient } = test.house;
    const counting: Records = { ...records, collection: (definition, scope) => {
      if (definition.name === organizations.name) reads += 1;
      if (isAway) throw new Error('away');
      return records.collection(definition, scope);
    } };
    const house = { records: counting, ambient };
    await expect(settingsOf(house, 'child')).rejects.toThrow('away');
    isAway = false;
    reads = 0;
    await Promise.all(Array.from({ length: 50 }, () => settingsOf(house, 'child')));
    expect(reads).toBe(1);
  });
});
