import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocumentFormat } from '../models/formats.ts';
import { formatOf } from '../models/formats.ts';
import { createExtractionPool } from '../services/extractor/processes/pool.ts';
import { sampleDocuments, samplesFolder } from '../services/extractor/testing/samples.ts';
import { writeCorpus } from './extract-corpus.ts';
import { measureApart } from './extract-measure.ts';
import type { Measured } from './extract-measure.ts';

/*
 * How fast, how small and how true text extraction is: over sample documents, where there are any, and a generated
 * corpus. Prints a table for each; the rates are per second of processor time of one process, start of Node left out.
 */

interface Input {
  path: string;
  bytes: number;
  format: DocumentFormat;
}

const columns = ['format', 'files', 'failed', 'blocks', 'files/CPU s', 'blocks/CPU s', 'MB/CPU s', 'peak MB', 'word F1'];

function rowOf(format: string, measured: Measured): string[] {
  const rate = (amount: number, digits = 0): string => (amount / measured.cpuSeconds).toFixed(digits);
  const failed = Object.entries(measured.failed).map(([code, count]) => `${count} ${code}`).join(', ');
  return [
    format, String(measured.files), failed === '' ? '0' : failed, String(measured.blocks), rate(measured.files, 1), rate(measured.blocks), rate(measured.bytes / 1e6, 1),
    (measured.peakBytes / 1e6).toFixed(0), measured.f1 === null ? '' : measured.f1.toFixed(3),
  ];
}

function printTable(title: string, rows: readonly string[][]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  process.stdout.write(`\n## ${title}\n\n${line(columns)}${line(columns.map(() => '---'))}${rows.map(line).join('')}`);
}

function measureByFormat(title: string, inputs: readonly Input[]): void {
  const rows: string[][] = [];
  for (const [format, files] of Map.groupBy(inputs, (input) => input.format)) rows.push(rowOf(format, measureApart(format, files)));
  printTable(title, rows);
}

async function inputsIn(folder: string): Promise<Input[]> {
  const inputs: Input[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const format = formatOf(name, 'document');
    const path = join(folder, name);
    if (format !== null) inputs.push({ path, format, bytes: (await stat(path)).size });
  }
  return inputs;
}

/** Small text files through the pool, as the extractor reads them: files a second by the clock. */
async function poolRate(folder: string, inputs: readonly Input[]): Promise<number> {
  const pool = createExtractionPool({ slots: 2, memoryMegabytes: 512, seconds: 60, readableFolders: [folder] });
  const readAll = (): Promise<unknown> => Promise.all(inputs.map(async (input) => {
    for await (const { blocks } of pool.extract(input)) if (blocks.length === 0) throw new Error('an empty batch');
  }));
  await readAll();
  const start = performance.now();
  const rounds = 5;
  for (let round = 0; round < rounds; round++) await readAll();
  const rate = inputs.length * rounds / ((performance.now() - start) / 1000);
  await pool.close();
  return rate;
}

const folder = await mkdtemp(join(tmpdir(), 'extract-bench-'));
try {
  const samples = await sampleDocuments();
  if (samples.length === 0) process.stdout.write(`SKIPPED: no sample documents in ${samplesFolder}\n`);
  else measureByFormat('Sample documents', samples);
  await writeCorpus(folder);
  const small = await inputsIn(join(folder, 'small'));
  measureByFormat('Small generated files', small);
  measureByFormat('Large generated files, one each', await inputsIn(join(folder, 'large')));
  const texts = small.filter(({ format }) => format === 'text');
  process.stdout.write(`\nSmall text files through two extraction processes: ${(await poolRate(folder, texts)).toFixed(0)} files a second by the clock.\n`);
} finally {
  await rm(folder, { recursive: true });
}
