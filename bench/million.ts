import { mkdtempSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure, Part } from './figures.ts';
import { passagesAtSecond, type Point } from './million-growth.ts';
import { libraryIn, type Laying, type MillionLibrary } from './million-library.ts';
import { counted, measureSearches } from './million-search.ts';
import { measureLegs } from './search-legs.ts';
import { milliseconds } from './statistics.ts';

/** Bytes of a stored vector; in memory it takes a quarter of that. */
const vectorBytes = 384 * 4;
/** Sizes of the library, in passages, at which it is measured. */
const stages = [100_000, 300_000, 1_000_000];
/** Passages a second that are laid down, at least. */
const minRate = 1000;

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

async function sizes({ folder, passages }: MillionLibrary): Promise<Figure> {
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

function layingRate(passages: number, laying: Laying): Figure {
  const rate = laying.passages / laying.seconds;
  return {
    name: `${counted(passages - laying.passages)} to ${counted(passages)} passages: time to lay them down`,
    measured: `${laying.seconds.toFixed(0)} s, ${rate.toFixed(0)} passages/s`,
    against: `then ${laying.codesSeconds.toFixed(1)} s for codes of their vectors, beside searches`,
    target: `at least ${counted(minRate)} passages/s`,
    reached: rate >= minRate,
  };
}

/**
 * Measures searches, memory and files in libraries of the given sizes, each of which goes on from the one before. What is
 * in the folder already is used as it is; how long it took to lay that down is not said.
 */
export async function measure(root: string, sizesAt: readonly number[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  const points: Point[] = [];
  let smaller: MillionLibrary | null = null;
  for (const passages of sizesAt) {
    const { library, laying } = await libraryIn(root, passages, smaller);
    if (laying !== null) figures.push(layingRate(passages, laying));
    figures.push(await sizes(library));
    figures.push(...(await measureLegs(`${counted(passages)} passages`, library)));
    const searched = await measureSearches(library);
    figures.push(...searched.figures);
    points.push({ passages, p95: searched.p95 });
    smaller = library;
  }
  return [...figures, takeOver(points)];
}

/** An organization of up to a million generated passages: its searches, memory and files while it grows. */
export const part: Part = async ({ library }) => {
  if (library !== null) return measure(library, stages);
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-million-'));
  try {
    return await measure(folder, stages);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
