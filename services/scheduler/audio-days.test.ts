import { admitRecording } from '../../mixins/audio-day/audio-day.ts';
import type { House } from '../../mixins/house.ts';
import { newRun } from '../../mixins/runs/transitions.ts';
import { forgetSettings } from '../../mixins/settings/settings.ts';
import { assets as assetsDefinition, type Asset, type Kind } from '../../models/asset.ts';
import { audioDays } from '../../models/audio-day.ts';
import type { Collection } from '../../adapters/records/port.ts';
import { accounts } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { settingsRows } from '../../models/settings.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testHouse, type TestHouse } from '../../test/support/house.ts';
import { AudioDays } from './audio-days.ts';
import { Dispatcher } from './dispatcher.ts';

const hour = 3_600_000;

describe('recordings beyond dailyAudioHours', () => {
  let test: TestHouse;
  let assets: Collection<Asset>;
  let house: House;
  let dispatcher: Dispatcher;
  let days: AudioDays;
  beforeEach(async () => {
    test = await testHouse();
    // As in a cluster, where each dispatch is written down.
    house = { ...test.house, queue: { ...test.house.queue, outstanding: () => null } };
    assets = house.records.collection(assetsDefinition, systemScope);
    await house.records.collection(accounts, systemScope).insert({ _id: 'account', organizationId: 'capped', plan: null, timeZone: 'UTC', createdAt: 0 });
    dispatcher = new Dispatcher(house, assets, 'extracting', () => 4);
    days = new AudioDays(house, assets);
  });
  afterEach(() => test.close());

  async function allow(dailyAudioHours: number | null): Promise<void> {
    await house.records.collection(settingsRows, scopeOf('capped')).put({
      _id: 'capped', organizationId: 'capped', sourceHosts: null, callbackUrl: null, sealedCallbackSecret: null, dailyAudioHours, requireAcl: null,
      extractContentFromVideoFrames: null, searchLogDays: null, videoDefaults: { ladder: null, keepOriginal: null, download: null, thumbnails: null }, createdAt: 0, updatedAt: 0,
    });
    forgetSettings(house);
  }

  const waiting = (organizationId: string, place: number, kind: Kind): Asset =>
    testAsset({ _id: `${organizationId}-${place}`, organizationId, accountId: 'account', kind, run: newRun(`job-${organizationId}-${place}`, 1, place) });
  const inPhase = async (phase: string): Promise<string[]> => (await assets.find({ filter: { 'run.phase': phase }, sort: [['run.queuedAt', 1]], limit: 1000 })).map(({ _id }) => _id);
  /** Rounds as the pacer makes them. */
  async function rounds(): Promise<void> {
    while ((await dispatcher.roundForMore()) > 0);
  }

  it('wait where they are, in nobody\'s way, and keep their order', async () => {
    await allow(1);
    await admitRecording(house, waiting('capped', 0, 'audio'), hour);
    const recordings = Array.from({ length: 450 }, (_, at) => waiting('capped', at + 1, at % 2 === 0 ? 'audio' : 'video'));
    await assets.insertNew([...recordings, waiting('capped', 451, 'document'), waiting('other', 500, 'audio')]);
    await rounds();
    expect(await inPhase('dispatched')).toEqual(['capped-451', 'other-500']);
    expect(await inPhase('held')).toEqual(recordings.map(({ _id }) => _id));
    expect((await assets.get('capped-7'))?.run).toMatchObject({ state: 'queued', attempt: 1, errorCode: null, dueAt: null, queuedAt: 7 });
    expect(await days.release()).toBe(0);

    // More is allowed: the oldest go first.
    await allow(2);
    expect(await days.release()).toBe(200);
    expect(await inPhase('waiting')).toEqual(recordings.slice(0, 200).map(({ _id }) => _id));
    expect(await dispatcher.round()).toBe(6);
    expect((await inPhase('dispatched')).slice(0, 6)).toEqual(recordings.slice(0, 6).map(({ _id }) => _id));
  });

  it('are let go with the next day, and what was counted long ago is removed', async () => {
    await allow(1);
    await admitRecording(house, waiting('capped', 0, 'audio'), hour);
    await assets.insertNew([waiting('capped', 1, 'audio')]);
    await rounds();
    expect(await inPhase('held')).toEqual(['capped-1']);
    test.ahead.local += 24 * hour;
    expect(await days.release()).toBe(1);
    await rounds();
    expect(await inPhase('dispatched')).toEqual(['capped-1']);
    expect(await house.records.collection(audioDays, systemScope).count({})).toBe(1);
    test.ahead.local += 4 * 24 * hour;
    await days.release();
    expect(await house.records.collection(audioDays, systemScope).count({})).toBe(0);
  });
});
