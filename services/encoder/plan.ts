import type { VideoProbe } from '../../media/video-probe.ts';
import type { EncodingPlan, EncodingSettings, PlannedRendition } from '../../models/video.ts';
import { VideoFailed } from './failure.ts';

/** Bounds of the sides of a source, in pixels. */
const sides = { min: 16, max: 8192 };
/** Longest source without a plan's ceiling, in seconds. */
const longest = 24 * 3600;

/** Peak bit rates of heights, in kbit/s. */
const peaks: readonly (readonly [height: number, kbps: number])[] = [
  [240, 400],
  [360, 800],
  [480, 1400],
  [720, 2800],
  [1080, 5000],
  [1440, 9000],
  [2160, 16_000],
];
const highestPeak = 32_000;
/** Seconds by which the sound may be longer without the last picture being held: players have the whole end by then. */
const harmlessSeconds = 1;

function even(value: number): number {
  return Math.max(2, value - (value % 2));
}

/** The rendition with a height: even sides, in the shape of the source. */
function renditionOf(height: number, source: { width: number; height: number }): PlannedRendition {
  const lines = even(height);
  const width = even(Math.round((source.width * lines) / source.height));
  const [, maxKbps = highestPeak] = peaks.find(([at]) => at >= lines) ?? [];
  return { height: lines, width, maxKbps };
}

/**
 * The renditions of a source: those of the ladder that are not higher than it, ascending; one of its own height where
 * all are.
 */
export function renditionsOf(ladder: readonly number[], source: { width: number; height: number }): PlannedRendition[] {
  const fitting = ladder.filter((height) => height <= source.height);
  return (fitting.length === 0 ? [source.height] : fitting).map((height) => renditionOf(height, source));
}

/**
 * What is made of a source.
 * @param maxSeconds longest source of the account's plan; null where the plan has no ceiling
 * @throws VideoFailed `video_resolution_unsupported`, `video_too_long`
 */
export function planOf(
  probe: VideoProbe,
  container: string,
  settings: EncodingSettings,
  maxSeconds: number | null,
): EncodingPlan {
  const { width, height, durationSeconds } = probe;
  if (Math.min(width, height) < sides.min || Math.max(width, height) > sides.max)
    throw new VideoFailed('video_resolution_unsupported', `${width}x${height}`);
  if ((durationSeconds ?? 0) > Math.min(longest, maxSeconds ?? longest))
    throw new VideoFailed('video_too_long', `${durationSeconds} s`);
  const { videoIndex, audioIndex, frameRate, isInterlaced, isHdr } = probe;
  return {
    settings,
    container,
    videoIndex,
    audioIndex,
    frameRate,
    isInterlaced,
    isHdr,
    durationSeconds,
    ...heldFrom(probe),
    width,
    height,
    renditions: renditionsOf(settings.ladder, probe),
  };
}

/** Where the picture may end before the sound, its last frame is held: players in browsers wait for a picture. */
function heldFrom({ durationSeconds, pictureSeconds, audioIndex }: VideoProbe): Pick<EncodingPlan, 'heldFrom'> {
  if (audioIndex === null || durationSeconds === null) return {};
  const end = pictureSeconds ?? durationSeconds;
  return pictureSeconds === null || durationSeconds - end > harmlessSeconds ? { heldFrom: end } : {};
}
