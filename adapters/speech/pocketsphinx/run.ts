import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '../../../models/runtime.ts';
import { findEndWithParent, notRunnable } from '../../../models/end-with-parent.ts';
import { yieldToRequests } from '../../../models/yield-to-requests.ts';
import { TranscriptionFailure } from '../port.ts';

/** Minutes of speech are some kilobytes. */
const maxOutput = 4 * 2 ** 20;

/** How the program is run. */
export interface RunOptions {
  program: string;
  /** Folder for the sound while the program opens it. */
  folder: string;
  milliseconds: number;
  signal: AbortSignal;
  runtime: Pick<Runtime, 'uuid'>;
}

/**
 * A file that has its content and no name: the program opens it as its standard input, and the system removes it with
 * the last process that has it open, however that ends. (Standard input as a pipe of ours would be a socket, which
 * cannot be opened by name.)
 */
async function namelessFile(content: Uint8Array, { folder, runtime }: RunOptions): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `sound-${runtime.uuid()}`);
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return await open(path, 'r');
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * Runs pocketsphinx over samples (16 kHz, mono, 16 bits) and answers what it printed. The process has no environment,
 * a bounded time and a bounded output, is killed when the signal is aborted, and ends with this process.
 * @throws TranscriptionFailure, or the signal's reason.
 */
export async function runPocketsphinx(samples: Uint8Array, options: RunOptions): Promise<string> {
  const { program, milliseconds, signal } = options;
  signal.throwIfAborted();
  const [command, ...words] = [
    ...(await findEndWithParent()),
    program,
    '-infile',
    '/dev/stdin',
    '-time',
    'yes',
    '-logfn',
    '/dev/null',
  ];
  const sound = await namelessFile(samples, options);
  try {
    const child = spawn(command, words, { cwd: '/', env: {}, stdio: [sound.fd, 'pipe', 'ignore'] });
    const printed = child.stdout;
    if (printed === null) throw new Error('the process has no output');
    const exit = once(child, 'close');
    if (child.pid !== undefined) yieldToRequests(child.pid);
    let stopped: string | null = null;
    const stop = (reason: string): void => {
      stopped ??= reason;
      child.kill('SIGKILL');
    };
    let output = '';
    printed.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
      if (output.length > maxOutput) stop('printed without end');
    });
    const abort = (): void => stop('was stopped');
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const timer = setTimeout(() => stop(`took more than ${milliseconds} ms`), milliseconds);
    try {
      await exit;
    } catch (error) {
      throw new TranscriptionFailure('model_unavailable', 'temporary', 'pocketsphinx could not be started', {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
    signal.throwIfAborted();
    if (stopped === null && notRunnable.includes(child.exitCode ?? 0))
      throw new TranscriptionFailure('model_unavailable', 'temporary', 'pocketsphinx could not be started');
    if (stopped !== null || child.exitCode !== 0)
      throw new TranscriptionFailure(
        'transcription_failed',
        'definite',
        `pocketsphinx ${stopped ?? `ended with ${child.signalCode ?? child.exitCode}`}`,
      );
    return output;
  } finally {
    await sound.close();
  }
}
