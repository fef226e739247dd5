import type { Container } from './containers.ts';
import { demuxers } from './ffmpeg.ts';
import { videoProbeEntries, type Fraction } from './video-probe.ts';

/*
 * Command lines of ffmpeg and ffprobe that encode a video. They read and write files of a work folder and no other
 * protocol. The container is named, so the formats that list other files (HLS, DASH, concat) are never tried.
 */

/** Largest single allocation, in bytes: pictures of 8192 lines with all their planes. */
const largestAllocation = 2 ** 30;
const maxPixels = 8192 * 8192;

const quiet = ['-nostdin', '-hide_banner', '-v', 'error', '-max_alloc', String(largestAllocation)];
const withProgress = [...quiet, '-nostats', '-progress', 'pipe:1', '-y'];

function input(container: Container, path: string, threads: number): string[] {
  return [
    '-protocol_whitelist',
    'file',
    '-format_whitelist',
    demuxers[container],
    '-max_pixels',
    String(maxPixels),
    '-threads',
    String(threads),
    '-f',
    container,
    '-i',
    path,
  ];
}

/** Arguments of ffprobe. */
export function videoProbeArguments(container: Container, path: string): string[] {
  const [, , ...probing] = quiet;
  return [...probing, '-print_format', 'json', '-show_entries', videoProbeEntries, ...input(container, path, 1)];
}

/** Key frames are two seconds apart, or the next whole frame. */
export function framesPerKey({ num, den }: Fraction): number {
  return Math.max(1, Math.ceil((2 * num) / den - 1e-9));
}

/** Segments have three key frames: about six seconds. */
export const keysPerSegment = 3;

/** How the picture of a source is read. */
export interface PictureSource {
  container: Container;
  path: string;
  videoIndex: number;
  frameRate: Fraction;
  isInterlaced: boolean;
  /** Seconds from which the last picture is held, as long as frames are asked for; absent where it just ends. */
  heldFrom?: number | undefined;
  /** Whether HDR is brought into the range of common screens. */
  toneMap: boolean;
  threads: number;
}

/** One rendition of a run. */
export interface RenditionTarget {
  width: number;
  height: number;
  /** Peak of the picture's bit rate, in kbit/s. */
  maxKbps: number;
  /** Its folder, for `init.mp4`, `index.m3u8` and segments. */
  folder: string;
}

/** Frames of the constant rate: which are encoded, and the number of their first segment. */
export interface FrameRange {
  from: number;
  frames: number;
  segment: number;
}

const bt709 =
  'zscale=t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,tonemap=tonemap=hable:desat=0,zscale=t=bt709:m=bt709:r=tv,format=yuv420p';

/** One frame for each of the source: fields as frames of their own would double what a run makes. */
function deinterlacing({ isInterlaced }: PictureSource): string[] {
  return isInterlaced ? ['bwdif=mode=send_frame:deint=interlaced'] : [];
}

function toneMapping({ toneMap }: PictureSource): string[] {
  return toneMap ? [bt709] : [];
}

/** Seconds of a frame of the constant rate. */
function timeOf(frame: number, { num, den }: Fraction): string {
  return ((frame * den) / num).toFixed(6);
}

/** Seconds before the end of the picture from which its last frame is found, also where there is no index. */
const beforeEnd = 30;

/** Where reading begins for a range: at its first frame, or before the end of a picture that is held. */
function startOf({ heldFrom, frameRate }: PictureSource, { from }: FrameRange): string {
  const start = Number(timeOf(from, frameRate));
  return (heldFrom === undefined ? start : Math.min(start, Math.max(0, heldFrom - beforeEnd))).toFixed(6);
}

