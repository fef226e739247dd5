import { setTimeout as pause } from 'node:timers/promises';
import { openStudio, pictures, tone, type Studio } from '../media/testing/recordings.ts';
import type { Figure, Part } from './figures.ts';
import { treeCpuSeconds, treeMemory, canMeasureProcesses } from './process-figures.ts';
import { startProgram } from './program.ts';
import { startSourceServer } from './source-server.ts';

const targetMegabytes = 200;
const timeoutMs = 1_800_000;
const root = '/api/content/v1';

/** Measurements of reading a recording. */
interface Reading {
  /** Maximum memory of the program with all its processes above its initial memory, in MB. */
  memory: number;
  cpu: number;
}

/** Registers a recording and waits until its sound is cut; the program stops before it is transcribed. */
async function read(name: string, kind: string, sourceUrl: string): Promise<Reading> {
  const program = await startProgram({ environment: { PLY_TRANSCRIBER_WORKERS: '1' } });
  const http = program.clients(1);
  try {
    await pause(2000);
    const [idle, cpu] = [treeMemory(program.pid).own, treeCpuSeconds(program.pid)];
    const asset = {
      externalId: name,
      filename: name,
      kind,
      sourceUrl: `${sourceUrl}/file/${name}`,
      sourceVersion: `"${name}"`,
    };
    const { jobId } = JSON.parse(
      await http.ask({ method: 'POST', path: `${root}/assets`, body: JSON.stringify(asset) }),
    ) as { jobId: string };
    const began = performance.now();
    let highest = idle;
    for (;;) {
      const { state, stage, errorCode } = JSON.parse(
        await http.ask({ method: 'GET', path: `${root}/jobs/${jobId}` }),
      ) as { state: string; stage: string; errorCode: string | null };
      highest = Math.max(highest, treeMemory(program.pid).own);
      if (stage === 'transcribing') return { memory: highest - idle, cpu: treeCpuSeconds(program.pid) - cpu };
      if (state === 'failed' || performance.now() - began > timeoutMs)
        throw new Error(`the job is ${state}: ${errorCode ?? 'no code'}`);
      await pause(250);
    }
  } finally {
    await http.close();
    await program.stop();
  }
}

async function figuresOf(studio: Studio, hours: number): Promise<Figure[]> {
  const seconds = hours * 3600;
  const files = {
    'long.mp3': await studio.make('long.mp3', ...tone(seconds), '-b:a', '48k'),
    // Its index is at the end.
    'long.mp4': await studio.make(
      'long.mp4',
      ...tone(seconds),
      ...pictures(seconds),
      '-pix_fmt',
      'yuv420p',
      '-preset',
      'ultrafast',
      '-c:a',
      'aac',
      '-b:a',
      '32k',
    ),
  };
  const source = await startSourceServer({ texts: 0, wordsPerText: 0, files });
  try {
    const figures: Figure[] = [];
    for (const [name, kind] of [
      ['long.mp3', 'audio'],
      ['long.mp4', 'video'],
    ] as const) {
      const { memory, cpu } = await read(name, kind, source.url);
      figures.push({
        name: `memory above idle while ${hours} h of ${name.slice(5)} are read and cut`,
        measured: `${memory.toFixed(0)} MB`,
        against: '',
        target: `at most ${targetMegabytes} MB`,
        reached: memory <= targetMegabytes,
      });
      figures.push({
        name: `processor time of that`,
        measured: `${cpu.toFixed(1)} s`,
        against: '',
        target: '',
        reached: null,
      });
    }
    return figures;
  } finally {
    source.stop();
  }
}

/**
 * The cost of reading a long recording until its sound is cut into chunks: three hours of it, or half an hour in the
 * short form.
 */
export const part: Part = async ({ full }) => {
  if (!canMeasureProcesses()) return { skipped: 'the memory of processes is read from /proc' };
  const studio = await openStudio();
  if ('unavailable' in studio) return { skipped: studio.unavailable };
  try {
    return await figuresOf(studio, full ? 3 : 0.5);
  } finally {
    studio.close();
  }
};
