import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findEndWithParent } from '../../models/end-with-parent.ts';
import { engineOptions } from '../setup/engine.mjs';

const [command = process.execPath, ...options] = [...(await findEndWithParent()), process.execPath, ...engineOptions];
const mainFile = join(import.meta.dirname, '..', '..', 'main.ts');

/** Options of a process of the program. */
export interface ProgramProcessOptions {
  name: string;
  /** Its `PLY_*` variables; nothing else of the environment that begins with PLY_ is passed on. */
  environment: Record<string, string>;
  /** Its address of `/health/ready`. */
  healthUrl: string;
  /** File to which its output is appended. */
  logFile: string;
  /** Whether it is restarted if it ends unexpectedly, as in a real cluster. */
  isKept?: boolean;
}

/** The program as an operating system process, to be started, stopped, killed, frozen and woken. */
export class ProgramProcess {
  readonly name: string;
  readonly healthUrl: string;
  private readonly options: ProgramProcessOptions;
  private child: ChildProcess | null = null;
  private ended: Promise<number | null> = Promise.resolve(null);
  private endsAsAsked = false;
  /** Number of unexpected ends. */
  endedByItself = 0;

  constructor(options: ProgramProcessOptions) {
    this.name = options.name;
    this.healthUrl = options.healthUrl;
    this.options = options;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts it. It ends with this process at the latest, if the machine supports that. */
  start(): void {
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PLY_')));
    const log = openSync(this.options.logFile, 'a');
    const child = spawn(command, [...options, mainFile], {
      env: { ...inherited, ...this.options.environment },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child = child;
    this.endsAsAsked = false;
    this.ended = new Promise((resolve) => {
      child.once('error', () => resolve(null));
      child.once('exit', (code) => resolve(code));
    });
    void this.ended.then(() => {
      if (this.child !== child) return;
      this.child = null;
      if (!this.endsAsAsked) this.endedByItself++;
      if (!this.endsAsAsked && this.options.isKept === true) this.start();
    });
  }

  /** Waits until it reports that it is ready. @throws if it is not ready in time, or ends */
  async ready(milliseconds = 180_000): Promise<void> {
    const deadline = Date.now() + milliseconds;
    for (;;) {
      if (this.child === null && this.options.isKept !== true)
        throw new Error(`${this.name} ended; see ${this.options.logFile}`);
      if (await this.isReady()) return;
      if (Date.now() > deadline)
        throw new Error(`${this.name} was not ready within ${milliseconds} ms; see ${this.options.logFile}`);
      await pause(50);
    }
  }

  async isReady(): Promise<boolean> {
    try {
      const answer = await fetch(this.healthUrl, { signal: AbortSignal.timeout(10_000) });
      await answer.arrayBuffer();
      return answer.status === 200;
    } catch {
      // Not listening yet, or not any more: not ready.
      return false;
    }
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.endsAsAsked = true;
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  /** SIGSTOP: pauses it. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  /** SIGCONT. */
  wake(): void {
    this.child?.kill('SIGCONT');
  }

  /** SIGTERM; returns its exit code. */
  async stop(): Promise<number | null> {
    this.endsAsAsked = true;
    this.wake();
    this.child?.kill('SIGTERM');
    return this.ended;
  }
}