/** Scales from each rendition to the next smaller one. @param targets descending */
function cascade(source: PictureSource, range: FrameRange, targets: readonly RenditionTarget[]): string {
  const { num, den } = source.frameRate;
  const before = [
    ...deinterlacing(source),
    ...(source.heldFrom === undefined ? [] : ['tpad=stop=-1:stop_mode=clone']),
    `fps=fps=${num}/${den}:start_time=${timeOf(range.from, source.frameRate)}`,
    ...toneMapping(source),
  ];
  return targets
    .map(({ width, height }, at) => {
      const from = at === 0 ? `[0:${source.videoIndex}]${before.join(',')},` : `[c${at}]`;
      const scaled = `${from}scale=${width}:${height}:flags=bicubic,setsar=1,format=yuv420p`;
      return at === targets.length - 1 ? `${scaled}[o${at}]` : `${scaled},split=2[o${at}][c${at + 1}]`;
    })
    .join(';');
}

/**
 * Arguments that encode a range of frames in several renditions at once: one decoding, each rendition scaled from the
 * next larger. Times go on from the range before: `frag_discont` writes them into the segments. There are no B-frames:
 * with them pictures would come later than the sound, by two frames, in players that ignore edit lists (those in
 * browsers) or add negative offsets of the composition to all times (ffmpeg).
 * @param targets descending
 */
export function renditionArguments(
  source: PictureSource,
  range: FrameRange,
  targets: readonly RenditionTarget[],
): string[] {
  const keys = framesPerKey(source.frameRate);
  const { num, den } = source.frameRate;
  const segmentSeconds = ((keysPerSegment * keys - 0.5) * den) / num;
  return [
    ...withProgress,
    '-copyts',
    '-start_at_zero',
    '-noaccurate_seek',
    '-ss',
    startOf(source, range),
    ...input(source.container, source.path, source.threads),
    '-filter_threads',
    '1',
    '-filter_complex',
    cascade(source, range, targets),
    ...targets.flatMap(({ maxKbps, folder }, at) => [
      '-map',
      `[o${at}]`,
      '-frames:v',
      String(range.frames),
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-bf',
      '0',
      '-crf',
      '23',
      '-maxrate',
      `${maxKbps}k`,
      '-bufsize',
      `${2 * maxKbps}k`,
      '-threads',
      String(source.threads),
      '-sc_threshold',
      '0',
      '-g',
      '100000',
      '-force_key_frames',
      `expr:not(mod(n,${keys}))`,
      '-map_metadata',
      '-1',
      '-map_chapters',
      '-1',
      '-avoid_negative_ts',
      'disabled',
      '-max_muxing_queue_size',
      '1024',
      ...hls(folder, segmentSeconds, range.segment),
    ]),
  ];
}

/** Segments with times that go on from those of the run before. */
function hls(folder: string, seconds: number, firstSegment: number): string[] {
  return [
    '-f',
    'hls',
    '-hls_time',
    seconds.toFixed(6),
    '-hls_segment_type',
    'fmp4',
    '-hls_playlist_type',
    'vod',
    '-hls_fmp4_init_filename',
    'init.mp4',
    '-hls_segment_options',
    'movflags=+frag_discont',
    '-start_number',
    String(firstSegment),
    '-hls_segment_filename',
    `${folder}/seg-%05d.m4s`,
    `${folder}/index.m3u8`,
  ];
}

/** Samples of a second of the audio, and of a frame of AAC, which is also what its encoder puts before the first. */
const audioRate = 48_000;
const audioFrame = 1024;

/** Seconds of a frame of the audio. */
export const audioFrameSeconds = audioFrame / audioRate;

/** Length of the segments of the audio. */
export const audioSegmentSeconds = 6;

/** Segments after which a segment and a frame of the audio end together. A run begins and ends at such a place. */
export const audioGrid = 8;

/** Segments of the audio that one run makes: `from` to the one before `to`, both multiples of `audioGrid`. */
export interface AudioRange {
  from: number;
  to: number;
  /** Sound that ends before so many seconds is followed by silence; null: it ends where it ends. */
  seconds: number | null;
}

