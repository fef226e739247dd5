import { open } from 'node:fs/promises';
import { sniffContainer, sniffedBytes } from '../../media/containers.ts';
import { videoProbeArguments } from '../../media/video-commands.ts';
import { readVideoProbe } from '../../media/video-probe.ts';
import type { ActionCaller } from '../../mixins/actions/call.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { processingOf } from '../../mixins/settings/processing.ts';
import { settingsChain } from '../../mixins/settings/settings.ts';
import * as transitions from '../../mixins/work/transitions.ts';
import type { StageResult, StageWork } from '../../mixins/work/worker.ts';
import { buckets, type Bucket } from '../../models/bucket.ts';
import { Refusal } from '../../models/errors.ts';
import { accounts } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { unsetVideo } from '../../models/settings.ts';
import { videos, type Video } from '../../models/video.ts';
import { VideoFailed } from './failure.ts';
import { VideoFiles } from './files.ts';
import { planOf } from './plan.ts';
import type { Encoding } from './renditions.ts';
import { runProgram, type Workshop } from './run.ts';

/** What the encoder works with. */
export interface EncoderTools {
  app: AppContext;
  actions: ActionCaller;
  /** Gives a video's work its folder and its programs. */
  workshop<T>(signal: AbortSignal, use: (workshop: Workshop) => Promise<T>): Promise<T>;
  /** Whether HDR can be brought into the range of common screens here. */
  toneMaps(): Promise<boolean>;
}

/** Runs the encoding of a video, whose plan is made before anything else. @throws Refusal `bucket_not_active`, VideoFailed */
export async function withEncoding(
  tools: EncoderTools,
  { document, signal }: StageWork<Video>,
  use: (encoding: Encoding) => Promise<StageResult<Video>>,
): Promise<StageResult<Video>> {
  const { app, actions } = tools;
  const library = await libraryOf(tools, document);
  if (library.state !== 'active') throw new Refusal('bucket_not_active');
  return tools.workshop(signal, async (workshop) => {
    const path = `${workshop.folder}/source`;
    let fetching: Promise<void> | null = null;
    const source = async (): Promise<string> => {
      fetching ??= new VideoFiles(app, actions, document).fetchSource(path, signal);
      await fetching;
      return path;
    };
    const video = await withPlan(tools, library, document, workshop, source);
    const { plan } = video;
    if (plan === null || plan === undefined) throw new Error('a video in work has no plan');
    const files = new VideoFiles(app, actions, video);
    return use({ video, plan, files, workshop, source, toneMaps: await tools.toneMaps() });
  });
}

/** The library of a video, in any state. @throws Refusal `bucket_not_active` where it is no more */
export async function libraryOf({ app }: EncoderTools, { organizationId, libraryId }: Video): Promise<Bucket> {
  const library = await app.records.collection(buckets, scopeOf(organizationId)).get(libraryId);
  if (library === null) throw new Refusal('bucket_not_active');
  return library;
}

/** The video with the plan of its encoding: one that has none begins a new generation. */
async function withPlan(
  { app }: EncoderTools,
  library: Bucket,
  video: Video,
  workshop: Workshop,
  source: () => Promise<string>,
): Promise<Video> {
  if (video.plan !== null && video.plan !== undefined) return video;
  const path = await source();
  const container = await containerOf(path, video.sourceKey);
  const probed = await runProgram(workshop, 'ffprobe', videoProbeArguments(container, path));
  if (probed.code !== 0)
    throw new VideoFailed('video_unreadable', `ffprobe ended with ${probed.signal ?? probed.code}`);
  const probe = readVideoProbe(probed.output);
  if (probe === null) throw new VideoFailed('video_no_video_stream', 'there is no picture');
  const chain = await settingsChain(app, video.organizationId);
  const settings = processingOf(library.processing ?? unsetVideo, chain);
  const account = await app.records.collection(accounts, systemScope).get(video.accountId);
  const plan = planOf(probe, container, settings, account?.limits?.video_duration_seconds ?? null);
  const begun = await app.records
    .collection(videos, scopeOf(video.organizationId))
    .update(video._id, transitions.whileLeased(video), {
      set: { plan, status: 'encoding', errorCode: null, updatedAt: Math.max(app.runtime.now(), video.updatedAt) },
      increment: { version: 1, generation: 1 },
    });
  if (begun === null) throw new Error('the lease was lost before the encoding began');
  return begun;
}

/** The container of a file by its first bytes. @throws VideoFailed `video_unreadable` */
async function containerOf(path: string, name: string): Promise<NonNullable<ReturnType<typeof sniffContainer>>> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(sniffedBytes);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    const container = sniffContainer(head.subarray(0, bytesRead), name);
    if (container === null) throw new VideoFailed('video_unreadable', 'the file is of no known container');
    return container;
  } finally {
    await file.close();
  }
}
