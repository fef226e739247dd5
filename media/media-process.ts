import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { yieldToRequests } from '../models/yield-to-requests.ts';
import { ExtractionFailure } from '../models/extraction-failure.ts';
import type { Confinement } from './confinement.ts';
import type { ByteFeed } from './byte-feed.ts';

const keptErrorOutput = 4096;
const watchMilliseconds = 1000;
/** Time without any progress after which a process is taken to hang, in milliseconds. */
const defaultStall = 60_000;

/** A run of a program over the bytes of a feed. */
export interface MediaTask {
  program: string;
  arguments: readonly string[];
  confinement: Confinement;
  /** Its environment: empty if left out. */
  environment?: Record<string, string>;
  /** What it reads on its standard input. Bytes that it does not want stay in the feed. */
  feed: ByteFeed;
  /** Maximum number of bytes that it is given; its input ends there. Unlimited if omitted. */
  maxInput?: number;
  /** Whether the bytes that it was given are given back to the feed, for another program to read. */
  givesBack?: boolean;
  /** What reads its outputs: the first its standard output, the others descriptors from 3 on. */
  outputs: readonly ((bytes: AsyncIterable<Uint8Array>) => Promise<void>)[];
  signal: AbortSignal;
  /**
   * Milliseconds without progress after which it is killed; a minute if omitted. Waiting for the feed or for a reader
   * of an output does not count.
   */
  stallMilliseconds?: number;
}

/** How a run ended by itself. */
export interface MediaEnd {
  /** Exit code; null if a signal ended it (its own limits, or its own fault). */
  code: number | null;
  signal: string | null;
  /** The last of what it said on its standard error. For decisions alone: it may quote the recording. */
  errors: string;
}

/** Runs a program in a process group of its own, behind everything else. It is gone when this resolves or rejects. */
export async function runMedia(task: MediaTask): Promise<MediaEnd> {
  task.signal.throwIfAborted();
  const words = [...task.confinement.prefix, task.program, ...task.arguments];
  const pipes = task.outputs.map(() => 'pipe' as const);
  const child = spawn(words[0] ?? '', words.slice(1), {
    cwd: '/',
    env: task.environment ?? {},
    detached: true,
    stdio: ['pipe', pipes[0] ?? 'ignore', 'pipe', ...pipes.slice(1)],
  });
  const running = new RunningProcess(child, task.stallMilliseconds ?? defaultStall);
  const stop = (): void => running.kill(task.signal.reason);
  task.signal.addEventListener('abort', stop, { once: true });
  try {
    await running.started;
    const readings = task.outputs.map((read, index) =>
      running.guarded(() => read(running.output(index === 0 ? 1 : index + 2))),
    );
    const feeding = running.guarded(() => feed(task, running));
    await Promise.all([...readings, feeding, running.exited]);
  } finally {
    task.signal.removeEventListener('abort', stop);
    running.kill(new Error('the run is over'));
    await running.exited;
  }
  running.throwReason();
  return { code: child.exitCode, signal: child.signalCode, errors: running.errors };
}

/** Writes the feed's bytes to the process until it wants no more, or there are no more. */
async function feed(task: MediaTask, running: RunningProcess): Promise<void> {
  const given: Uint8Array[] = [];
  let length = 0;
  const most = task.maxInput ?? Infinity;
  try {
    while (length < most && running.takesInput) {
      const isThere = await running.outside(() =>
        Promise.race([task.feed.ready(), running.inputClosed.then(() => null)]),
      );
      if (isThere !== true || !running.takesInput) break;
      const piece = task.feed.take();
      if (piece === null) continue;
      if (task.givesBack === true) given.push(piece);
      length += piece.byteLength;
      await running.write(piece);
    }
    running.endInput();
  } finally {
    if (task.givesBack === true) task.feed.giveBack(given);
  }
}

/** A process with what is needed to feed it, to watch it and to end it. */
class RunningProcess {
  readonly started: Promise<void>;
  readonly exited: Promise<void>;
  /** Resolves when the process reads its input no more. */
  readonly inputClosed: Promise<void>;
  takesInput = true;
  errors = '';
  private readonly child: ChildProcess;
  private readonly watch: NodeJS.Timeout;
  private lastProgress = performance.now();
  /** How many things besides the process are being waited for. */
  private waitingElsewhere = 0;
  private reason: { error: unknown } | null = null;
  private gone = false;

  constructor(child: ChildProcess, stallMilliseconds: number) {
    this.child = child;
    this.started = once(child, 'spawn').then(() => undefined);
    this.exited = new Promise((resolve) => {
      child.once('close', () => {
        this.leave();
        resolve();
      });
      child.once('error', () => {
        this.leave();
        resolve();
      });
    });
    this.inputClosed = new Promise((resolve) => {
      const close = (): void => {
        this.takesInput = false;
        resolve();
      };
      child.stdin?.on('error', close);
      child.stdin?.once('close', close);
      child.once('exit', close);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.errors = (this.errors + chunk.toString('latin1')).slice(-keptErrorOutput);
    });
    this.watch = setInterval(
      () => {
        if (this.waitingElsewhere > 0) this.lastProgress = performance.now();
        else if (performance.now() - this.lastProgress > stallMilliseconds)
          this.kill(new ExtractionFailure('media_unreadable', `no progress within ${stallMilliseconds} ms`));
      },
      Math.min(watchMilliseconds, stallMilliseconds / 4),
    );
    if (child.pid !== undefined) yieldToRequests(child.pid);
  }

  private leave(): void {
    this.gone = true;
    clearInterval(this.watch);
  }

  /** Kills its whole process group; the first reason is the one that is thrown. */
  kill(error: unknown): void {
    if (this.gone) return;
    this.reason ??= { error };
    if (this.child.pid === undefined) return;
    try {
      process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself in the meantime.
    }
  }

  /** @throws why the process was ended, where it was */
  throwReason(): void {
    if (this.reason !== null) throw this.reason.error;
  }

  /** Does a part of the run; its failure ends the process and is the run's. Never rejects. */
  async guarded(part: () => Promise<void>): Promise<void> {
    try {
      await part();
    } catch (error) {
      if (this.gone) this.reason ??= { error };
      this.kill(error);
    }
  }

  /** Waits for something that the process has no part in. */
  async outside<T>(wait: () => Promise<T>): Promise<T> {
    this.waitingElsewhere += 1;
    try {
      return await wait();
    } finally {
      this.waitingElsewhere -= 1;
      this.lastProgress = performance.now();
    }
  }

  async write(piece: Uint8Array): Promise<void> {
    const { stdin } = this.child;
    if (stdin === null || !this.takesInput) return;
    if (!stdin.write(piece)) await Promise.race([once(stdin, 'drain').catch(() => undefined), this.inputClosed]);
    this.lastProgress = performance.now();
  }

  endInput(): void {
    this.child.stdin?.end();
  }

  /** What the process writes to a descriptor. */
  async *output(descriptor: number): AsyncGenerator<Uint8Array, void, undefined> {
    const stream = this.child.stdio[descriptor];
    if (!(stream instanceof Readable)) throw new Error(`the process has no output ${descriptor}`);
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      this.waitingElsewhere += 1;
      try {
        yield chunk;
      } finally {
        this.waitingElsewhere -= 1;
        this.lastProgress = performance.now();
      }
    }
  }
}
