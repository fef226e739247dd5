import { mkdtempSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure, Part } from './figures.ts';
import { passagesAtSecond, type Point } from './million-growth.ts';
import { openGrowingLibrary, type GrowingLibrary } from './million-library.ts';
import { treeMemory, canMeasureProcesses } from './process-figures.ts';
import { startProgram } from './program.ts';
import { measureLegs } from './search-legs.ts';
import { libraryEnvironment, principals } from './search-library.ts';
import { milliseconds, percentile } from './statistics.ts';

const path = '/api/content/v1/search';
/** Number of measured searches of one client and of several, and of those before them that fill the caches. */
const [searches, searchesOfSeveral, warmUp] = [40, 80, 3];
/** Number of concurrent clients besides one. */
const several = 8;
/** Bytes of a stored vector; in memory it takes a quarter of that. */
const vectorBytes = 384 * 4;
/** Sizes of the library, in passages, at which it is measured. */
const stages = [100_000, 300_000, 1_000_000];
/** Milliseconds to reach, by passages, share of permitted ones and clients. */
const targets: { readonly [of: string]: { p50?: number; p95?: number } } = {
  '100000 100% 1': { p50: 20 },
  '1000000 100% 1': { p50: 100, p95: 250 },
  '1000000 1% 1': { p50: 60, p95: 150 },
  '1000000 100% 8': { p95: 1000 },
};

const counted = (passages: number): string => passages.toLocaleString('en');

/** Maximum number of timeouts of the first search after a start: the file may not be in the system's cache yet. */
const maxTimeouts = 5;

interface First {
  body: { items: unknown[] };
  /** Milliseconds from the first request to the response. */
  milliseconds: number;
  unanswered: number;
}

async function firstAnswer(ask: () => Promise<string>): Promise<First> {
  const began = performance.now();
  for (let unanswered = 0; ; unanswered += 1) {
    try {
      return { body: JSON.parse(await ask()) as First['body'], milliseconds: performance.now() - began, unanswered };
    } catch (error) {
      if (unanswered === maxTimeouts) throw error;
      process.stdout.write(
        `not answered: ${error instanceof Error ? error.message.slice(0, 100) : 'for an unknown reason'}\n`,
      );
    }
  }
}

interface Searched {
  figures: Figure[];
  /** p95 of unrestricted searches. */
  p95: number;
}

/** The latencies of searches in a library of so many passages. */
function latencies(
  passages: number,
  share: string,
  clients: number,
  times: readonly number[],
  against: string,
): Figure {
  const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
  const target = targets[`${passages} ${share} ${clients}`];
  const bounds = [
    ...(target?.p50 === undefined ? [] : [{ text: `p50 at most ${target.p50} ms`, isMet: p50 <= target.p50 }]),
    ...(target?.p95 === undefined ? [] : [{ text: `p95 at most ${target.p95} ms`, isMet: p95 <= target.p95 }]),
  ];
  return {
    name: `${counted(passages)} passages, principals see ${share}, ${clients === 1 ? '1 client' : `${clients} clients`}: p50 and p95`,
    measured: `${milliseconds(p50)} and ${milliseconds(p95)}`,
    against,
    target: bounds.map(({ text }) => text).join(', '),
    reached: bounds.length === 0 ? null : bounds.every(({ isMet }) => isMet),
  };
}

