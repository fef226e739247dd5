import type { AppContext } from '../../mixins/app-context.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { oldestQueued } from '../../mixins/work/oldest-queued.ts';
import { systemScope } from '../../models/scope.ts';
import { videos } from '../../models/video.ts';

const everyMs = 15_000;
/** Videos of a stage whose length is added up: where more wait, the figure is high enough. */
const maxVideos = 2000;
/** What a video counts whose source was not probed yet, in seconds. */
const unknownSeconds = 300;

type Context = Pick<AppContext, 'records' | 'metrics' | 'runtime'>;

/** The intake that measures what waits for encoders: any of them reports the same. */
export function waitingMeasured(app: Context & Pick<AppContext, 'log'>): Intake {
  return periodicIntake({
    name: 'measuring videos',
    everyMs,
    firstMs: 0,
    round: () => measureWaiting(app),
    failed: (error) => app.log.warn({ err: error }, 'measuring videos failed, will retry'),
  });
}

/** Counts the videos that wait for each stage and their length, for the metrics. */
export async function measureWaiting({ records, metrics, runtime }: Context): Promise<void> {
  const all = records.collection(videos, systemScope);
  for (const stage of ['encoding_first', 'encoding_rest']) {
    const waiting = { 'run.phase': { $in: ['waiting', 'dispatched'] }, 'run.stage': stage };
    metrics.videosWaiting.set({ stage }, await all.count(waiting));
    const lengths = await all.pick({ filter: waiting, limit: maxVideos }, ['plan.durationSeconds']);
    const seconds = lengths.reduce((sum, [length]) => sum + (typeof length === 'number' ? length : unknownSeconds), 0);
    metrics.filmWaiting.set({ stage }, seconds);
    const oldest = await oldestQueued(all, stage);
    metrics.videosOldestWaiting.set({ stage }, oldest === null ? 0 : Math.max(0, runtime.now() - oldest) / 1000);
  }
}
