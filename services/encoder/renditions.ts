import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Container } from '../../media/containers.ts';
import {
  framesPerKey,
  keysPerSegment,
  renditionArguments,
  type FrameRange,
  type PictureSource,
} from '../../media/video-commands.ts';
import {
  encodingFolder,
  videoFolder,
  type EncodingPlan,
  type PlannedRendition,
  type Video,
} from '../../models/video.ts';
import { VideoFailed } from './failure.ts';
import { FilmRuns } from './film-runs.ts';
import { madeSegments, type NewFile, type VideoFiles } from './files.ts';
import { mediaPlaylist, type Segment } from './playlists.ts';
import { inFolder, runProgram, type Workshop } from './run.ts';
import type { SharedRuns } from './shared-runs.ts';

/**
 * Segments that one run of ffmpeg makes. A run begins with a new encoder at a fixed place, so that its bytes are the
 * same whichever worker makes them; what a lost worker had begun is made again. Each run decodes from the key frame
 * before its place: the lowest rendition, which costs little but the decoding, has longer runs.
 */
const segmentsPerRun = { first: 15, rest: 5 };
/** Free runs for which another encoder fetches the source. */
const leastForHelp = 2;
/** How often it is looked whether others have made their runs, in milliseconds. */
const othersMs = 1000;

/** The folder of a rendition, or of the audio, below the video's folder; with a slash at its end. */
export function folderOf({ _id, generation }: Pick<Video, '_id' | 'generation'>, name: string): string {
  return `${encodingFolder(_id, generation).slice(videoFolder(_id).length)}${name}/`;
}

/** Name of a rendition's folder. */
export function renditionName({ height }: Pick<PlannedRendition, 'height'>): string {
  return `${height}p`;
}

/** What encoding works with. */
export interface Encoding {
  video: Video;
  plan: EncodingPlan;
  files: VideoFiles;
  workshop: Workshop;
  /** The source as a file; it is fetched when it is first needed. */
  source(): Promise<string>;
  /** Whether HDR can be brought into the range of common screens here. */
  toneMaps: boolean;
}

/** How the picture of the source is read. */
export async function pictureSource({ plan, workshop, source, toneMaps }: Encoding): Promise<PictureSource> {
  return {
    // It was sniffed when the plan was made.
    container: plan.container as Container,
    path: await source(),
    videoIndex: plan.videoIndex,
    frameRate: plan.frameRate,
    isInterlaced: plan.isInterlaced,
    heldFrom: plan.heldFrom,
    toneMap: plan.isHdr && toneMaps,
    threads: workshop.threads,
  };
}

/** The header of a folder of segments, as a run has made it. */
export function initFile(folder: string, path: string): NewFile {
  return { name: `${folder}init.mp4`, bytes: { path: join(path, 'init.mp4') } };
}

/** Segments that a run has made. @param isLastRun whether the last of them is the last of all */
export function segmentFiles(folder: string, path: string, made: readonly Segment[], isLastRun: boolean): NewFile[] {
  return made.map(({ name, seconds }, at) => ({
    name: `${folder}${name}`,
    bytes: { path: join(path, name) },
    metadata: { seconds, ...(isLastRun && at === made.length - 1 ? { last: true } : {}) },
  }));
}

/** How a process makes renditions. */
export interface Making {
  shared: SharedRuns;
  /** Whether another process has the video: then only runs that nobody makes are made, and nothing is waited for. */
  helps: boolean;
  /** Gets the share that is done; returns false to stop and go on another time. */
  goesOn(share: number): Promise<boolean>;
}

/**
 * Encodes renditions of the source run by run, and goes on from the segments that are there. A source of several runs
 * is shared with other encoders.
 * @param targets ascending
 * @returns whether all is done
 * @throws VideoFailed `video_unreadable` if there is no picture at all
 */
