import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findEndWithParent } from '../../../models/end-with-parent.ts';
import { residentBytes } from '../../../models/resident-bytes.ts';
import { yieldToRequests } from '../../../models/yield-to-requests.ts';
import { TranscriptionFailure } from '../port.ts';
import type { Answer, Order } from './messages.ts';
import type { PieceTranscript } from './piece-transcriber.ts';

/** How a transcribing process is started. */
export interface ProcessOptions {
  /** Folder of the model. */
  folder: string;
  /** Resident memory that the process may take, in MB. Where the system has no /proc, it is not limited. */
  memoryMegabytes: number;
  /** File that the process runs instead of child.ts, for tests. */
  program?: string;
}

/** Time in which a process has to load its model, in milliseconds: it takes half a second, more on a busy machine. */
const startMs = 60_000;
/** Milliseconds between two looks at the memory of the process. */
const watchMs = 250;
/** Heap of the process in megabytes. The model and the sound are outside of it. */
const heapMegabytes = 128;
/** What the process gets of the environment: how its memory is allocated, and where compiled modules are kept. */
const passedVariables = ['MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_', 'NODE_COMPILE_CACHE'];

const unavailable = (detail: string): TranscriptionFailure =>
  new TranscriptionFailure('model_unavailable', 'temporary', detail);
const failed = (detail: string): TranscriptionFailure =>
  new TranscriptionFailure('transcription_failed', 'definite', detail);

/** A process that holds the model and transcribes one piece at a time. It ends with this process. */
export class WhisperProcess {
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  readonly #memoryMegabytes: number;
  #listener: ((answer: Answer) => void) | null = null;
  #orders = 0;
  #hasEnded = false;

  private constructor(child: ChildProcess, memoryMegabytes: number) {
    this.#child = child;
    this.#memoryMegabytes = memoryMegabytes;
    child.on('message', (answer: Answer) => this.#listener?.(answer));
    // It ends by `exit`, and fails to start by `error`.
    const end = (): void => {
      this.#hasEnded = true;
      this.#listener?.({ kind: 'unusable', reason: 'the transcribing process ended' });
    };
    child.once('exit', end);
    child.once('error', end);
    this.#ready = this.#started();
    // Each piece reports that the process did not start; none may be waiting yet.
    this.#ready.catch(() => undefined);
  }

  static async start({ folder, memoryMegabytes, program }: ProcessOptions): Promise<WhisperProcess> {
    const path = program ?? fileURLToPath(new URL('./child.ts', import.meta.url));
    const [command, ...words] = [
      ...(await findEndWithParent()),
      process.execPath,
      '--no-warnings',
      `--max-old-space-size=${heapMegabytes}`,
      path,
      folder,
    ];
    const environment = passedVariables.flatMap((name): [string, string][] => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    });
    const child = spawn(command ?? process.execPath, words, {
      cwd: '/',
      env: Object.fromEntries(environment),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    if (child.pid !== undefined) yieldToRequests(child.pid);
    return new WhisperProcess(child, memoryMegabytes);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Waits for the process to load its model. */
  #started(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string): void => {
        clearTimeout(timer);
        this.kill();
        reject(unavailable(`the speech model could not be loaded: ${reason}`));
      };
      const timer = setTimeout(() => fail(`it took more than ${startMs} ms`), startMs);
      this.#listener = (answer) => {
        if (answer.kind === 'ready') {
          clearTimeout(timer);
          resolve();
        } else if (answer.kind === 'unusable') fail(answer.reason);
      };
    });
  }

  /**
   * Transcribes a piece. Kills the process when the signal is aborted, after `milliseconds`, and when it takes more
   * memory than it may.
   * @throws TranscriptionFailure, or the signal's reason.
   */
  async transcribe(
    sound: Omit<Order, 'id'>,
    { signal, milliseconds }: { signal: AbortSignal; milliseconds: number },
  ): Promise<PieceTranscript> {
    const abort = (): void => this.kill();
    signal.throwIfAborted();
    signal.addEventListener('abort', abort, { once: true });
    let timer: NodeJS.Timeout | undefined;
    let watch: NodeJS.Timeout | undefined;
    try {
      await this.#ready;
      const id = ++this.#orders;
      return await new Promise<PieceTranscript>((resolve, reject) => {
        timer = setTimeout(() => {
          reject(failed(`a piece took more than ${milliseconds} ms`));
          this.kill();
        }, milliseconds);
        watch = setInterval(() => {
          if ((residentBytes(this.#child.pid ?? 0) ?? 0) <= this.#memoryMegabytes * 2 ** 20) return;
          reject(failed(`a piece took more than ${this.#memoryMegabytes} MB of memory`));
          this.kill();
        }, watchMs);
        this.#listener = (answer) => {
          if (answer.kind === 'heard' && answer.id === id) resolve(answer.transcript);
          if (answer.kind === 'failed' && answer.id === id) reject(failed(answer.reason));
          if (answer.kind === 'unusable') reject(failed(answer.reason));
        };
        this.#child.send({ id, ...sound } satisfies Order, (error) => {
          if (error !== null) reject(unavailable(`the transcribing process does not listen: ${error.message}`));
        });
      });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', abort);
    }
  }

  kill(): void {
    this.#hasEnded = true;
    this.#child.kill('SIGKILL');
  }
}
