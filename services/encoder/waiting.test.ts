import { Metrics } from '../../mixins/metrics.ts';
import { systemScope } from '../../models/scope.ts';
import { videos, type EncodingPlan } from '../../models/video.ts';
import { queuedRun } from '../../models/work.ts';
import { testApp } from '../../test/support/app.ts';
import { testVideo } from '../../test/support/video.ts';
import { measureWaiting } from './waiting.ts';

it('what waits for encoders is measured by stage, in videos, minutes of film and time', async () => {
  const test = await testApp();
  try {
    const { records, runtime } = test.app;
    const metrics = new Metrics();
    const now = runtime.now();
    const all = records.collection(videos, systemScope);
    const waiting = (id: string, stage: 'encoding_first' | 'encoding_rest', agoMs: number, seconds: number | null) => {
      const plan = seconds === null ? {} : { plan: { durationSeconds: seconds } as EncodingPlan };
      return all.insert(testVideo({ _id: id, ...plan, run: { ...queuedRun(id, stage, now - agoMs), stage } }));
    };
    await waiting('new', 'encoding_first', 1000, null);
    await waiting('begun', 'encoding_first', 90_000, 600);
    await waiting('other', 'encoding_rest', 5000, 60);
    await all.insert(testVideo({ _id: 'ready' }));
    await measureWaiting({ records, runtime, metrics });
    const value = async (name: string, stage: string): Promise<number | undefined> => {
      const metric = await metrics.registry.getSingleMetric(name)?.get();
      return metric?.values.find(({ labels }) => labels['stage'] === stage)?.value;
    };
    expect(await value('ply_videos_waiting', 'encoding_first')).toBe(2);
    expect(await value('ply_videos_waiting', 'encoding_rest')).toBe(1);
    expect(await value('ply_videos_waiting_film_seconds', 'encoding_first')).toBe(900);
    expect(await value('ply_videos_waiting_film_seconds', 'encoding_rest')).toBe(60);
    expect(await value('ply_videos_oldest_waiting_seconds', 'encoding_first')).toBeGreaterThanOrEqual(90);
  } finally {
    await test.close();
  }
});
