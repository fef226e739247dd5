import { open } from 'node:fs/promises';
import { sniffContainer, sniffedBytes } from '../../media/containers.ts';
import { videoProbeArguments } from '../../media/video-commands.ts';
import { readVideoProbe } from '../../media/video-probe.ts';
import type { ActionCaller } from '../../mixins/actions/call.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { processingOf } from '../../mixins/settings/processing.ts';
import { settingsChain } from '../../mixins/settings/settings.ts';
import { announced } from '../../mixins/storage/video-events.ts';
import * as transitions from '../../mixins/work/transitions.ts';
import type { StageResult, StageWork } from '../../mixins/work/worker.ts';
import { buckets, type Bucket } from '../../models/bucket.ts';
import { Refusal } from '../../models/errors.ts';
import { accounts } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { unsetVideo } from '../../models/settings.ts';
import {
  videoFiles,
  videoFolder,
  videos,
  type EncodingPlan,
  type PlannedRendition,
  type Video,
  type VideoEntry,
  type VideoRendition,
} from '../../models/video.ts';
import { makeDownload, makePoster, makeThumbnails } from './extras.ts';
import { VideoFailed } from './failure.ts';
import { VideoFiles } from './files.ts';
import { planOf } from './plan.ts';
import { bitRates, codecOf, masterPlaylist, type MasterRendition, type Segment } from './playlists.ts';
import {
  encodeAudio,
  encodeRenditions,
  folderOf,
  initOf,
  renditionName,
  writePlaylist,
  type Encoding,
  type Making,
} from './renditions.ts';
import { runProgram, type Workshop } from './run.ts';
import { SharedRuns } from './shared-runs.ts';

/** What the encoder works with. */
export interface EncoderTools {
  app: AppContext;
  actions: ActionCaller;
  /** Gives a video's work its folder and its programs. */
  workshop<T>(signal: AbortSignal, use: (workshop: Workshop) => Promise<T>): Promise<T>;
  /** Whether HDR can be brought into the range of common screens here. */
  toneMaps(): Promise<boolean>;
}

/** How long a video is worked on while others wait for their turn, in milliseconds. */
const sliceMs = 120_000;

/** Probes the source and makes the lowest rendition with the audio: then the video plays. */
export async function encodeFirst(tools: EncoderTools, work: StageWork<Video>): Promise<StageResult<Video>> {
  return withEncoding(tools, work, async (encoding) => {
    const { plan, files } = encoding;
    await encodeAudio(encoding);
    const lowest = plan.renditions.slice(0, 1);
    if (!(await encodeRenditions(encoding, lowest, shared(tools, work, encoding))))
      return anotherTime('encoding_first');
    const { renditions, seconds } = await publish(encoding, lowest);
    const storedBytes = (encoding.video.source?.size ?? 0) + (await files.bytes());
    return (video, now) => {
      const { fields, entry } = announced(tools.app, video, 'playable');
      return atOnce(
        now,
        transitions.advance(video, 'encoding_rest', now, {
          document: {
            ...fields,
            ...foundOf(plan, seconds),
            encoding: plan.settings,
            renditions,
            claims: {},
            plays: true,
            storedBytes,
            playableAt: fields.updatedAt,
            readyAt: null,
            encodingMinutes: null,
          },
          outbox: [entry, edgeEntry(video, now)],
        }),
      );
    };
  });
}

/** Makes the other renditions from one decoding, and the other files: then the video is ready. */
export async function encodeRest(tools: EncoderTools, work: StageWork<Video>): Promise<StageResult<Video>> {
  return withEncoding(tools, work, async (encoding) => {
    const { plan, files } = encoding;
    const { settings } = plan;
    await files.removeFormer();
    const [lowest, ...others] = plan.renditions;
    const highest = plan.renditions.at(-1);
    if (lowest === undefined || highest === undefined) throw new Error('a plan has no rendition');
    const isDone = others.length === 0 || (await encodeRenditions(encoding, others, shared(tools, work, encoding)));
    if (!isDone) return anotherTime('encoding_rest');
    const poster = await makePoster(encoding);
    const thumbnails = settings.thumbnails && (await makeThumbnails(encoding, lowest));
    const download = settings.download && (await makeDownload(encoding, highest));
    const { renditions, seconds } = await publish(encoding, plan.renditions);
    const fileBytes = await files.bytes();
    const library = await libraryOf(tools, encoding.video);
    return (video, now) => {
      const { fields, entry } = announced(tools.app, video, 'ready');
      const source = settings.keepOriginal ? video.source : null;
      const found = foundOf(plan, seconds);
      return transitions.complete(video, 'ready', now, {
        document: {
          ...fields,
          ...found,
          renditions,
          claims: {},
          poster,
          thumbnails,
          download,
          source,
          storedBytes: (source?.size ?? 0) + fileBytes,
          readyAt: fields.updatedAt,
          encodingMinutes: Number((found.durationSeconds / 60).toFixed(6)),
        },
        outbox: [
          entry,
          edgeEntry(video, now),
          usageEntry(video, library, found.durationSeconds, fields.updatedAt),
          ...(source === null ? [{ id: 'drop_source', kind: 'drop_source' as const, notBefore: 0 }] : []),
        ],
      });
    };
  });
}

