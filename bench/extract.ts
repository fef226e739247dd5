import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocumentFormat } from '../models/formats.ts';
import { formatOf } from '../models/formats.ts';
import { createExtractionPool } from '../services/extractor/processes/pool.ts';
import { sampleDocuments, samplesFolder } from '../formats/testing/samples.ts';
import { writeCorpus } from './extract-corpus.ts';
import { measureInProcess } from './extract-measure.ts';
import type { Measured } from './extract-measure.ts';
import { comparePdfWords } from './extract-pdf-words.ts';
import type { PdfFigures } from './extract-pdf-words.ts';
import { printTable } from './figures.ts';

/*
 * Speed, memory and accuracy of reading documents: sample documents, if there are any, and a generated corpus. Rates
 * are per second of CPU time of one process, without the start of Node. Small sets of files are read several times,
 * because a process of the extractor reads up to 500: `cold` is the first pass, rates are those of later ones.
 *
 * Word F1 compares bags of words. The references:
 * - HTML: the main text of the page from the collection (`expected.html`).
 * - Word and Excel: a simple reading of the XML parts (extract-plain.ts), only words with a letter, because numbers and
 *   dates are read as displayed and stored differently. Hidden sheets count against us.
 * - PDF: the words that were written into generated files (extract-pdfs.ts), for us and for Poppler's pdftotext.
 *   The sample PDFs have no reference text. pdftotext is none: it decodes private codes of old fonts as Latin letters.
 *   So the agreement of both is printed, without a target.
 */

interface Input {
  path: string;
  bytes: number;
  format: DocumentFormat;
}

const columns = [
  'format',
  'files',
  'failed',
  'pages, rows or paragraphs',
  'files/CPU s',
  'cold files/CPU s',
  'pages or rows/CPU s',
  'MB/CPU s',
  'peak MB',
  'word F1',
];

function rowOf(format: string, measured: Measured): string[] {
  const rate = (amount: number, digits = 0): string => (amount / measured.cpuSeconds).toFixed(digits);
  const failed = Object.entries(measured.failed)
    .map(([code, count]) => `${count} ${code}`)
    .join(', ');
  return [
    format,
    String(measured.files),
    failed === '' ? '0' : failed,
    String(measured.blocks),
    rate(measured.files, 1),
    (measured.files / measured.coldCpuSeconds).toFixed(1),
    rate(measured.blocks),
    rate(measured.bytes / 1e6, 1),
    (measured.peakBytes / 1e6).toFixed(0),
    measured.f1 === null ? '' : measured.f1.toFixed(3),
  ];
}

function measureByFormat(title: string, inputs: readonly Input[]): Map<DocumentFormat, Measured> {
  const measured = new Map(
    [...Map.groupBy(inputs, (input) => input.format)].map(
      ([format, files]) => [format, measureInProcess(format, files)] as const,
    ),
  );
  printTable(
    title,
    columns,
    [...measured].map(([format, figures]) => rowOf(format, figures)),
  );
  return measured;
}

/** Prints the targets and whether they were met. */
function judge(
  samples: ReadonlyMap<DocumentFormat, Measured> | null,
  large: ReadonlyMap<DocumentFormat, Measured>,
  pdf: PdfFigures,
): void {
  const rows: string[][] = [];
  const add = (figure: string, measured: number | null | undefined, least: number | null, digits: number): void => {
    const known = measured !== null && measured !== undefined;
    const target = least === null ? 'NOT COMPARED' : `at least ${least.toFixed(digits)}`;
    rows.push([
      figure,
      known ? measured.toFixed(digits) : 'not measured',
      target,
      known && least !== null ? (measured >= least ? 'yes' : 'NO') : '',
    ]);
  };
  const files = (figures: Measured | undefined): number | null =>
    figures === undefined ? null : figures.files / figures.cpuSeconds;
  const pages = (figures: Measured | undefined): number | null =>
    figures === undefined ? null : figures.blocks / figures.cpuSeconds;
  add('HTML samples, word F1', samples?.get('html')?.f1, 0.95, 3);
  add('Word samples, word F1', samples?.get('docx')?.f1, 0.98, 3);
  add('Excel samples, word F1', samples?.get('xlsx')?.f1, 0.98, 3);
  add('Word samples, files a CPU second', files(samples?.get('docx')), 200, 0);
  add('Excel samples, files a CPU second', files(samples?.get('xlsx')), 100, 0);
  add('PDF of 500 pages, pages a CPU second', pages(large.get('pdf')), 60, 0);
  add('PDF samples, files (most of one page) a CPU second', files(samples?.get('pdf')), 60, 0);
  add(`generated PDFs, word F1 (against ${pdf.against})`, pdf.ours, pdf.theirs, 4);
  printTable('To reach', ['figure', 'measured', 'to reach', 'reached'], rows);
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

/** Small text files through the process pool of the extractor: files per second of elapsed time. */
async function poolRate(folder: string, inputs: readonly Input[]): Promise<number> {
  const pool = createExtractionPool({ slots: 2, memoryMegabytes: 512, seconds: 60, readableFolders: [folder] });
  const readAll = (): Promise<unknown> =>
    Promise.all(
      inputs.map(async (input) => {
        for await (const { blocks } of pool.extract(input)) if (blocks === 0) throw new Error('an empty batch');
      }),
    );
  await readAll();
  const start = performance.now();
  const rounds = 5;
  for (let round = 0; round < rounds; round++) await readAll();
  const rate = (inputs.length * rounds) / ((performance.now() - start) / 1000);
  await pool.close();
  return rate;
}

const folder = await mkdtemp(join(tmpdir(), 'extract-bench-'));
try {
  const samples = await sampleDocuments();
  if (samples.length === 0) process.stdout.write(`SKIPPED: no sample documents in ${samplesFolder}\n`);
  const sampled = samples.length === 0 ? null : measureByFormat('Sample documents', samples);
  await writeCorpus(folder);
  const small = await inputsIn(join(folder, 'small'));
  measureByFormat('Small generated files', small);
  const large = measureByFormat('Large generated files, one each', await inputsIn(join(folder, 'large')));
  const pdf = await comparePdfWords(
    join(folder, 'pdf'),
    samples.filter(({ format }) => format === 'pdf'),
  );
  judge(sampled, large, pdf);
  const texts = small.filter(({ format }) => format === 'text');
  process.stdout.write(
    `\nSmall text files through two extraction processes: ${(await poolRate(folder, texts)).toFixed(0)} files a second by the clock.\n`,
  );
} finally {
  await rm(folder, { recursive: true });
}
