import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { residentBytes } from '../../../models/resident-bytes.ts';
import { yieldToRequests } from '../../../models/yield-to-requests.ts';
import { ExtractionFailure, tooComplex, unreadable } from '../../../models/extraction-failure.ts';
import { answersOf } from './answers.ts';
import type { ConfinedProgram, Confinement, ProcessLimits } from '../../../media/confinement.ts';
import { allowedSeconds, processorSeconds, type Allowance } from './allowance.ts';
import type { BatchMessage, EndMessage, ReadRequest } from './protocol.ts';

const program = fileURLToPath(new URL('./child.ts', import.meta.url));
const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The program as its confinement is tried out: with it Node has to start and to find the program's file. */
export const extractionProgram: ConfinedProgram = {
  probes: [
    [process.execPath, '--version'],
    ['/usr/bin/test', '-r', program],
  ],
  // Writable memory that Node reserves before it has read anything.
  reservedMegabytes: 768,
};

const checkMilliseconds = 200;
const keptErrorOutput = 4096;

/** Limits of one extraction process. */
export interface ExtractionProcessLimits extends ProcessLimits {
  /** Folders whose files it may read, besides its own code. */
  readableFolders: readonly string[];
}

/** How long a file may be read. */
export interface ReadingTime {
  milliseconds: number;
  /** Of the processor, where the system reports how much a process has taken. */
  allowance: Allowance;
}

/** Some blocks of a file as the lines that they are stored as, with what is reported of them. */
export interface ReadBatch extends Pick<BatchMessage, 'blocks' | 'progress' | 'warnings'> {
  lines: Uint8Array;
}

/** A running extraction process. It reads one file at a time. */
export interface ExtractionProcess {
  /**
   * Reads a file. Ends early by aborting the signal, by time or by memory; then, and when the caller stops in the
   * middle, the process is killed.
   */
  read(request: ReadRequest, time: ReadingTime, signal: AbortSignal): AsyncGenerator<ReadBatch, void, undefined>;
  /** Whether it may read another file. */
  usable(): boolean;
  filesRead(): number;
  /** Resident memory at the end of the last file, in bytes. */
  memoryBytes(): number;
  /** Seconds of processor time used until the end of the last file. */
  cpuSeconds(): number;
  /** Kills its whole process group. Resolves when it is gone. */
  kill(): Promise<void>;
}

/** What an extraction process may read: the folders of its own code that it imports, and its packages. */
const codeFolders = ['services/extractor', 'formats', 'mixins/blocks', 'models', 'node_modules', 'package.json'];