export async function encodeRenditions(
  encoding: Encoding,
  targets: readonly PlannedRendition[],
  { shared, helps, goesOn }: Making,
): Promise<boolean> {
  const { plan, video, files, workshop } = encoding;
  const { num, den } = plan.frameRate;
  const length = segmentsPerRun[video.run.stage === 'encoding_first' ? 'first' : 'rest'];
  const frames = length * keysPerSegment * framesPerKey(plan.frameRate);
  const total = plan.durationSeconds === null ? null : Math.round((plan.durationSeconds * num) / den);
  const count = total === null ? null : Math.max(1, Math.ceil(total / frames));
  const folders = targets.map((target) => folderOf(video, renditionName(target)));
  const runs = new FilmRuns(files, folders, { length, count });
  const make = async (run: number, signal: AbortSignal): Promise<void> => {
    const from = run * frames;
    // A picture that is held ends with the sound.
    const left = plan.heldFrom === undefined || total === null ? Infinity : Math.max(1, total - from);
    const range = { from, frames: Math.min(frames, left), segment: run * length, isLast: left <= frames };
    const isMade = await encodeRun({ ...encoding, workshop: { ...workshop, signal } }, targets, range);
    if (!isMade) runs.endAt(run);
  };
  for (let made = 0; ; made += 1) {
    const missing = await runs.missing();
    const [first] = missing;
    if (first === undefined) return true;
    if (made > 0 && !(await goesOn(runs.share))) return false;
    if (count === null || count === 1) {
      if (helps) return false;
      await make(first, workshop.signal);
      continue;
    }
    if (helps && (await shared.free(missing)).length < leastForHelp) return false;
    const taken = await shared.take(missing);
    if (taken === null) {
      if (helps) return false;
      // Others make the rest.
      await pause(othersMs, undefined, { signal: workshop.signal });
      continue;
    }
    try {
      // It may have been made since they were counted.
      if ((await runs.missing()).includes(taken.number))
        await make(taken.number, AbortSignal.any([workshop.signal, taken.signal]));
    } catch (error) {
      // Another encoder has taken the run over.
      if (helps || workshop.signal.aborted || !taken.signal.aborted) throw error;
    } finally {
      await taken.release();
    }
  }
}

/** Makes one run. Returns false where the source has ended before it. */
async function encodeRun(
  encoding: Encoding,
  targets: readonly PlannedRendition[],
  range: FrameRange & { isLast: boolean },
): Promise<boolean> {
  const { video, files, workshop } = encoding;
  return inFolder(workshop, 'renditions', async (path) => {
    const descending = targets.toReversed().map((target) => ({ ...target, folder: join(path, renditionName(target)) }));
    for (const { folder } of descending) await mkdir(folder);
    const end = await runProgram(
      workshop,
      'ffmpeg',
      renditionArguments(await pictureSource(encoding), range, descending),
    );
    const made = await Promise.all(descending.map(({ folder }) => madeSegments(folder).catch((): Segment[] => [])));
    const fewest = Math.min(...made.map((segments) => segments.length));
    if (fewest === 0) {
      if (range.from > 0) return false;
      throw new VideoFailed('video_unreadable', `no picture could be decoded: ${end.signal ?? end.code}`);
    }
    if (end.code !== 0) throw new Error(`encoding ended with ${end.signal ?? end.code}`);
    const seconds = (made[0] ?? []).reduce((sum, segment) => sum + segment.seconds, 0);
    const { num, den } = encoding.plan.frameRate;
    const isLast = range.isLast || seconds < ((range.frames - 0.5) * den) / num;
    await files.write(
      descending.flatMap((target, at) => {
        const folder = folderOf(video, renditionName(target));
        return [
          ...(range.from === 0 ? [initFile(folder, target.folder)] : []),
          ...segmentFiles(folder, target.folder, made[at] ?? [], isLast),
        ];
      }),
    );
    return true;
  });
}

/** Writes the playlist of a folder of segments, and returns what it lists. */
export async function writePlaylist({ video, files }: Encoding, name: string): Promise<Segment[]> {
  const folder = folderOf(video, name);
  const { segments } = await files.segments(folder);
  await files.write([{ name: `${folder}index.m3u8`, bytes: { text: mediaPlaylist(segments) } }]);
  return segments;
}

/** Bytes of an `init.mp4`, for the name of its codec. */
export function initOf({ video, files }: Encoding, rendition: PlannedRendition): Promise<Buffer> {
  return files.read(`${folderOf(video, renditionName(rendition))}init.mp4`);
}

/** Reads a small file of the work folder; null if it is not there. */
export async function fileOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch {
    // The program made none.
    return null;
  }
}
