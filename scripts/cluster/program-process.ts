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
  restartsOnExit?: boolean;
}

/** The program as an operating system process that can be started, stopped, killed, frozen and resumed. */
export class ProgramProcess {
  readonly name: string;
  readonly healthUrl: string;
  private readonly options: ProgramProcessOptions;
  private child: ChildProcess | null = null;
  private ended: Promise<number | null> = Promise.resolve(null);
  private isStopping = false;
  /** Number of unexpected exits. */
  unexpectedExits = 0;

  constructor(options: ProgramProcessOptions) {
    this.name = options.name;
    this.healthUrl = options.healthUrl;
    this.options = options;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts it. It exits with this process at the latest, if the machine supports that. */
  start(): void {
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PLY_')));
    const log = openSync(this.options.logFile, 'a');
    const child = spawn(command, [...options, mainFile], {
      env: { ...inherited, ...this.options.environment },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child = child;
    this.isStopping = false;
    this.ended = new Promise((resolve) => {
      child.once('error', () => resolve(null));
      child.once('exit', (code) => resolve(code));
    });
    void this.ended.then(() => {
      if (this.child !== child) return;
      this.child = null;
      if (!this.isStopping) this.unexpectedExits++;
      if (!this.isStopping && this.options.restartsOnExit === true) this.start();
    });
  }

  /** Waits until it reports that it is ready. @throws if it exits or is not ready in time */
  async ready(milliseconds = 180_000): Promise<void> {
    const deadline = Date.now() + milliseconds;
    for (;;) {
      if (this.child === null && this.options.restartsOnExit !== true)
        throw new Error(`${this.name} exited; see ${this.options.logFile}`);
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
      // It does not listen.
      return false;
    }
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.isStopping = true;
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  /** SIGSTOP: pauses it. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  /** SIGCONT: resumes it. */
  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** SIGTERM; returns its exit code. */
  async stop(): Promise<number | null> {
    this.isStopping = true;
    this.resume();
    this.child?.kill('SIGTERM');
    return this.ended;
  }
}
