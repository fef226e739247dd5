import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { missingPrograms } from '../scripts/setup/system-programs.mjs';
import type { Part } from './figures.ts';
import type { HttpClients } from './http-clients.ts';
import { treeCpuSeconds, treeMemory } from './process-figures.ts';
import { startProgram } from './program.ts';
import { startSourceServer } from './source-server.ts';
import { drawText, englishWords, randomNumbers } from './vocabulary.ts';

const run = promisify(execFile);
const root = '/api/content/v1';
const secondsOfSlide = 20;

/** Text of the slides, the same in every run: a heading and five lines each. */
function slideTexts(count: number): string[][] {
  const random = randomNumbers(31);
  const vocabulary = englishWords();
  return Array.from({ length: count }, () => [
    drawText(vocabulary, 3, random),
    ...Array.from({ length: 5 }, () => drawText(vocabulary, 6, random)),
  ]);
}

/**
 * Creates a recording of slides without sound, 1280 by 720, 25 frames per second: each slide separately, then joined.
 */
async function makeRecording(folder: string, name: string, texts: readonly string[][]): Promise<string> {
  const font = join(
    dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json')),
    'standard_fonts',
    'LiberationSans-Regular.ttf',
  );
  const list = join(folder, 'slides.txt');
  for (const [slide, lines] of texts.entries()) {
    const drawn = lines.map(
      (line, at) => `drawtext=fontfile=${font}:text='${line}':fontsize=${at === 0 ? 54 : 34}:x=80:y=${60 + at * 100}`,
    );
    const still = join(folder, `${slide}.pgm`);
    await run('ffmpeg', [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'color=white:s=1280x720',
      '-vf',
      drawn.join(','),
      '-frames:v',
      '1',
      still,
    ]);
    await run('ffmpeg', [
      '-v',
      'error',
      '-loop',
      '1',
      '-framerate',
      '25',
      '-t',
      String(secondsOfSlide),
      '-i',
      still,
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-pix_fmt',
      'yuv420p',
      join(folder, `${slide}.mp4`),
    ]);
  }
  await writeFile(list, texts.map((_, slide) => `file '${slide}.mp4'\n`).join(''));
  const path = join(folder, name);
  await run('ffmpeg', ['-v', 'error', '-f', 'concat', '-i', list, '-c', 'copy', '-movflags', '+faststart', path]);
  return path;
}

async function untilReady(http: HttpClients, jobId: string, each: () => void): Promise<void> {
  for (;;) {
    const { state, errorCode } = JSON.parse(await http.ask({ method: 'GET', path: `${root}/jobs/${jobId}` })) as {
      state: string;
      errorCode: string | null;
    };
    if (state === 'ready') return;
    if (state === 'failed') throw new Error(`the recording was not read: ${errorCode}`);
    each();
    await pause(500);
  }
}

/**
 * A recording of slides through the whole program: its time compared with the length of the recording, and the number
 * of slides found by their words.
 */
export const part: Part = async ({ full }) => {
  const missing = missingPrograms(process.env).filter(({ program }) => program === 'ffmpeg' || program === 'tesseract');
  if (missing.length > 0)
    return {
      skipped: `it needs ${missing.map(({ program }) => program).join(' and ')}: apt-get install ${missing.flatMap(({ packages }) => packages).join(' ')}`,
    };
  const minutes = full ? 30 : 10;
  const texts = slideTexts((minutes * 60) / secondsOfSlide);
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-slides-'));
  try {
    const path = await makeRecording(folder, 'slides.mp4', texts);
    const source = await startSourceServer({ texts: 0, wordsPerText: 0, files: { 'slides.mp4': path } });
    const program = await startProgram({ environment: { PLY_EMBEDDING_THREADS: '0' } });
    const http = program.clients(1);
    try {
      await pause(3000);
      const idle = treeMemory(program.pid).own;
      const cpuBefore = treeCpuSeconds(program.pid);
      const began = performance.now();
      const asset = {
        externalId: 'slides',
        sourceUrl: `${source.url}/file/slides.mp4`,
        sourceVersion: '"slides.mp4"',
        filename: 'slides.mp4',
        kind: 'video',
        language: 'en',
        extractContentFromVideoFrames: true,
      };
      const { jobId } = JSON.parse(
        await http.ask({ method: 'POST', path: `${root}/assets`, body: JSON.stringify(asset) }),
      ) as { jobId: string };
      let peak = 0;
      await untilReady(http, jobId, () => {
        peak = Math.max(peak, treeMemory(program.pid).own);
      });
      const seconds = (performance.now() - began) / 1000;
      const cpu = treeCpuSeconds(program.pid) - cpuBefore;
      let found = 0;
      for (const [slide, lines] of texts.entries()) {
        const { items } = JSON.parse(
          await http.ask({
            method: 'POST',
            path: `${root}/search`,
            body: JSON.stringify({ query: lines[1] ?? '', limit: 1 }),
          }),
        ) as { items: { location: { startSeconds: number } }[] };
        if (Math.abs((items[0]?.location.startSeconds ?? -100) - slide * secondsOfSlide) <= 2) found++;
      }
      return [
        {
          name: `a recording of ${minutes} minutes with ${texts.length} slides: until it is ready`,
          measured: `${seconds.toFixed(0)} s, ${cpu.toFixed(0)} s of processor time of all its processes`,
          against: `its own length: ${minutes * 60} s`,
          target: 'less than its length',
          reached: seconds < minutes * 60,
        },
        {
          name: 'slides found first by their second line, at the right time',
          measured: `${found} of ${texts.length}`,
          against: '',
          target: '',
          reached: null,
        },
        {
          name: 'memory of the whole program above idle',
          measured: `${(peak - idle).toFixed(0)} MB`,
          against: `idle: ${idle.toFixed(0)} MB`,
          target: '',
          reached: null,
        },
      ];
    } finally {
      await http.close();
      await program.stop();
      source.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
