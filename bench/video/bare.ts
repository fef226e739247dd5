import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { audioArguments, audioGrid, renditionArguments, type PictureSource } from '../../media/video-commands.ts';
import type { PlannedRendition } from '../../models/video.ts';
import { yieldToRequests } from '../../models/yield-to-requests.ts';
import { exitedChildrenCpuSeconds } from '../process-figures.ts';

/** What a run of bare programs took. */
export interface BareRun {
  seconds: number;
  cpuSeconds: number;
}

/** A film, and what is made of it. */
export interface Film {
  source: PictureSource;
  audioIndex: number;
  frames: number;
  /** Ascending. */
  renditions: readonly PlannedRendition[];
}

/** Runs ffmpeg as the encoder does, at the same low priority, but without the program around it. */
async function ffmpeg(given: readonly string[]): Promise<void> {
  const child = spawn('ffmpeg', given, { stdio: ['ignore', 'ignore', 'inherit'], detached: true });
  if (child.pid !== undefined) yieldToRequests(child.pid);
  await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error(`ffmpeg ended with ${child.exitCode}: ${given.join(' ')}`);
}

async function measured(folder: string, run: (folder: string) => Promise<void>): Promise<BareRun> {
  const path = join(folder, 'bare');
  await mkdir(path);
  const cpuBefore = exitedChildrenCpuSeconds(process.pid);
  const before = performance.now();
  try {
    await run(path);
    return {
      seconds: (performance.now() - before) / 1000,
      cpuSeconds: exitedChildrenCpuSeconds(process.pid) - cpuBefore,
    };
  } finally {
    await rm(path, { recursive: true });
  }
}

async function encode(
  { source, audioIndex, frames }: Film,
  targets: readonly PlannedRendition[],
  path: string,
): Promise<void> {
  const descending = targets.toReversed().map((target) => ({ ...target, folder: join(path, `${target.height}`) }));
  for (const { folder } of descending) await mkdir(folder);
  await mkdir(join(path, 'audio'));
  await ffmpeg(audioArguments(source, audioIndex, { from: 0, to: audioGrid, seconds: null }, join(path, 'audio')));
  await ffmpeg(renditionArguments(source, { from: 0, frames, segment: 0 }, descending));
}

/** The lowest rendition alone, with the audio. */
export function lowestAlone(folder: string, film: Film): Promise<BareRun> {
  return measured(folder, (path) => encode(film, film.renditions.slice(0, 1), path));
}

/** All renditions from one decoding, each scaled from the next larger, with the audio. */
export function cascadeAlone(folder: string, film: Film): Promise<BareRun> {
  return measured(folder, (path) => encode(film, film.renditions, path));
}

/** A ladder as it is made without any care: one process, each rendition scaled from the source; playable at its end. */
export function plainLadder(folder: string, { source, audioIndex, renditions }: Film): Promise<BareRun> {
  return measured(folder, async (path) => {
    const split = `[0:${source.videoIndex}]split=${renditions.length}${renditions.map((_, at) => `[s${at}]`).join('')}`;
    const scales = renditions.map(({ width, height }, at) => `[s${at}]scale=${width}:${height}[o${at}]`);
    const keys = ['-sc_threshold', '0', '-force_key_frames', 'expr:gte(t,n_forced*2)'];
    await ffmpeg([
      ...['-nostdin', '-v', 'error', '-y', '-i', source.path, '-filter_complex', [split, ...scales].join(';')],
      ...renditions.flatMap((_, at) => ['-map', `[o${at}]`]),
      ...['-map', `0:${audioIndex}`, '-c:v', 'libx264', '-preset', 'veryfast', '-crf', '23', ...keys],
      ...renditions.flatMap(({ maxKbps }, at) => [
        `-maxrate:v:${at}`,
        `${maxKbps}k`,
        `-bufsize:v:${at}`,
        `${2 * maxKbps}k`,
      ]),
      ...['-c:a', 'aac', '-b:a', '128k', '-f', 'hls', '-hls_time', '6', '-hls_segment_type', 'fmp4'],
      ...['-hls_playlist_type', 'vod', '-master_pl_name', 'master.m3u8', '-hls_flags', 'independent_segments'],
      '-var_stream_map',
      [...renditions.map((_, at) => `v:${at},agroup:audio`), 'a:0,agroup:audio'].join(' '),
      ...['-hls_segment_filename', join(path, '%v-%05d.m4s'), join(path, '%v.m3u8')],
    ]);
  });
}