/** The video goes on after others had their turn. */
function anotherTime(stage: 'encoding_first' | 'encoding_rest'): StageResult<Video> {
  return (video, now) => transitions.advance(video, stage, now);
}

/** Shares the video with other encoders, and goes on while nobody waits for the stage, or its time is not over. */
function shared({ app }: EncoderTools, { progress, document, signal }: StageWork<Video>, { video }: Encoding): Making {
  const until = app.runtime.now() + sliceMs;
  const all = app.records.collection(videos, systemScope);
  let hasLosses = document.run.lostLeases > 0;
  const goesOn = async (share: number): Promise<boolean> => {
    progress(100 * share);
    // Encoders that were lost before do not count against a video that has gone on since.
    if (hasLosses) await all.update(video._id, transitions.whileLeased(document), transitions.blameless);
    hasLosses = false;
    if (app.runtime.now() < until) return true;
    const waiting = { 'run.phase': 'waiting', 'run.stage': document.run.stage };
    return (await all.pick({ filter: waiting, limit: 1 }, ['_id'])).length === 0;
  };
  return { shared: new SharedRuns(app, video, signal), helps: false, goesOn };
}

/** Runs the encoding of a video, whose plan is made before anything else. */
async function withEncoding(
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

async function libraryOf({ app }: EncoderTools, { organizationId, libraryId }: Video): Promise<Bucket> {
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

/** Writes the playlists of renditions that are complete, and at last the one that names them. */
async function publish(
  encoding: Encoding,
  targets: readonly PlannedRendition[],
): Promise<{ renditions: VideoRendition[]; seconds: number }> {
  const { plan, video, files } = encoding;
  const sound = plan.audioIndex === null ? [] : await writePlaylist(encoding, 'audio');
  const heard = bitRates(sound);
  const renditions: MasterRendition[] = [];
  let seconds = 0;
  for (const target of targets) {
    const segments: Segment[] = await writePlaylist(encoding, renditionName(target));
    seconds = segments.reduce((sum, segment) => sum + segment.seconds, 0);
    const seen = bitRates(segments);
    renditions.push({
      height: target.height,
      width: target.width,
      bandwidth: seen.peak + heard.peak,
      mean: seen.mean + heard.mean,
      codec: codecOf(await initOf(encoding, target)),
      uri: `${folderOf(video, renditionName(target))}index.m3u8`,
    });
  }
  const audioUri = sound.length === 0 ? null : `${folderOf(video, 'audio')}index.m3u8`;
  const text = masterPlaylist(renditions, audioUri, plan.frameRate);
  await files.write([{ name: videoFiles.master, bytes: { text } }]);
  return { renditions: renditions.map(({ height, width, bandwidth }) => ({ height, width, bandwidth })), seconds };
}

/** What the probe found, as the API shows it. @param seconds of what was encoded, where the header does not say */
function foundOf(
  { durationSeconds, width, height, audioIndex }: EncodingPlan,
  seconds: number,
): { durationSeconds: number; width: number; height: number; hasAudio: boolean } {
  const length = Number((durationSeconds ?? seconds).toFixed(6));
  return { durationSeconds: length, width, height, hasAudio: audioIndex !== null };
}

/** The outbox of a stage is delivered at once, not at the end of the run. */
function atOnce(now: number, { filter, change }: transitions.Transition): transitions.Transition {
  return { filter, change: { ...change, set: { ...change.set, outboxDue: now } } };
}

/** Edges drop the copies of files that were written again. */
function edgeEntry({ _id, libraryId, run }: Video, now: number): VideoEntry {
  const targets = Object.values(videoFiles).map((name) => `${videoFolder(_id)}${name}`);
  return {
    id: `edge:${run.stageSeq}:${now}`,
    kind: 'edge',
    notBefore: 0,
    change: { kind: 'purge', bucketId: libraryId, scope: 'urls', targets },
  };
}

function usageEntry(video: Video, library: Bucket, seconds: number, at: number): VideoEntry {
  const { _id: videoId, accountId, organizationId, libraryId, generation } = video;
  return {
    id: `usage:${generation}`,
    kind: 'usage',
    notBefore: 0,
    event: {
      _id: `${videoId}:${generation}:encoding_minutes`,
      accountId,
      organizationId,
      assetId: null,
      resourceId: libraryId,
      metric: 'encoding_minutes',
      dimension: library.region,
      quantity: Math.round(seconds * 1000),
      at,
    },
  };
}
