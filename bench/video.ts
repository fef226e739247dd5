import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { VideoView } from '../models/video.ts';
import { renditionsOf } from '../services/encoder/plan.ts';
import type { Figure, Part } from './figures.ts';
import type { HttpClients } from './http-clients.ts';
import { canMeasureProcesses, memoryOf, treeCpuSeconds } from './process-figures.ts';
import { startProgram, type BenchProgram } from './program.ts';
import { median, ratio } from './statistics.ts';
import { cascadeAlone, lowestAlone, plainLadder, type Film } from './video/bare.ts';
import { ask, createLibrary, uploadFilm } from './video/films.ts';

const run = promisify(execFile);
const ladder = [240, 360, 480, 720, 1080];
const seconds = 30;
const rate = 30;

/**
 * A film of 30 s in 1080p: when it plays, compared with a plain ladder and with the lowest rendition alone, and the
 * processor time of the whole program, compared with bare runs of ffmpeg that make the same. All take turns.
 */
export const part: Part = async ({ full }) => {
  if (!canMeasureProcesses()) return { skipped: 'the processor time of a process is read from /proc' };
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-'));
  const threads = cpus().length;
  const program = await startProgram({
    environment: { PLY_EMBEDDING_THREADS: '0', PLY_ENCODER_THREADS: String(threads) },
  });
  const admin = program.administrator();
  try {
    const path = join(folder, 'film.mp4');
    await makeFilm(path);
    const film: Film = {
      source: {
        ...{ container: 'mov', path, videoIndex: 0, isInterlaced: false, toneMap: false, threads },
        frameRate: { num: rate, den: 1 },
      },
      audioIndex: 1,
      frames: seconds * rate,
      renditions: renditionsOf(ladder, { width: 1920, height: 1080 }),
    };
    const libraryId = await createLibrary(admin, ladder);
    const turns = [];
    for (let turn = 0; turn < (full ? 5 : 3); turn += 1)
      turns.push({
        own: await encodeOnce(program, admin, libraryId, path),
        plain: await plainLadder(folder, film),
        lowest: await lowestAlone(folder, film),
        cascade: await cascadeAlone(folder, film),
      });
    return figuresOf(turns);
  } finally {
    await admin.close();
    await program.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

type Turn = Record<'plain' | 'lowest' | 'cascade', Awaited<ReturnType<typeof plainLadder>>> & {
  own: Awaited<ReturnType<typeof encodeOnce>>;
};

function figuresOf(turns: readonly Turn[]): Figure[] {
  const own = (name: keyof Turn['own']): number => median(turns.map((turn) => turn.own[name]));
  const bare = (side: 'plain' | 'lowest' | 'cascade', name: 'seconds' | 'cpuSeconds'): number =>
    median(turns.map((turn) => turn[side][name]));
  const compared = (name: string, value: number, other: number, unit: string, most: number): Figure => ({
    name,
    measured: `${value.toFixed(1)} ${unit}`,
    against: `${other.toFixed(1)} ${unit}: ${ratio(value / other)}`,
    target: `at most ${most}x`,
    reached: value <= most * other,
  });
  const clip = '30 s of 1080p30, ladder 240 to 1080';
  return [
    compared(`${clip}: first playable, against a plain ladder`, own('playable'), bare('plain', 'seconds'), 's', 0.25),
    compared(
      `${clip}: first playable, against the lowest rendition alone`,
      own('playable'),
      bare('lowest', 'seconds'),
      's',
      1.6,
    ),
    compared(
      `${clip}: processor time of the program and ffmpeg, against ffmpeg alone with the same cascade`,
      own('cpuSeconds'),
      bare('cascade', 'cpuSeconds'),
      's',
      1.15,
    ),
    {
      name: `${clip}: until ready`,
      measured: `${own('ready').toFixed(1)} s`,
      against: `ffmpeg alone ${bare('cascade', 'seconds').toFixed(1)} s`,
      target: '',
      reached: null,
    },
    {
      name: 'memory that the program takes beside ffmpeg while it encodes, above its own before',
      measured: `${own('megabytes').toFixed(0)} MB`,
      against: '',
      target: 'at most 100 MB',
      reached: own('megabytes') <= 100,
    },
  ];
}

async function makeFilm(path: string): Promise<void> {
  await run('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', `testsrc2=s=1920x1080:r=${rate}:d=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=f=440:d=${seconds}`, '-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '8M'],
    ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', path],
  ]);
}

/** Uploads the film, and measures from there. */
async function encodeOnce(
  { pid }: BenchProgram,
  admin: HttpClients,
  libraryId: string,
  path: string,
): Promise<{ playable: number; ready: number; cpuSeconds: number; megabytes: number }> {
  const { id, uploadId } = await uploadFilm(admin, libraryId, path);
  const cpuBefore = treeCpuSeconds(pid);
  const memoryBefore = memoryOf(pid).own;
  await ask(admin, 'POST', `/uploads/${uploadId}/complete`);
  const completedAt = Date.now();
  let most = memoryBefore;
  for (;;) {
    const video = await ask<VideoView>(admin, 'GET', `/videos/${id}`);
    if (video.status === 'failed') throw new Error(`the video failed: ${video.errorCode}`);
    most = Math.max(most, memoryOf(pid).own);
    if (video.playableAt !== null && video.readyAt !== null)
      return {
        playable: (Date.parse(video.playableAt) - completedAt) / 1000,
        ready: (Date.parse(video.readyAt) - completedAt) / 1000,
        cpuSeconds: treeCpuSeconds(pid) - cpuBefore,
        megabytes: most - memoryBefore,
      };
    await pause(200);
  }
}