/** Options of Node for an extraction process: it reads its own code and the given folders, and starts no process. */
function nodeOptions(limits: ExtractionProcessLimits): string[] {
  const code = codeFolders.map((name) => `${root}${name}`).filter((path) => existsSync(path));
  const readable = [...code, ...limits.readableFolders].flatMap((path) =>
    existsSync(path) ? [path, realpathSync(path)] : [path],
  );
  return [
    '--permission',
    ...[...new Set(readable)].map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${Math.max(48, Math.floor(limits.memoryMegabytes * 0.7))}`,
    '--max-semi-space-size=8',
    '--disallow-code-generation-from-strings',
    '--no-warnings',
  ];
}

/** Starts an extraction process without the parent's environment, in a process group of its own. */
export function startProcess(limits: ExtractionProcessLimits, confinement: Confinement): ExtractionProcess {
  const words = [...confinement.prefix, process.execPath, ...nodeOptions(limits), program];
  const child = spawn(words[0] ?? '', words.slice(1), {
    cwd: '/',
    env: { TZ: 'UTC' },
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  });
  const [stdin, , stderr, answers] = child.stdio;
  if (stdin === null || stderr === null || !(answers instanceof Readable))
    throw new Error('the extraction process has no answer pipe');
  if (child.pid !== undefined) yieldToRequests(child.pid);
  const requests: Writable = stdin;
  const answerPipe: Readable = answers;
  let exited = false;
  let busy = false;
  let healthy = true;
  let files = 0;
  let cpu = 0;
  let memory = 0;
  let errorOutput = '';
  let maxMemory = 0;
  const exit = once(child, 'exit').then(
    () => {
      exited = true;
    },
    () => {
      exited = true;
    },
  );
  stdin.on('error', () => {
    healthy = false;
  });
  answers.on('error', () => {
    healthy = false;
  });
  stderr.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk.toString('latin1')).slice(-keptErrorOutput);
  });

  const kill = async (): Promise<void> => {
    healthy = false;
    if (child.pid !== undefined && !exited) {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It ended by itself in the meantime.
      }
    }
    await exit;
  };

  /** Why a process ended without an answer. */
  const death = (): ExtractionFailure => {
    const outOfMemory =
      /out of memory|heap limit|allocation failed|bad_alloc/i.test(errorOutput) ||
      maxMemory > limits.memoryMegabytes * 1024 * 1024 * 0.95;
    if (outOfMemory) return tooComplex('the extraction process ran out of memory');
    if (child.signalCode === 'SIGXCPU' || child.signalCode === 'SIGKILL')
      return tooComplex(`the extraction process was ended by ${child.signalCode}`);
    return unreadable(
      `the extraction process ended with ${child.signalCode ?? child.exitCode}: ${errorOutput.slice(-500)}`,
    );
  };

  async function* read(
    request: ReadRequest,
    { milliseconds, allowance }: ReadingTime,
    signal: AbortSignal,
  ): AsyncGenerator<ReadBatch, void, undefined> {
    signal.throwIfAborted();
    busy = true;
    let stopped: Error | null = null;
    let end: EndMessage | null = null;
    const stop = (reason: Error): void => {
      stopped ??= reason;
      void kill();
    };
    const abort = (): void => stop(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => stop(tooComplex(`not read within ${milliseconds} ms`)), milliseconds);
    let characters = 0;
    let spentBefore: number | null = null;
    /** What had been spent when the step under way began; null if that is still to be asked. */
    let spentAtStep: number | null = null;
    /** Whether steps are reported, and the process does not wait for who reads its answers. */
    let isInStep = false;
    const check = (pid: number): void => {
      maxMemory = Math.max(maxMemory, residentBytes(pid) ?? 0);
      const spent = processorSeconds(pid);
      if (maxMemory > limits.memoryMegabytes * 1024 * 1024)
        stop(tooComplex(`took more than ${limits.memoryMegabytes} MiB`));
      spentBefore ??= spent;
      const most = allowedSeconds(allowance, request.bytes, characters);
      if (spent !== null && spentBefore !== null && spent - spentBefore > most)
        stop(tooComplex(`took more than ${most.toFixed(0)} s of processor time`));
      if (!isInStep || spent === null) return;
      spentAtStep ??= spent;
      if (spent - spentAtStep > allowance.start)
        stop(tooComplex(`a step took more than ${allowance.start} s of processor time`));
    };
    const watch = setInterval(() => {
      if (child.pid !== undefined) check(child.pid);
    }, checkMilliseconds);
    try {
      requests.write(`${JSON.stringify(request)}\n`);
      for await (const { message, lines } of answersOf(
        answerPipe.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>,
      )) {
        if (stopped !== null) break;
        const isStepwise: boolean = isInStep || message.kind === 'step';
        isInStep = false;
        spentAtStep = null;
        if (message.kind === 'batch') {
          const { blocks, progress, warnings } = message;
          // What a process reports of itself is not trusted: characters take at least a byte each.
          characters += Math.min(message.characters, lines.byteLength);
          yield { blocks, lines, progress, warnings };
        }
        if (message.kind !== 'end') {
          isInStep = isStepwise;
          continue;
        }
        end = message;
        break;
      }
      if (stopped !== null) throw stopped as Error;
      if (end === null) {
        await exit;
        throw death();
      }
      files++;
      cpu = end.cpuSeconds;
      memory = end.memoryBytes;
      healthy &&= end.healthy;
      if (end.failure !== null) throw new ExtractionFailure(end.failure.code, end.failure.message);
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', abort);
      busy = false;
      if (end === null) await kill();
    }
  }

  return {
    read,
    kill,
    usable: () => healthy && !exited && !busy,
    filesRead: () => files,
    memoryBytes: () => memory,
    cpuSeconds: () => cpu,
  };
}
