import { testHouse, type TestHouse } from '../../test/support/house.ts';
import { testAsset } from '../../test/support/asset.ts';
import { newRun } from '../runs/transitions.ts';
import type { Asset } from '../../models/asset.ts';
import { audioDays } from '../../models/audio-day.ts';
import { accounts } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { settingsRows } from '../../models/settings.ts';
import { forgetSettings } from '../settings/settings.ts';
import { admitRecording, correctLength, isDayFull } from './audio-day.ts';

const hour = 3_600_000;

describe("a day's recordings of an organization", () => {
  let test: TestHouse;
  beforeEach(async () => {
    test = await testHouse();
    await test.house.records.collection(accounts, systemScope).insert({ _id: 'account', organizationId: 'organization', plan: null, timeZone: 'Pacific/Auckland', createdAt: 0 });
    // Half past eleven in the morning in Auckland, on the day after that of UTC.
    test.ahead.local = Date.parse('2026-07-01T23:30:00Z') - Date.now();
  });
  afterEach(() => test.close());

  async function allow(dailyAudioHours: number | null): Promise<void> {
    await test.house.records.collection(settingsRows, scopeOf('organization')).put({
      _id: 'organization', organizationId: 'organization', sourceHosts: null, callbackUrl: null, sealedCallbackSecret: null, dailyAudioHours, requireAcl: null,
      extractContentFromVideoFrames: null, searchLogDays: null, videoDefaults: { ladder: null, keepOriginal: null, download: null, thumbnails: null }, createdAt: 0, updatedAt: 0,
    });
    forgetSettings(test.house);
  }
  const asset = (name: string): Asset => testAsset({ _id: name, organizationId: 'organization', accountId: 'account', kind: 'audio', run: newRun(`9c1-${name}`, 1, 0) });
  const counted = async (): Promise<number[]> => (await test.house.records.collection(audioDays, scopeOf('organization')).find({ filter: {}, sort: [['day', 1]], limit: 10 })).map(({ milliseconds }) => milliseconds);

  it('are counted without a cap too, each once', async () => {
    for (const name of ['a', 'b', 'a', 'a']) expect(await admitRecording(test.house, asset(name), hour)).toMatchObject({ milliseconds: hour });
    expect(await counted()).toEqual([2 * hour]);
    expect(await isDayFull(test.house, asset('c'))).toBe(false);
    // What was counted before the cap was set counts under it.
    await allow(2);
    expect(await admitRecording(test.house, asset('c'), 1)).toBeNull();
    expect(await isDayFull(test.house, asset('c'))).toBe(true);
    expect(await admitRecording(test.house, asset('a'), hour)).not.toBeNull();
    await allow(2.5);
    expect(await isDayFull(test.house, asset('c'))).toBe(false);
  });

  it('begin up to the cap and no further, however many ask at once', async () => {
    await allow(2.5);
    const admitted = await Promise.all(Array.from({ length: 30 }, (_, at) => admitRecording(test.house, asset(`r${at}`), hour)));
    expect(admitted.filter((admission) => admission !== null)).toHaveLength(3);
    expect(await counted()).toEqual([3 * hour]);
    await allow(0);
    test.ahead.local += 24 * hour;
    expect(await admitRecording(test.house, asset('none'), 1)).toBeNull();
  });

  it("begin again with the next day of the account's time zone", async () => {
    await allow(1);
    expect(await admitRecording(test.house, asset('a'), hour)).not.toBeNull();
    // Past the midnight of UTC, shortly before that of Auckland, and shortly after it.
    for (const [passed, isFull] of [[1, true], [11, true], [1, false]] as const) {
      test.ahead.local += passed * hour;
      expect([passed, await isDayFull(test.house, asset('b'))]).toEqual([passed, isFull]);
    }
    expect(await admitRecording(test.house, asset('b'), 2 * hour)).not.toBeNull();
    expect(await counted()).toEqual([hour, 2 * hour]);
  });

  it('count with their true length once it is known', async () => {
    await allow(1);
    const admission = await admitRecording(test.house, asset('a'), 0);
    if (admission === null) throw new Error('it was refused');
    for (let again = 0; again < 2; again += 1) await correctLength(test.house, asset('a'), admission, 2 * hour);
    expect(await counted()).toEqual([2 * hour]);
    expect(await admitRecording(test.house, asset('a'), 0)).toEqual({ ...admission, milliseconds: 2 * hour });
    expect(await admitRecording(test.house, asset('b'), 0)).toBeNull();
  });
});
