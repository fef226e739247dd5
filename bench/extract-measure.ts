import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { DocumentFormat } from '../models/formats.ts';
import { defaultLimits } from '../formats/reader.ts';
import type { FormatReader } from '../formats/reader.ts';
import { readerOf } from '../formats/readers.ts';
import { htmlReferenceText } from '../formats/testing/html-reference.ts';
import { wordScores } from '../formats/testing/word-f1.ts';
import { plainOfficeText } from './extract-plain.ts';

/** The measurements of a run over files of one format. */
export interface Measured {
  files: number;
  failed: Record<string, number>;
  /** Pages, rows, lines or paragraphs, depending on the format. */
  blocks: number;
  bytes: number;
  /** In the first pass over all files by a new process. */
  coldCpuSeconds: number;
  /** In a later pass. */
  cpuSeconds: number;
  /** Maximum resident memory of the process in the first pass, in bytes. */
  peakBytes: number;
  /** Mean word F1 of the files that have a reference; null without any. */
  f1: number | null;
}

/** The expected words of a file; null without a reference. */
async function referenceOf(path: string, format: DocumentFormat): Promise<string | null> {
  if (format === 'html' && path.endsWith('/source.html'))
    return htmlReferenceText(readFileSync(path.replace(/source\.html$/, 'expected.html'), 'utf8'));
  if ((format === 'docx' || format === 'xlsx') && !path.includes('/large/')) return plainOfficeText(path, format);
  return null;
}

interface InputFile {
  path: string;
  bytes: number;
}

/** Passes are repeated until this much CPU time is spent, up to a maximum. */
const minCpuSeconds = 3;
const maxRounds = 20;

const withLetters = (text: string): string =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => /\p{L}/u.test(word)).join(' ');

/** Reads all files; `keep` receives the text of each readable one. */
async function readAll(
  read: FormatReader,
  files: readonly InputFile[],
  keep: (file: InputFile, text: string) => Promise<void>,
): Promise<{ failed: Record<string, number>; blocks: number; cpu: number }> {
  const failed: Record<string, number> = {};
  let blocks = 0;
  let cpu = 0;
  const keepText = files.length > 1;
  for (const file of files) {
    const texts: string[] = [];
    const before = process.cpuUsage();
    let failure: string | null = null;
    try {
      for await (const block of read(file, defaultLimits, () => undefined)) {
        blocks++;
        if (keepText) texts.push(block.text);
      }
    } catch (error) {
      failure = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      failed[failure] = (failed[failure] ?? 0) + 1;
    }
    const used = process.cpuUsage(before);
    cpu += (used.user + used.system) / 1e6;
    if (failure === null && keepText) await keep(file, texts.join('\n'));
  }
  return { failed, blocks, cpu };
}

async function measure(format: DocumentFormat, files: readonly InputFile[]): Promise<Measured> {
  const read = await readerOf(format);
  const scores: number[] = [];
  const first = await readAll(read, files, async (file, ours) => {
    const reference = await referenceOf(file.path, format);
    if (reference !== null)
      scores.push(
        (format === 'html' ? wordScores(ours, reference) : wordScores(withLetters(ours), withLetters(reference))).f1,
      );
  });
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  // A process reads up to 500 files, and the first pass of a few small ones is mostly compilation.
  let [rounds, cpu] = [0, 0];
  while (first.cpu < minCpuSeconds && cpu < minCpuSeconds && rounds < maxRounds) {
    cpu += (await readAll(read, files, async () => undefined)).cpu;
    rounds++;
  }
  return {
    files: files.length,
    failed: first.failed,
    blocks: first.blocks,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    coldCpuSeconds: first.cpu,
    cpuSeconds: rounds > 0 ? cpu / rounds : first.cpu,
    peakBytes,
    f1: scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
  };
}

/** Runs a measurement in a separate process, so that memory and CPU time belong to the format only. */
export function measureInProcess(format: DocumentFormat, files: readonly InputFile[]): Measured {
  const answer = execFileSync(process.execPath, ['--no-warnings', import.meta.filename], {
    input: JSON.stringify({ format, files }),
    maxBuffer: 1 << 20,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const line = answer.toString('utf8').trim().split('\n').at(-1) ?? '';
  return JSON.parse(line) as Measured;
}

if (import.meta.main) {
  const { format, files } = JSON.parse(readFileSync(0, 'utf8')) as { format: DocumentFormat; files: InputFile[] };
  process.stdout.write(`${JSON.stringify(await measure(format, files))}\n`);
}
