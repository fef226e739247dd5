import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { yieldToRequests } from '../models/yield-to-requests.ts';
import { ExtractionFailure } from '../models/extraction-failure.ts';
import type { Confinement } from './confinement.ts';
import type { ByteFeed } from './byte-feed.ts';

const keptErrorOutput = 4096;
const watchMilliseconds = 1000;
/** Milliseconds without progress after which a process is considered stalled. */
const defaultStall = 60_000;

/** A run of a program over the bytes of a feed. */
export interface MediaTask {
  program: string;
  arguments: readonly string[];
  confinement: Confinement;
  /** Environment variables; none if omitted. */
  environment?: Record<string, string>;
  /** Its standard input. Bytes that it does not read stay in the feed. */
  feed: ByteFeed;
  /** Maximum number of input bytes; unlimited if omitted. */
  maxInput?: number;
  /** Whether its input is returned to the feed afterwards, for another program. */
  givesBack?: boolean;
  /** Readers of its outputs: standard output first, then descriptors from 3. */
  outputs: readonly ((bytes: AsyncIterable<Uint8Array>) => Promise<void>)[];
  signal: AbortSignal;
  /**
   * Milliseconds without progress before it is killed; one minute if omitted. Time spent waiting for the feed or for a
   * reader does not count.
   */
  stallMilliseconds?: number;
}

/** How a process ended. */
export interface MediaEnd {
  /** Exit code; null if it was ended by a signal (a resource limit, or a crash). */
  code: number | null;
  signal: string | null;
  /** The end of its standard error. Do not log it: it may quote the recording. */
  errors: string;
}

/** Runs a program in its own process group at low priority. The process has exited when this resolves or rejects. */
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

/** Writes the feed's bytes to the process until it closes its input or the feed ends. */
async function feed(task: MediaTask, running: RunningProcess): Promise<void> {
  const given: Uint8Array[] = [];
  let length = 0;
  const maxBytes = task.maxInput ?? Infinity;
  try {
    while (length < maxBytes && running.takesInput) {
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

/** Feeds, watches and ends a process. */
class RunningProcess {
  readonly started: Promise<void>;
  readonly exited: Promise<void>;
  /** Resolves when the process closes its input. */
  readonly inputClosed: Promise<void>;
  takesInput = true;
  errors = '';
  private readonly child: ChildProcess;
  private readonly watch: NodeJS.Timeout;
  private lastProgress = performance.now();
  /** Number of pending waits that are not the process's fault. */
  private waitingElsewhere = 0;
  private reason: { error: unknown } | null = null;
  private hasExited = false;

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
    this.hasExited = true;
    clearInterval(this.watch);
  }

  /** Kills the process group; the first reason is the one that is thrown. */
  kill(error: unknown): void {
    if (this.hasExited) return;
    this.reason ??= { error };
    if (this.child.pid === undefined) return;
    try {
      process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      // It has already exited.
    }
  }

  /** @throws the reason for which the process was killed, if it was */
  throwReason(): void {
    if (this.reason !== null) throw this.reason.error;
  }

  /** Runs a part of the task; its failure kills the process and becomes the result of the run. Never rejects. */
  async guarded(part: () => Promise<void>): Promise<void> {
    try {
      await part();
    } catch (error) {
      if (this.hasExited) this.reason ??= { error };
      this.kill(error);
    }
  }

  /** Waits for something other than the process. */
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

  /** Reads an output descriptor of the process. */
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
