import {
  audioArguments,
  audioFrameSeconds,
  audioGrid,
  audioSegmentSeconds,
  type AudioRange,
} from '../../media/video-commands.ts';
import { madeSegments } from './files.ts';
import type { Segment } from './playlists.ts';
import { folderOf, initFile, pictureSource, segmentFiles, type Encoding, type Making } from './renditions.ts';
import { inFolder, runProgram } from './run.ts';

/** Segments of a run at least (about five minutes), and where the length of the source is not known. */
const fewestSegments = { known: 6 * audioGrid, unknown: 12 * audioGrid };
/** Each run decodes from the beginning of the source, so a film has so many of them at most. */
const mostRuns = 12;

/** Segments of the audio that one run makes, for a source of so many seconds; null where they are not known. */
export function audioRunLength(seconds: number | null): number {
  if (seconds === null) return fewestSegments.unknown;
  const grids = Math.ceil(seconds / audioSegmentSeconds / mostRuns / audioGrid);
  return Math.max(fewestSegments.known, grids * audioGrid);
}

/**
 * Encodes the audio of the source run by run, and goes on from the segments that are there.
 * @returns whether all is done
 */
export async function encodeAudio(encoding: Encoding, goesOn: Making['goesOn']): Promise<boolean> {
  const { plan, video, files } = encoding;
  if (plan.audioIndex === null) return true;
  const length = audioRunLength(plan.durationSeconds);
  for (;;) {
    const { segments, isWhole } = await files.segments(folderOf(video, 'audio'));
    if (isWhole) return true;
    const from = Math.floor(segments.length / length) * length;
    const range = { from, to: from + length, seconds: plan.durationSeconds };
    if (!(await encodeRun(encoding, plan.audioIndex, range))) return true;
    if (!(await goesOn(0))) return false;
  }
}

/**
 * The segments that players can tell from nothing. Where there are no samples, ffmpeg makes one of no length; and sound
 * that ends with a segment has one more, of the frame that completes the encoder's last: hls.js never sees the end
 * behind it.
 */
function lasting(made: readonly Segment[]): Segment[] {
  return made.filter(({ seconds }, at) => seconds > (at === 0 ? 0 : 1.5 * audioFrameSeconds));
}

/** Makes one run. Returns false where the source has no sound at all. */
async function encodeRun(encoding: Encoding, audioIndex: number, range: AudioRange): Promise<boolean> {
  const { from, to } = range;
  const { video, files, workshop } = encoding;
  return inFolder(workshop, 'audio', async (path) => {
    const source = await pictureSource(encoding);
    const end = await runProgram(workshop, 'ffmpeg', audioArguments(source, audioIndex, range, path));
    if (end.code !== 0) throw new Error(`encoding the audio ended with ${end.signal ?? end.code}`);
    const made = lasting(await madeSegments(path));
    // Those before were only made so that the first one that is kept follows from them.
    const kept = made.slice(Math.min(from, audioGrid));
    const inRange = kept.slice(0, to - from);
    if (from > 0 && inRange.length === 0) throw new Error('the audio ended earlier than the run before said');
    const folder = folderOf(video, 'audio');
    await files.write([
      ...(from === 0 ? [initFile(folder, path)] : []),
      ...segmentFiles(folder, path, inRange, kept.length === inRange.length),
    ]);
    return inRange.length > 0;
  });
}
