import { readdir, readFile, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCodeOf } from '../../models/error-code.ts';
import { batchExtension, openExtension } from './segment.ts';

/** A batch as it is handed over: complete lines, and the id that it has had since its file was made. */
export interface SpooledBatch {
  writer: string;
  number: number;
  lines: string;
}

/** A complete segment on disk. */
interface Waiting {
  path: string;
  bytes: number;
  since: number;
}

/** Milliseconds after which a file that nobody has written to counts as abandoned, whoever made it. */
const abandonedAfterMs = 600_000;

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** A file's name as batch: `<writer>.<number>.<extension>`; null for another file. */
function batchOf(name: string): { writer: string; number: number; isOpen: boolean } | null {
  const parts = /^([0-9a-f-]+)\.(\d+)(\.open|\.batch)$/.exec(name);
  const [, writer, number, extension] = parts ?? [];
  return writer === undefined ? null : { writer, number: Number(number), isOpen: extension === openExtension };
}

/** Whether the process that a folder is named after (`<host>-<process id>-<digits>`) can no longer write to it. */
export function isDead(folder: string, host: string, isRunning: (pid: number) => boolean): boolean {
  const [, ofHost, pid] = /^(.*)-(\d+)-[0-9a-f]+$/.exec(folder) ?? [];
  if (ofHost !== host || pid === undefined) return false;
  // The folder of this process is not asked about: another one with its number is of a process before it.
  return Number(pid) === process.pid || !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) === 'EPERM';
  }
}

/**
 * The complete segments of a spool, oldest first: those of this process, and those that processes before it left. Each is
 * sent until the receiver has it, then removed.
 */
export class Sender {
  readonly #root: string;
  readonly #own: string;
  readonly #host: string;
  readonly #now: () => number;
  #waiting: Waiting[] = [];

  /**
   * @param root folder with one folder for each process
   * @param own name of this process's folder
   * @param host this machine, as folders name it
   */
  constructor(root: string, own: string, host: string, now: () => number) {
    this.#root = root;
    this.#own = own;
    this.#host = host;
    this.#now = now;
  }

  /** Bytes of complete segments that are not sent. */
  get bytes(): number {
    return this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Milliseconds for which the oldest complete segment has waited; 0 if none waits. */
  get oldestMs(): number {
    const [first] = this.#waiting;
    return first === undefined ? 0 : Math.max(0, this.#now() - first.since);
  }

  /** A segment of this process is complete. @param name without extension */
  add(name: string, bytes: number): void {
    this.#waiting.push({ path: join(this.#root, this.#own, `${name}${batchExtension}`), bytes, since: this.#now() });
  }

  /** Finds the segments of processes that are gone. */
  async adopt(): Promise<void> {
    for (const folder of await namesIn(this.#root)) {
      if (folder === this.#own) continue;
      const isAbandoned = isDead(folder, this.#host, isRunning);
      const path = join(this.#root, folder);
      const names = await namesIn(path);
      for (const name of names) await this.#adoptFile(join(path, name), name, isAbandoned);
      if (names.length === 0 && isAbandoned) await rmdir(path).catch(() => undefined);
    }
    this.#waiting.sort((a, b) => a.since - b.since);
  }

  async #adoptFile(path: string, name: string, isAbandoned: boolean): Promise<void> {
    if (batchOf(name) === null || this.#waiting.some((known) => known.path === path)) return;
    const found = await stat(path).catch(() => null);
    if (found === null || (!isAbandoned && this.#now() - found.mtimeMs < abandonedAfterMs)) return;
    this.#waiting.push({ path, bytes: found.size, since: found.mtimeMs });
  }

  /**
   * Sends the oldest segment and removes it.
   * @returns whether there was one. @throws what `send` throws: the segment stays
   */
  async sendNext(send: (batch: SpooledBatch) => Promise<unknown>): Promise<boolean> {
    const [first] = this.#waiting;
    if (first === undefined) return false;
    const text = await readFile(first.path, 'utf8').catch((error: unknown) => {
      // Another process that adopted it was faster.
      if (errorCodeOf(error) === 'ENOENT') return '';
      throw error;
    });
    // A crash may have cut the last line off.
    const lines = text.slice(0, text.lastIndexOf('\n') + 1);
    const named = batchOf(first.path.slice(first.path.lastIndexOf('/') + 1));
    if (lines !== '' && named !== null) await send({ writer: named.writer, number: named.number, lines });
    await unlink(first.path).catch((error: unknown) => {
      if (errorCodeOf(error) !== 'ENOENT') throw error;
    });
    this.#waiting = this.#waiting.filter((waiting) => waiting !== first);
    return true;
  }
}