async function search(folder: string, library: GrowingLibrary, passages: number): Promise<Searched> {
  const program = await startProgram({
    folder,
    organizationId: library.organizationId,
    environment: libraryEnvironment,
  });
  const [http, many] = [program.clients(1), program.clients(several)];
  const figures: Figure[] = [];
  let p95 = Number.NaN;
  const name = `${counted(passages)} passages`;
  try {
    for (const [share, principal] of Object.entries(principals)) {
      const request = (index: number) =>
        ({
          method: 'POST',
          path,
          body: JSON.stringify({
            query: library.queries[index % library.queries.length],
            principals: [principal],
            limit: 10,
          }),
        }) as const;
      const first = await firstAnswer(() => http.ask(request(0)));
      const cold = `the first after the start: ${milliseconds(first.milliseconds)}${first.unanswered === 0 ? '' : `, asked ${first.unanswered + 1} times`}`;
      if (first.body.items.length === 0 && principal === principals['100%'])
        throw new Error('the library does not answer its own queries');
      await http.run(warmUp, (index) => request(index + 1));
      const { times } = await http.run(searches, (index) => request(index + 1 + warmUp));
      p95 = percentile(times, 0.95);
      process.stdout.write(`${name}, ${share}: ${milliseconds(p95)}; first: ${milliseconds(first.milliseconds)}\n`);
      figures.push(latencies(passages, share, 1, times, figures.length === 0 ? cold : ''));
      const together = await many.run(searchesOfSeveral, (index) => request(index + 1 + warmUp));
      const rate = `${(searchesOfSeveral / together.seconds).toFixed(0)} answers/s; 1 client: ${(1000 / percentile(times, 0.5)).toFixed(0)}`;
      figures.push(latencies(passages, share, several, together.times, rate));
    }
    if (canMeasureProcesses()) {
      const { own, all } = treeMemory(program.pid);
      figures.push({
        name: `${name}: memory of the whole program after it`,
        measured: `${own.toFixed(0)} MB, with mapped pages of files ${all.toFixed(0)} MB`,
        against: '',
        target: '',
        reached: null,
      });
    }
  } finally {
    await Promise.all([http.close(), many.close()]);
    await program.stop();
  }
  return { figures, p95 };
}

function takeOver(points: readonly Point[]): Figure {
  const at = passagesAtSecond(points);
  const rounded = at === null ? '' : counted(Number(at.passages.toPrecision(2)));
  return {
    name: 'passages of an organization at which p95 is a second, where Milvus should take over',
    measured:
      at === null
        ? 'times do not grow with the passages measured here'
        : `${rounded}, on the line ${at.isBetweenPoints ? 'between the measured points around it' : 'through the last two measured points'}`,
    against: points.map(({ passages, p95 }) => `${counted(passages)}: ${milliseconds(p95)}`).join('; '),
    target: '',
    reached: null,
  };
}

async function sizes(folder: string, passages: number): Promise<Figure> {
  const [index, records] = await Promise.all(
    ['passages.db', 'records.db'].map(async (file) => (await stat(join(folder, file))).size),
  );
  const megabytes = (bytes = 0): string =>
    `${(bytes / 1e6).toFixed(0)} MB, ${(bytes / passages / 1000).toFixed(2)} kB a passage`;
  return {
    name: `${counted(passages)} passages of 200 words: files`,
    measured: `index ${megabytes(index)}; records ${megabytes(records)}`,
    against: `vectors alone: ${megabytes(passages * vectorBytes)}`,
    target: '',
    reached: null,
  };
}

/** Grows a library over the given sizes and measures searches, memory and files at each. */
export async function measure(folder: string, sizesAt: readonly number[]): Promise<Figure[]> {
  const library = await openGrowingLibrary(folder);
  const figures: Figure[] = [];
  const points: Point[] = [];
  let laid = 0;
  for (const passages of sizesAt) {
    const seconds = await library.growTo(passages);
    figures.push({
      name: `${counted(laid)} to ${counted(passages)} passages: time to lay them down`,
      measured: `${seconds.toFixed(0)} s, ${((passages - laid) / seconds).toFixed(0)} passages/s`,
      against: '',
      target: '',
      reached: null,
    });
    laid = passages;
    figures.push(await sizes(folder, passages));
    figures.push(...(await measureLegs(`${counted(passages)} passages`, { folder, ...library })));
    const searched = await search(folder, library, passages);
    figures.push(...searched.figures);
    points.push({ passages, p95: searched.p95 });
  }
  return [...figures, takeOver(points)];
}

/** An organization of up to a million generated passages: its searches, memory and files while it grows. */
export const part: Part = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-million-'));
  try {
    return await measure(folder, stages);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
