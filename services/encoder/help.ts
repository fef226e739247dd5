import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { systemScope } from '../../models/scope.ts';
import { videos, type Video } from '../../models/video.ts';
import type { EncoderTools } from './begin-encoding.ts';
import { VideoFiles } from './files.ts';
import { encodeRenditions } from './renditions.ts';
import { SharedRuns } from './shared-runs.ts';

const everyMs = 2000;
/** Videos in work that are looked at in a round. */
const maxVideos = 20;

/**
 * Lets an encoder that has nothing to do make runs of a video that another one works on. It ends as soon as a video
 * waits for its turn.
 * @param isIdle whether this process has no video of its own
 */
export function helper(tools: EncoderTools, isIdle: () => boolean): Intake {
  const { app } = tools;
  const stopping = new AbortController();
  const all = app.records.collection(videos, systemScope);
  const stages = { $in: ['encoding_first', 'encoding_rest'] };
  const hasTime = async (): Promise<boolean> =>
    isIdle() &&
    !stopping.signal.aborted &&
    (await all.pick({ filter: { 'run.phase': 'waiting', 'run.stage': stages }, limit: 1 }, ['_id'])).length === 0;
  const rounds = periodicIntake({
    name: 'help with long videos',
    everyMs,
    round: async () => {
      const filter = { 'run.phase': 'working', 'run.stage': stages };
      const found = isIdle() ? await all.pick({ filter, limit: maxVideos }, ['_id']) : [];
      for (const [id] of found) {
        const video = (await hasTime()) ? await all.get(String(id)) : null;
        if (video !== null) await help(tools, video, hasTime, stopping.signal);
      }
    },
    failed: (error) => app.log.info({ err: error }, 'a run of a shared video was not made'),
  });
  return {
    ...rounds,
    stop: async (milliseconds) => {
      stopping.abort(new Error('the process stops'));
      await rounds.stop(milliseconds);
    },
  };
}

/** Makes runs of a video while there are some that nobody makes. */
async function help(
  { app, actions, workshop, toneMaps }: EncoderTools,
  video: Video,
  hasTime: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const { plan } = video;
  if (plan === null || plan === undefined) return;
  const targets = video.run.stage === 'encoding_first' ? plan.renditions.slice(0, 1) : plan.renditions.slice(1);
  if (targets.length === 0) return;
  const shared = new SharedRuns(app, video, signal);
  await workshop(signal, async (given) => {
    const path = `${given.folder}/source`;
    let fetching: Promise<void> | null = null;
    const files = new VideoFiles(app, actions, video, () => shared.token());
    const source = async (): Promise<string> => {
      fetching ??= files.fetchSource(path, signal);
      await fetching;
      return path;
    };
    const encoding = { video, plan, files, workshop: given, source, toneMaps: await toneMaps() };
    await encodeRenditions(encoding, targets, { shared, helps: true, goesOn: hasTime });
  });
}
