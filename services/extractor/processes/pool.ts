import { FairSlots } from '../../../models/fair-slots.ts';
import type { ExtractionLimits, ReadableFormat } from '../../../formats/reader.ts';
import { defaultLimits } from '../../../formats/reader.ts';
import { defaultAllowance, type Allowance } from './allowance.ts';
import type { Confinement } from '../../../media/confinement.ts';
import { findConfinement } from '../../../media/confinement.ts';
import type { ExtractionProcess, ExtractionProcessLimits, ReadBatch } from './process.ts';
import { extractionProgram, startProcess } from './process.ts';

/** When a process is not used again, and how long it waits for work. */
const recycling = { files: 2000, memoryBytes: 160 * 1024 * 1024, idleMilliseconds: 30_000 };

/** How a pool of extraction processes is made. */
export interface ExtractionPoolOptions {
  /** Files read at the same time. */
  slots: number;
  /** Memory that one process may use, in MiB. */
  memoryMegabytes: number;
  /** Time that one file may take, in seconds. */
  seconds: number;
  /** Processor time that one file may take; the usual one if omitted. */
  allowance?: Allowance;
  /** Folders in which the files to read lie: a process can open nothing else. */
  readableFolders: readonly string[];
  limits?: Partial<ExtractionLimits>;
}

/** A file to read, as it lies on this machine. */
export interface ExtractionJob {
  path: string;
  /** Its size. */
  bytes: number;
  /** Its content, if it is small and not stored at the path. */
  content?: Buffer;
  format: ReadableFormat;
  /** Its organization: organizations take turns. */
  owner?: string;
  /** Ends the reading: the process is killed, and the iteration throws the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Some blocks in the order of the file: how many, the lines that they are stored as, how much of the file was read when
 * they came (0 to 100, never falling), and what could not be read.
 */
export type ExtractedBatch = Pick<ReadBatch, 'blocks' | 'lines' | 'progress' | 'warnings'>;

/** Reads documents in processes of their own. */
export interface ExtractionPool {
  /**
   * Reads a file. Batches come as they are asked for: a slow caller slows the process down, and at most some
   * hundred kilobytes wait between them. Waits for a free slot first.
   *
   * @throws ExtractionFailure with the code that the job ends with; the signal's reason when it was aborted.
   */
  extract(job: ExtractionJob): AsyncIterable<ExtractedBatch>;
  /** How the processes are confined on this machine. Looked up once. */
  confinement(): Promise<Confinement>;
  /** Ends all processes, running ones too. */
  close(): Promise<void>;
}

/** Creates a pool. Processes start on demand, are reused while they stay small, and end when idle. */
export function createExtractionPool(options: ExtractionPoolOptions): ExtractionPool {
  const limits: ExtractionLimits = { ...defaultLimits, ...options.limits };
  const processLimits: ExtractionProcessLimits = {
    memoryMegabytes: options.memoryMegabytes,
    cpuSeconds: options.seconds * 2 + 60,
    readableFolders: options.readableFolders,
  };
  let confinement: Promise<Confinement> | null = null;
  const findOnce = (): Promise<Confinement> => (confinement ??= findConfinement(processLimits, extractionProgram));
  const slots = new FairSlots(options.slots);
  const idle: { process: ExtractionProcess; timer: NodeJS.Timeout }[] = [];
  const all = new Set<ExtractionProcess>();
  const closing = new AbortController();

  const end = async (process: ExtractionProcess): Promise<void> => {
    all.delete(process);
    await process.kill();
  };

  const take = async (): Promise<ExtractionProcess> => {
    for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) {
      clearTimeout(kept.timer);
      if (kept.process.usable()) return kept.process;
      await end(kept.process);
    }
    const started = startProcess(processLimits, await findOnce());
    all.add(started);
    return started;
  };

  const giveBack = async (process: ExtractionProcess): Promise<void> => {
    const spent =
      process.filesRead() >= recycling.files ||
      process.memoryBytes() > recycling.memoryBytes ||
      process.cpuSeconds() > processLimits.cpuSeconds - options.seconds;
    if (!process.usable() || spent || closing.signal.aborted) {
      await end(process);
      return;
    }
    const timer = setTimeout(() => {
      const at = idle.findIndex((kept) => kept.process === process);
      if (at >= 0) idle.splice(at, 1);
      void end(process);
    }, recycling.idleMilliseconds);
    timer.unref();
    idle.push({ process, timer });
  };

  async function* extract(job: ExtractionJob): AsyncGenerator<ExtractedBatch, void, undefined> {
    const signal = AbortSignal.any(job.signal === undefined ? [closing.signal] : [job.signal, closing.signal]);
    signal.throwIfAborted();
    await slots.acquire(signal, job.owner ?? '');
    try {
      const process = await take();
      try {
        const content = job.content === undefined ? {} : { content: job.content.toString('base64') };
        const request = { path: job.path, bytes: job.bytes, format: job.format, limits, ...content };
        yield* process.read(
          request,
          { milliseconds: options.seconds * 1000, allowance: options.allowance ?? defaultAllowance },
          signal,
        );
      } finally {
        await giveBack(process);
      }
    } finally {
      slots.release();
    }
  }

  return {
    extract,
    confinement: findOnce,
    close: async () => {
      closing.abort(new Error('the extraction pool is closed'));
      for (const { timer } of idle) clearTimeout(timer);
      await Promise.all([...all].map(end));
    },
  };
}
