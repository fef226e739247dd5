import { admitRecording } from '../../mixins/audio-day/audio-day.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { newRun } from '../../mixins/indexing/runs.ts';
import { assets as assetsDefinition, type Asset, type Kind } from '../../models/asset.ts';
import { audioDays } from '../../models/audio-day.ts';
import type { Collection } from '../../adapters/records/port.ts';
import { accounts } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { emptySettings, settingsRows } from '../../models/settings.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { AudioDays } from './audio-days.ts';
import { Dispatcher } from '../../mixins/work/dispatcher.ts';

const hour = 3_600_000;

describe('recordings beyond dailyAudioHours', () => {
  let test: TestApp;
  let assets: Collection<Asset>;
  let app: AppContext;
  let dispatcher: Dispatcher<Asset>;
  let days: AudioDays;
  beforeEach(async () => {
    test = await testApp();
    // As in a cluster, where each dispatch is written down.
    app = { ...test.app, queue: { ...test.app.queue, outstanding: () => null } };
    assets = app.records.collection(assetsDefinition, systemScope);
    await app.records
      .collection(accounts, systemScope)
      .insert({ _id: 'account', organizationId: 'capped', plan: null, timeZone: 'UTC', createdAt: 0 });
    days = new AudioDays(app);
    dispatcher = new Dispatcher(
      app,
      { collection: assetsDefinition },
      { stage: 'extracting', slots: () => 4, admit: (waiting) => days.admit(waiting) },
    );
  });
  afterEach(() => test.close());

  async function allow(dailyAudioHours: number | null): Promise<void> {
    await app.records.collection(settingsRows, scopeOf('capped')).put({
      ...emptySettings('capped', 0),
      dailyAudioHours,
    });
  }

  const waiting = (organizationId: string, place: number, kind: Kind): Asset =>
    testAsset({
      _id: `${organizationId}-${place}`,
      organizationId,
      accountId: 'account',
      kind,
      run: newRun(`job-${organizationId}-${place}`, 1, place),
    });
  const inPhase = async (phase: string): Promise<string[]> =>
    (await assets.find({ filter: { 'run.phase': phase }, sort: [['run.queuedAt', 1]], limit: 1000 })).map(
      ({ _id }) => _id,
    );
  /** Rounds as the poll loop makes them. */
  async function rounds(): Promise<void> {
    while ((await dispatcher.roundForMore()) > 0);
  }

  it('wait in order, without delaying others', async () => {
    await allow(1);
    await admitRecording(app, waiting('capped', 0, 'audio'), hour);
    const recordings = Array.from({ length: 450 }, (_, at) =>
      waiting('capped', at + 1, at % 2 === 0 ? 'audio' : 'video'),
    );
    await assets.insertNew([...recordings, waiting('capped', 451, 'document'), waiting('other', 500, 'audio')]);
    await rounds();
    expect(await inPhase('dispatched')).toEqual(['capped-451', 'other-500']);
    expect(await inPhase('held')).toEqual(recordings.map(({ _id }) => _id));
    expect((await assets.get('capped-7'))?.run).toMatchObject({
      state: 'queued',
      attempt: 1,
      errorCode: null,
      dueAt: null,
      queuedAt: 7,
    });
    expect(await days.release()).toBe(0);

    // More is allowed: the oldest go first.
    await allow(2);
    expect(await days.release()).toBe(200);
    expect(await inPhase('waiting')).toEqual(recordings.slice(0, 200).map(({ _id }) => _id));
    expect(await dispatcher.round()).toBe(6);
    expect((await inPhase('dispatched')).slice(0, 6)).toEqual(recordings.slice(0, 6).map(({ _id }) => _id));
  });

  it('start on the next day, and old counts are removed', async () => {
    await allow(1);
    await admitRecording(app, waiting('capped', 0, 'audio'), hour);
    await assets.insertNew([waiting('capped', 1, 'audio')]);
    await rounds();
    expect(await inPhase('held')).toEqual(['capped-1']);
    test.ahead.local += 24 * hour;
    expect(await days.release()).toBe(1);
    await rounds();
    expect(await inPhase('dispatched')).toEqual(['capped-1']);
    expect(await app.records.collection(audioDays, systemScope).count({})).toBe(1);
    test.ahead.local += 4 * 24 * hour;
    await days.release();
    expect(await app.records.collection(audioDays, systemScope).count({})).toBe(0);
  });
});