/**
 * Arguments that encode segments of an audio stream as AAC, 128 kbit/s, stereo. The first samples are cut by as many as
 * the encoder puts before them, so that sound and picture begin together without an edit list.
 *
 * Runs join without a gap: each decodes from the beginning of the source, which costs little, because only so do the
 * samples have the same places in all runs, whatever times the container can tell. A run begins `audioGrid` segments
 * earlier, so that the first frame that is kept overlaps with the one before it as in a single run, and it goes on for a
 * second. What it makes outside of its range is to be left away; a segment behind the range says that there is more.
 */
export function audioArguments(
  { container, path, threads }: Pick<PictureSource, 'container' | 'path' | 'threads'>,
  audioIndex: number,
  { from, to, seconds }: AudioRange,
  folder: string,
): string[] {
  const first = Math.max(0, from - audioGrid);
  const start = first * audioSegmentSeconds * audioRate + audioFrame;
  const end = (to * audioSegmentSeconds + 1) * audioRate;
  const filters = [
    `aresample=${audioRate}:async=1:first_pts=0`,
    'aformat=channel_layouts=stereo',
    // Players in browsers wait for sound where the picture goes on without it.
    ...(seconds === null ? [] : [`apad=whole_dur=${seconds.toFixed(6)}`]),
    `atrim=start_sample=${start}:end_sample=${end}`,
  ];
  return [
    ...withProgress,
    ...input(container, path, threads),
    '-map',
    `0:${audioIndex}`,
    '-vn',
    '-af',
    filters.join(','),
    '-c:a',
    'aac',
    '-b:a',
    '128k',
    '-map_metadata',
    '-1',
    '-map_chapters',
    '-1',
    '-avoid_negative_ts',
    'disabled',
    ...hls(folder, audioSegmentSeconds, first),
  ];
}

/** Arguments that make a poster: the most representative of the first key frames. */
export function posterArguments(source: PictureSource, size: { width: number; height: number }, to: string): string[] {
  const scaled = [`scale=${size.width}:${size.height}`, 'setsar=1', 'format=yuvj420p'];
  const filters = [...deinterlacing(source), ...toneMapping(source), 'thumbnail=12', ...scaled];
  return [
    ...withProgress,
    '-skip_frame',
    'nokey',
    ...input(source.container, source.path, source.threads),
    '-map',
    `0:${source.videoIndex}`,
    '-an',
    '-frames:v',
    '1',
    '-vf',
    filters.join(','),
    '-q:v',
    '3',
    '-map_metadata',
    '-1',
    '-f',
    'image2',
    '-update',
    '1',
    to,
  ];
}

/** Pictures of a sprite sheet, in a row and in a column. */
export const spriteSide = 10;

/**
 * Arguments that make sheets of small pictures of every `step`th key frame of a rendition.
 * @param to with `%03d` for the number of the sheet
 */
export function spriteArguments(
  path: string,
  step: number,
  size: { width: number; height: number },
  to: string,
): string[] {
  return [
    ...withProgress,
    '-skip_frame',
    'nokey',
    ...input('mov', path, 1),
    '-an',
    '-vsync',
    '0',
    '-vf',
    `select=not(mod(n\\,${step})),scale=${size.width}:${size.height},tile=${spriteSide}x${spriteSide},format=yuvj420p`,
    '-q:v',
    '4',
    '-map_metadata',
    '-1',
    '-start_number',
    '0',
    '-f',
    'image2',
    to,
  ];
}

/** Arguments that put a rendition and its audio into one file that plays while it is loaded. */
export function downloadArguments(video: string, audio: string | null, to: string): string[] {
  return [
    ...withProgress,
    ...input('mov', video, 1),
    ...(audio === null ? [] : input('mov', audio, 1)),
    '-map',
    '0:v',
    ...(audio === null ? [] : ['-map', '1:a']),
    '-c',
    'copy',
    '-map_metadata',
    '-1',
    '-movflags',
    '+faststart',
    '-f',
    'mp4',
    to,
  ];
}
