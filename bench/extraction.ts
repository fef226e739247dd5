import { mkdtempSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeCorpus } from './extract-corpus.ts';
import type { Figure, Part } from './figures.ts';
import type { BenchRequest, HttpClients } from './http-clients.ts';
import { watchMemory } from './memory-watch.ts';
import { treeMemory, canMeasureProcesses } from './process-figures.ts';
import { startProgram, type BenchProgram } from './program.ts';
import { startSourceServer } from './source-server.ts';
import { milliseconds, percentile, ratio } from './statistics.ts';

const maxMegabytes = 400;
const maxSlowdown = 2;
const quietMs = 4000;
/** Intervals of API requests, memory samples and polls of the job. */
const requestEveryMs = 15;
const sampleEveryMs = 400;
const pollEveryMs = 400;
const root = '/api/content/v1';
const files = [
  { name: 'pages.pdf', description: 'a PDF of 500 pages' },
  { name: 'rows.csv', description: 'a CSV of 1,000,000 rows' },
  { name: 'rows.xlsx', description: 'a workbook of 200,000 rows' },
] as const;

/** Requests a job, a page of assets and a search in turn until `done`. Returns the milliseconds of each. */
async function requestUntil(
  http: HttpClients,
  requests: readonly BenchRequest[],
  done: () => boolean,
): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; !done(); index++) {
    const began = performance.now();
    await http.ask(requests[index % requests.length] ?? { method: 'GET', path: `${root}/capabilities` });
    times.push(performance.now() - began);
    await pause(requestEveryMs);
  }
  return times;
}

async function jobState(http: HttpClients, jobId: string): Promise<string> {
  const { state, errorCode } = JSON.parse(await http.ask({ method: 'GET', path: `${root}/jobs/${jobId}` })) as {
    state: string;
    errorCode: string | null;
  };
  if (state === 'failed') throw new Error(`the file was not read: ${errorCode}`);
  return state;
}

async function measureFile(
  program: BenchProgram,
  sourceUrl: string,
  { name, description }: (typeof files)[number],
  bytes: number,
): Promise<Figure[]> {
  const [api, watcher] = [program.clients(1), program.clients(1)];
  try {
    const idle = treeMemory(program.pid);
    const small = {
      externalId: `before-${name}`,
      sourceUrl: `${sourceUrl}/text/0.txt`,
      sourceVersion: '"0.txt"',
      filename: '0.txt',
      kind: 'document',
      language: 'en',
    };
    const { jobId: known } = JSON.parse(
      await watcher.ask({ method: 'POST', path: `${root}/assets`, body: JSON.stringify(small) }),
    ) as { jobId: string };
    while ((await jobState(watcher, known)) !== 'ready') await pause(50);
    const requests: BenchRequest[] = [
      { method: 'GET', path: `${root}/jobs/${known}` },
      { method: 'GET', path: `${root}/assets?limit=20` },
      { method: 'POST', path: `${root}/search`, body: JSON.stringify({ query: 'function value' }) },
    ];
    await requestUntil(api, requests, over(1000));
    // Memory samples slow the program a little, so they are also taken while it is idle.
    const memory = watchMemory(program.pid, sampleEveryMs);
    const quiet = await requestUntil(api, requests, over(quietMs));
    const large = {
      externalId: name,
      sourceUrl: `${sourceUrl}/file/${name}`,
      sourceVersion: `"${name}"`,
      filename: name,
      kind: 'document',
      language: 'en',
    };
    const began = performance.now();
    const { jobId } = JSON.parse(
      await watcher.ask({ method: 'POST', path: `${root}/assets`, body: JSON.stringify(large) }),
    ) as { jobId: string };
    let ended = false;
    const watching = (async () => {
      while ((await jobState(watcher, jobId)) !== 'ready') await pause(pollEveryMs);
    })().finally(() => {
      ended = true;
    });
    const busy = await requestUntil(api, requests, () => ended);
    await watching;
    const peak = await memory.stop();
    const [before, during] = [percentile(quiet, 0.95), percentile(busy, 0.95)];
    const took = `${(bytes / 1e6).toFixed(0)} MB in ${((performance.now() - began) / 1000).toFixed(0)} s`;
    return [
      {
        name: `${description} (${took}, words only): memory of the whole program above idle`,
        measured: `${(peak.own - idle.own).toFixed(0)} MB, with mapped pages of files ${(peak.all - idle.all).toFixed(0)} MB`,
        against: `idle: ${idle.own.toFixed(0)} MB, with mapped pages ${idle.all.toFixed(0)} MB`,
        target: `at most ${maxMegabytes} MB of its own`,
        reached: peak.own - idle.own <= maxMegabytes,
      },
      {
        name: `${description}: p95 of the API meanwhile`,
        measured: `${milliseconds(during)} = ${ratio(during / before)} (${busy.length} requests)`,
        against: `quiet: ${milliseconds(before)}`,
        target: `under ${maxSlowdown}x`,
        reached: during / before < maxSlowdown,
      },
    ];
  } finally {
    await Promise.all([api.close(), watcher.close()]);
  }
}

function over(milliseconds: number): () => boolean {
  const until = performance.now() + milliseconds;
  return () => performance.now() > until;
}

/**
 * Large files through the whole program: its memory, and response times meanwhile. Without a model, to measure reading.
 */
export const part: Part = async () => {
  if (!canMeasureProcesses()) return { skipped: 'the memory of a process is read from /proc' };
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-extraction-'));
  try {
    await writeCorpus(folder);
    const paths = Object.fromEntries(files.map(({ name }) => [name, join(folder, 'large', name)]));
    const source = await startSourceServer({ texts: 1, wordsPerText: 200, files: paths });
    const figures: Figure[] = [];
    try {
      for (const file of files) {
        const program = await startProgram({ environment: { PLY_EMBEDDING_THREADS: '0' } });
        try {
          await pause(3000);
          figures.push(...(await measureFile(program, source.url, file, statSync(paths[file.name] ?? '').size)));
        } finally {
          await program.stop();
        }
      }
    } finally {
      source.stop();
    }
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
