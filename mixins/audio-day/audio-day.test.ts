import { testApp, type TestApp } from '../../test/support/app.ts';
import { testAsset } from '../../test/support/asset.ts';
import { newRun } from '../indexing/runs.ts';
import type { Asset } from '../../models/asset.ts';
import { audioDays, maxJobsOfDay } from '../../models/audio-day.ts';
import { accounts } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { emptySettings, settingsRows } from '../../models/settings.ts';
import { admitRecording, correctLength, isDayFull } from './audio-day.ts';

const hour = 3_600_000;

describe("a day's recordings of an organization", () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await testApp();
    await test.app.records.collection(accounts, systemScope).insert({
      _id: 'account',
      organizationId: 'organization',
      plan: null,
      timeZone: 'Pacific/Auckland',
      createdAt: 0,
    });
    // Half past eleven in the morning in Auckland, on the day after that of UTC.
    test.ahead.local = Date.parse('2026-07-01T23:30:00Z') - Date.now();
  });
  afterEach(() => test.close());

  async function allow(dailyAudioHours: number | null): Promise<void> {
    await test.app.records.collection(settingsRows, scopeOf('organization')).put({
      ...emptySettings('organization', 0),
      dailyAudioHours,
    });
  }
  const asset = (name: string): Asset =>
    testAsset({
      _id: name,
      organizationId: 'organization',
      accountId: 'account',
      kind: 'audio',
      run: newRun(`9c1-${name}`, 1, 0),
    });
  const counted = async (): Promise<number[]> =>
    (
      await test.app.records
        .collection(audioDays, scopeOf('organization'))
        .find({ filter: {}, sort: [['day', 1]], limit: 10 })
    ).map(({ milliseconds }) => milliseconds);

  it('are counted once each, also without a cap', async () => {
    for (const name of ['a', 'b', 'a', 'a'])
      expect(await admitRecording(test.app, asset(name), hour)).toMatchObject({ milliseconds: hour });
    expect(await counted()).toEqual([2 * hour]);
    expect(await isDayFull(test.app, asset('c'))).toBe(false);
    // A cap includes recordings from before it was set.
    await allow(2);
    expect(await admitRecording(test.app, asset('c'), 1)).toBeNull();
    expect(await isDayFull(test.app, asset('c'))).toBe(true);
    expect(await admitRecording(test.app, asset('a'), hour)).not.toBeNull();
    await allow(2.5);
    expect(await isDayFull(test.app, asset('c'))).toBe(false);
  });

  it('are counted in a document of bounded size, also in one of an earlier version', async () => {
    await allow(10);
    const days = test.app.records.collection(audioDays, scopeOf('organization'));
    await admitRecording(test.app, asset('a'), hour);
    const [made] = await days.find({ filter: {}, limit: 1 });
    if (made === undefined) throw new Error('nothing was counted');
    const jobs = Object.fromEntries(Array.from({ length: maxJobsOfDay - 1 }, (_, at) => [`j${at}`, 0]));
    const { jobCount: _absent, ...earlier } = { ...made, jobs };
    await days.put(earlier);
    for (const name of ['b', 'b', 'c', 'd'])
      expect(await admitRecording(test.app, asset(name), hour)).toMatchObject({ milliseconds: hour });
    const full = await days.get(made._id);
    expect(Object.keys(full?.jobs ?? {})).toHaveLength(maxJobsOfDay);
    expect(await counted()).toEqual([4 * hour]);
  });

  it('start only up to the cap, also concurrently', async () => {
    await allow(2.5);
    const admitted = await Promise.all(
      Array.from({ length: 30 }, (_, at) => admitRecording(test.app, asset(`r${at}`), hour)),
    );
    expect(admitted.filter((admission) => admission !== null)).toHaveLength(3);
    expect(await counted()).toEqual([3 * hour]);
    await allow(0);
    test.ahead.local += 24 * hour;
    expect(await admitRecording(test.app, asset('none'), 1)).toBeNull();
  });

  it("begin again with the next day of the account's time zone", async () => {
    await allow(1);
    expect(await admitRecording(test.app, asset('a'), hour)).not.toBeNull();
    // Past the midnight of UTC, shortly before that of Auckland, and shortly after it.
    for (const [passed, isFull] of [
      [1, true],
      [11, true],
      [1, false],
    ] as const) {
      test.ahead.local += passed * hour;
      expect([passed, await isDayFull(test.app, asset('b'))]).toEqual([passed, isFull]);
    }
    expect(await admitRecording(test.app, asset('b'), 2 * hour)).not.toBeNull();
    expect(await counted()).toEqual([hour, 2 * hour]);
  });

  it('count with their actual length once it is known', async () => {
    await allow(1);
    const admission = await admitRecording(test.app, asset('a'), 0);
    if (admission === null) throw new Error('it was refused');
    for (let again = 0; again < 2; again += 1) await correctLength(test.app, asset('a'), admission, 2 * hour);
    expect(await counted()).toEqual([2 * hour]);
    expect(await admitRecording(test.app, asset('a'), 0)).toEqual({ ...admission, milliseconds: 2 * hour });
    expect(await admitRecording(test.app, asset('b'), 0)).toBeNull();
  });
});
