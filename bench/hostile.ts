import { mkdtempSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openStudio, pictures, tone } from '../media/testing/recordings.ts';
import type { Figure, Part } from './figures.ts';
import { hostileFiles } from './hostile-files.ts';
import { startHostileSources } from './hostile-sources.ts';
import type { HttpClients } from './http-clients.ts';
import { startProgram, type BenchProgram } from './program.ts';
import { startSourceServer } from './source-server.ts';
import { milliseconds, percentile, ratio } from './statistics.ts';
import { drawText, englishWords, randomNumbers } from './vocabulary.ts';

const root = '/api/content/v1';
const maxSeconds = 60;
const maxSlowdown = 2;
const texts = 300;
/** Timeout of a job in milliseconds. */
const timeoutMs = 600_000;
/** Concurrent files: each is timed separately, without the wait for a slot. */
const concurrency = 2;

interface Job {
  name: string;
  kind: string;
  url: string;
  version: string;
}

interface Ended {
  name: string;
  seconds: number;
  end: string;
}

const kinds: Readonly<Record<string, string>> = {
  '.mp4': 'video',
  '.mkv': 'video',
  '.avi': 'video',
  '.mp3': 'audio',
  '.wav': 'audio',
  '.flac': 'audio',
};

function kindOf(name: string): string {
  return kinds[extname(name)] ?? 'document';
}

/** Malicious recordings; none if ffmpeg is not installed. */
async function hostileRecordings(): Promise<{ [name: string]: Buffer }> {
  const studio = await openStudio();
  if ('unavailable' in studio) return {};
  try {
    const video = readFileSync(await studio.make('made.mp4', ...tone(3), ...pictures(3), '-pix_fmt', 'yuv420p'));
    const changed = (change: (copy: Buffer) => void): Buffer => {
      const copy = Buffer.from(video);
      change(copy);
      return copy;
    };
    const flac = readFileSync(await studio.make('made.flac', ...tone(3)));
    flac.writeUInt32BE(0xffffffff, 22);
    const wav = readFileSync(await studio.make('made.wav', ...tone(3)));
    return {
      'playlist.mp4': Buffer.from('#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n'),
      'absurd-dimensions.mp4': changed((copy) => {
        for (let at = copy.indexOf('avc1'); at > 0; at = copy.indexOf('avc1', at + 4))
          copy.writeUInt32BE(0xfffffff0, at + 28);
      }),
      'lying-length.mp4': changed((copy) => {
        copy.writeUInt32BE(0xfffffff, copy.indexOf('mvhd') + 20);
      }),
      'samples-without-end.mp4': changed((copy) => {
        copy.writeUInt32BE(0xffffffff, copy.indexOf('stco') + 8);
      }),
      'cut-off.mp4': video.subarray(0, 2000),
      'lying-length.flac': flac,
      'times-without-end.mkv': readFileSync(
        await studio.make('late.mkv', ...tone(1), ...pictures(1), '-output_ts_offset', '40000'),
      ),
      'noise.wav': Buffer.from(wav.map((byte, at) => (at < 60 ? byte : (at * 7919) & 255))),
      'nothing.mp3': Buffer.alloc(10_000_000),
    };
  } finally {
    studio.close();
  }
}

async function register(http: HttpClients, { name, kind, url, version }: Job): Promise<string> {
  const body = JSON.stringify({
    externalId: name,
    filename: name,
    kind,
    sourceUrl: url,
    sourceVersion: version,
    ...(kind === 'video' ? { extractContentFromVideoFrames: true } : {}),
  });
  return (JSON.parse(await http.ask({ method: 'POST', path: `${root}/assets`, body })) as { jobId: string }).jobId;
}

async function untilEnded(http: HttpClients, jobId: string): Promise<string | null> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const { state, errorCode } = JSON.parse(await http.ask({ method: 'GET', path: `${root}/jobs/${jobId}` })) as {
      state: string;
      errorCode: string | null;
    };
    if (state === 'ready' || state === 'failed' || state === 'cancelled') return errorCode ?? state;
    await pause(100);
  }
  return null;
}

