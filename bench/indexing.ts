import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Figure, Part } from './figures.ts';
import { startBareModel } from './model-bare.ts';
import { cpuSeconds, processTreeOf, canMeasureProcesses } from './process-figures.ts';
import { counterOf, startProgram, type BenchProgram } from './program.ts';
import { startSourceServer } from './source-server.ts';
import { median, ratio } from './statistics.ts';

const wordsPerText = 200;
const perImport = 100;
/**
 * Numbers of files that are indexed with the model, each time between two runs of the bare model over half of the
 * texts.
 */
const withTheModel = { allThreads: { files: 2000, rounds: 3 }, oneThread: { files: 500, rounds: 2 } };
/**
 * Files that are indexed first: the first few hundred take a quarter more CPU time, because code is still being
 * compiled.
 */
const warmUpFiles = 400;
/** Minimum interval of polls in milliseconds: the maximum error of the measured end. */
const minPause = 10;
const minShare = 0.85;
const minWordsOnly = 150;

function registration(url: string, index: number, round: string): object {
  return {
    externalId: `${round}-${index}`,
    sourceUrl: `${url}/text/${index}.txt`,
    sourceVersion: `"${index}.txt"`,
    filename: `${index}.txt`,
    kind: 'document',
    language: 'en',
  };
}

/** Elapsed seconds and CPU seconds. */
interface Duration {
  seconds: number;
  cpu: number;
}

async function ended(program: BenchProgram): Promise<number> {
  return counterOf(program, 'ply_jobs_ended_total', 'state="ready"');
}

function treeCpu(program: BenchProgram): number {
  return canMeasureProcesses() ? processTreeOf(program.pid).reduce((sum, pid) => sum + cpuSeconds(pid), 0) : Number.NaN;
}

/**
 * Registers the texts from `from` to before `to` and waits until all are searchable. Returns elapsed and CPU seconds.
 */
async function index(
  program: BenchProgram,
  sourceUrl: string,
  from: number,
  to: number,
  round: string,
): Promise<Duration> {
  const http = program.clients(1);
  const wanted = (await ended(program)) + to - from;
  const cpuBefore = treeCpu(program);
  const began = performance.now();
  for (let at = from; at < to; at += perImport) {
    const assets = Array.from({ length: Math.min(perImport, to - at) }, (_, index) =>
      registration(sourceUrl, at + index, round),
    );
    await http.ask({ method: 'POST', path: '/api/content/v1/imports', body: JSON.stringify({ assets }) });
  }
  const first = performance.now();
  let left = wanted - (await ended(program));
  for (const atFirst = left; left > 0; left = wanted - (await ended(program))) {
    if (performance.now() - began > 600_000) throw new Error('the files were not indexed within ten minutes');
    // Polls rarely at first, because rendering the metrics delays indexing.
    const perFile = left < atFirst ? (performance.now() - first) / (atFirst - left) : 10;
    await pause(Math.max(minPause, Math.min(2000, left * perFile * 0.8)));
  }
  const outcome = { seconds: (performance.now() - began) / 1000, cpu: treeCpu(program) - cpuBefore };
  await http.close();
  return outcome;
}

/** The program compared with the bare model, each with the same number of threads for the model. */
async function withModel(
  sourceUrl: string,
  threads: number,
  { files, rounds }: { files: number; rounds: number },
): Promise<Figure> {
  const bare = await startBareModel({ texts: rounds * files, wordsPerText, threads });
  const program = await startProgram({ environment: { PLY_EMBEDDING_THREADS: String(threads) } });
  try {
    await index(program, sourceUrl, rounds * files, rounds * files + warmUpFiles, 'warm');
    const each = ({ seconds, cpu }: Duration, texts: number): Duration => ({
      seconds: seconds / texts,
      cpu: cpu / texts,
    });
    const [ours, alone]: [Duration[], Duration[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      // New texts each time, because known content is not charged again.
      const [from, to] = [round * files, (round + 1) * files];
      const half = from + Math.ceil(files / 2);
      alone.push(each(await bare.embed(from, half), half - from));
      ours.push(each(await index(program, sourceUrl, from, to, 'model'), files));
      alone.push(each(await bare.embed(half, to), to - half));
    }
    const rateOf = (all: Duration[]): number => 1 / median(all.map(({ seconds }) => seconds));
    const cpuOf = (all: Duration[]): string => (median(all.map((one) => one.cpu)) * 1000).toFixed(1);
    const [rate, modelRate] = [rateOf(ours), rateOf(alone)];
    const named = `${threads} ${threads === 1 ? 'thread' : 'threads'}`;
    return {
      name: `indexing ${files} text files of ${wordsPerText} words${threads === availableParallelism() ? '' : `, ${named} for the model`}`,
      measured: `${rate.toFixed(1)} files/s = ${ratio(rate / modelRate)}; ${cpuOf(ours)} ms of processor time a file`,
      against: `the model alone, ${named}: ${modelRate.toFixed(1)} texts/s; ${cpuOf(alone)} ms of processor time a text`,
      target: `at least ${minShare}x`,
      reached: rate / modelRate >= minShare,
    };
  } finally {
    bare.stop();
    await program.stop();
  }
}

async function wordsOnly(sourceUrl: string, count: number, rounds: number): Promise<Figure[]> {
  const program = await startProgram({ environment: { PLY_EMBEDDING_THREADS: '0' } });
  try {
    await index(program, sourceUrl, 0, Math.min(50, count), 'warm');
    const outcomes: Duration[] = [];
    for (let round = 0; round < rounds; round++)
      outcomes.push(await index(program, sourceUrl, 0, count, `words-${round}`));
    const rate = median(outcomes.map(({ seconds }) => count / seconds));
    const cpu = median(outcomes.map((outcome) => (outcome.cpu / count) * 1000));
    return [
      {
        name: `indexing ${count} text files of ${wordsPerText} words, words only, every step durable`,
        measured: `${rate.toFixed(0)} files/s, ${cpu.toFixed(1)} ms of processor time a file`,
        against: `${availableParallelism()} cores would give ${((availableParallelism() * 1000) / cpu).toFixed(0)} files/s if nothing waited`,
        target: `at least ${minWordsOnly} files/s`,
        reached: rate >= minWordsOnly,
      },
    ];
  } finally {
    await program.stop();
  }
}

/**
 * Files per second through the whole program, from registration to searchable. With as many model threads as cores, all
 * other work takes time from the model; with fewer it need not.
 */
export const part: Part = async ({ full }) => {
  const { allThreads, oneThread } = withTheModel;
  const cores = availableParallelism();
  const source = await startSourceServer({
    texts: allThreads.files * allThreads.rounds + warmUpFiles,
    wordsPerText,
    files: {},
  });
  try {
    const figures = [
      ...(await wordsOnly(source.url, full ? 2000 : 400, 3)),
      await withModel(source.url, cores, allThreads),
    ];
    return cores === 1 ? figures : [...figures, await withModel(source.url, 1, oneThread)];
  } finally {
    source.stop();
  }
};
