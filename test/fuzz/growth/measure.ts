import { defaultLimits } from '../../../formats/reader.ts';
import { readerOf } from '../../../formats/readers.ts';
import { packageShapes } from './course.ts';
import { docxShapes } from './docx.ts';
import { htmlShapes } from './html.ts';
import { pdfShapes } from './pdf.ts';
import { pptxShapes } from './pptx.ts';
import type { GrowingShape } from './shape.ts';
import { textShapes } from './text.ts';
import { xlsxShapes } from './xlsx.ts';

/*
 * Measures the shapes of one group and prints those with too much growth, one per line. It is a separate program,
 * because the PDF library does not load in Jest.
 *
 * Reading time must be about linear in file size: with quadratic time, a small file occupies a process for seconds.
 * Each shape is read at doubling sizes, and the CPU time of this process is measured. Times vary on a busy machine, so
 * a shape that seems too slow is measured again several times at each size, and the minimum counts.
 */

/** Generated files are more repetitive than real ones. */
const limits = { ...defaultLimits, maxArchiveRatio: Infinity };
/** A size is large enough if reading takes this many milliseconds, or the file has this many bytes. */
const largeEnough = { milliseconds: 30, bytes: 512 * 1024, maxRepetitions: 128_000 };
/** Maximum growth of time from one size to its double, twice in a row. */
const maxGrowth = 3;
const confirmations = 3;

/** CPU time in milliseconds to read a file. */
async function timeOf({ format, build }: GrowingShape, n: number): Promise<{ milliseconds: number; bytes: number }> {
  const content = Buffer.from(build(n));
  const read = await readerOf(format);
  const before = process.cpuUsage();
  try {
    const file = { path: '', bytes: content.length, content };
    for await (const _ of read(file, limits, () => undefined)) continue;
  } catch {
    // A refused file has taken its time too.
  }
  const { user, system } = process.cpuUsage(before);
  return { milliseconds: (user + system) / 1000, bytes: content.length };
}

/** The minimum of several readings. */
async function minTimeOf(shape: GrowingShape, n: number): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < confirmations; count++) times.push((await timeOf(shape, n)).milliseconds);
  return Math.min(...times);
}

const grows = ([first = 0, second = 0, third = 0]: readonly number[]): boolean =>
  third > largeEnough.milliseconds / 2 && third > second * maxGrowth && second > first * maxGrowth;

/** The fault of a shape, with its times at three sizes; null if it has none. */
async function faultOf(shape: GrowingShape): Promise<string | null> {
  await timeOf(shape, 64);
  let n = 500;
  for (; n < largeEnough.maxRepetitions; n *= 2) {
    const { milliseconds, bytes } = await timeOf(shape, n);
    if (milliseconds > largeEnough.milliseconds || bytes > largeEnough.bytes) break;
  }
  const sizes = [n / 4, n / 2, n];
  const times: number[] = [];
  for (const size of sizes) times.push((await timeOf(shape, size)).milliseconds);
  // A first measurement that is cheap: both steps together.
  if ((times[2] ?? 0) < largeEnough.milliseconds / 2 || (times[2] ?? 0) < (times[0] ?? 0) * 6) return null;
  const least: number[] = [];
  for (const size of sizes) least.push(await minTimeOf(shape, size));
  if (!grows(least)) return null;
  const reported = sizes.map((size, index) => `${size}: ${(least[index] ?? 0).toFixed(0)} ms`);
  return `${shape.format} ${shape.name} takes ${reported.join(', ')}`;
}

const groups: Readonly<Record<string, readonly GrowingShape[]>> = {
  text: textShapes,
  html: htmlShapes,
  docx: docxShapes,
  xlsx: xlsxShapes,
  pptx: pptxShapes,
  package: packageShapes,
  pdf: pdfShapes,
};

for (const shape of groups[process.argv[2] ?? ''] ?? []) {
  const fault = await faultOf(shape);
  if (fault !== null) process.stdout.write(`${fault}\n`);
}
process.stdout.write('measured\n');