/** Registers files, a few at a time, and waits for the end of each job. */
async function throughAll(http: HttpClients, jobs: readonly Job[]): Promise<Ended[]> {
  const ended: Ended[] = [];
  const waiting = [...jobs];
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
        const began = performance.now();
        const end = await untilEnded(http, await register(http, job));
        const seconds = (performance.now() - began) / 1000;
        ended.push({ name: job.name, seconds, end: end ?? 'not ended' });
        process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${job.name}: ${end ?? 'not ended'}\n`);
      }
    }),
  );
  return ended;
}

/** Searches one after another with a short pause until `isOver`. Returns their times. */
async function searchUntil(http: HttpClients, queries: readonly string[], isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; !isOver(); at++) {
    const began = performance.now();
    await http.ask({
      method: 'POST',
      path: `${root}/search`,
      body: JSON.stringify({ query: queries[at % queries.length] ?? '', limit: 10 }),
    });
    times.push(performance.now() - began);
    await pause(50);
  }
  return times;
}

async function measure(program: BenchProgram, files: Record<string, string>): Promise<Figure[]> {
  const source = await startSourceServer({ texts, wordsPerText: 400, files });
  const sources = await startHostileSources();
  const [searcher, attacker] = [program.clients(1), program.clients(1, await program.organization('Attackers'))];
  try {
    const library: Job[] = Array.from({ length: texts }, (_, at) => ({
      name: `${at}.txt`,
      kind: 'document',
      url: `${source.url}/text/${at}.txt`,
      version: `"${at}.txt"`,
    }));
    for (const jobId of await Promise.all(library.map((job) => register(searcher, job))))
      await untilEnded(searcher, jobId);
    const random = randomNumbers(5);
    const words = englishWords();
    const queries = Array.from({ length: 200 }, () => drawText(words, 3, random));
    const timed = (seconds: number): Promise<number[]> => {
      const end = performance.now() + seconds * 1000;
      return searchUntil(searcher, queries, () => performance.now() > end);
    };
    // The first searches fill caches.
    await timed(3);
    const quiet = await timed(15);
    for (const name of sources.names)
      await register(attacker, {
        name: `source-${name}`,
        kind: kindOf(name),
        url: `${sources.url}/${name}`,
        version: '"1"',
      });
    let isOver = false;
    const searching = searchUntil(searcher, queries, () => isOver);
    const jobs = Object.keys(files).map((name): Job => ({
      name,
      kind: kindOf(name),
      url: `${source.url}/file/${name}`,
      version: `"${name}"`,
    }));
    const ended = await throughAll(attacker, jobs).finally(() => {
      isOver = true;
    });
    const loaded = await searching;
    return figuresOf(ended, sources.names.length, percentile(quiet, 0.95), percentile(loaded, 0.95), loaded.length);
  } finally {
    await searcher.close();
    await attacker.close();
    source.stop();
    sources.stop();
  }
}

function figuresOf(
  ended: readonly Ended[],
  sourceCount: number,
  quiet: number,
  loaded: number,
  searches: number,
): Figure[] {
  const slowest = ended.toSorted((a, b) => b.seconds - a.seconds);
  const longestJobs = slowest
    .slice(0, 3)
    .map(({ name, seconds }) => `${name} ${seconds.toFixed(1)} s`)
    .join(', ');
  const longest = slowest[0]?.seconds ?? Number.NaN;
  const crashed = ended.filter(
    ({ end }) => end === 'not ended' || end === 'internal_error' || end === 'worker_lost',
  ).length;
  return [
    {
      name: `${ended.length} hostile files, ${concurrency} at a time, beside ${sourceCount} hostile sources: longest time to a job's end`,
      measured: `${longest.toFixed(1)} s`,
      against: `the longest: ${longestJobs}`,
      target: `at most ${maxSeconds} s`,
      reached: longest <= maxSeconds,
    },
    {
      name: 'of them not ended, or ended with a fault of the program',
      measured: String(crashed),
      against: '',
      target: '0',
      reached: crashed === 0,
    },
    {
      name: `searches of another organization meanwhile: p95 of ${searches}`,
      measured: `${milliseconds(loaded)} = ${ratio(loaded / quiet)}`,
      against: `before: ${milliseconds(quiet)}`,
      target: `below ${maxSlowdown}x`,
      reached: loaded / quiet < maxSlowdown,
    },
  ];
}

/**
 * Malicious files, recordings and sources through the whole program: the time of each job, and the effect on other
 * organizations.
 */
export const part: Part = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-hostile-'));
  const paths: Record<string, string> = {};
  try {
    const keep = async (name: string, content: Buffer): Promise<void> => {
      paths[name] = join(folder, name);
      await writeFile(join(folder, name), content);
    };
    for (const [name, make] of Object.entries(hostileFiles)) await keep(name, make());
    for (const [name, content] of Object.entries(await hostileRecordings())) await keep(name, content);
    const program = await startProgram();
    try {
      return await measure(program, paths);
    } finally {
      await program.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
