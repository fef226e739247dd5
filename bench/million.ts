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
/** Number of measured searches of each kind, and of those before them that fill the caches. */
const [searches, warmUp] = [40, 3];
/** Bytes of a stored vector; in memory it takes a quarter of that. */
const vectorBytes = 384 * 4;
/** Sizes of the library, in passages, at which it is measured. */
const stages = [100_000, 300_000, 1_000_000];

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

async function search(folder: string, library: GrowingLibrary, passages: number): Promise<Searched> {
  const program = await startProgram({
    folder,
    organizationId: library.organizationId,
    environment: libraryEnvironment,
  });
  const http = program.clients(1);
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
      figures.push({
        name: `${name}, principals see ${share}, 1 client: p50 and p95`,
        measured: `${milliseconds(percentile(times, 0.5))} and ${milliseconds(p95)}`,
        against: figures.length === 0 ? cold : '',
        target: '',
        reached: null,
      });
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
    await http.close();
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
