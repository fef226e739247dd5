import { testApp, type TestApp } from '../../test/support/app.ts';
import { organizations } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { emptySettings, settingsRows, type SettingsRow } from '../../models/settings.ts';
import { deploymentSettings, settingsOf } from './settings.ts';

const row = (organizationId: string, fields: Partial<SettingsRow> = {}): SettingsRow => ({
  ...emptySettings(organizationId, 0),
  ...fields,
});

describe('the effective settings', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await testApp();
    const organization = {
      accountId: 'account',
      name: 'x',
      contactEmail: null,
      description: null,
      isActive: true,
      metadata: null,
      createdAt: 0,
      updatedAt: 0,
    };
    await test.app.records.collection(organizations, systemScope).insertNew([
      { ...organization, _id: 'parent', parentId: null },
      { ...organization, _id: 'child', parentId: 'parent' },
    ]);
  });
  afterAll(() => test.close());

  /** Writes a row as another process would, through a second connection. */
  async function writeElsewhere(settings: SettingsRow): Promise<void> {
    const { records } = test.app;
    await { ...records }.collection(settingsRows, scopeOf(settings.organizationId)).put(settings);
  }

  it('are those that any process wrote last, including inherited ones', async () => {
    const daysOf = async (organizationId: string): Promise<number> =>
      (await settingsOf(test.app, organizationId)).searchLogDays;
    expect(await settingsOf(test.app, 'child')).toEqual(deploymentSettings);
    await writeElsewhere(row('parent', { searchLogDays: 7 }));
    expect([await daysOf('child'), await daysOf('parent')]).toEqual([7, 7]);
    await writeElsewhere(row('child', { searchLogDays: 0 }));
    expect([await daysOf('child'), await daysOf('parent')]).toEqual([0, 7]);
    await writeElsewhere(row('child'));
    await writeElsewhere(row('parent', { searchLogDays: 8 }));
    expect([await daysOf('child'), await daysOf('parent')]).toEqual([8, 8]);
  });
});
