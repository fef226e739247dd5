import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errorCodeOf } from '../models/error-code.ts';

/** The folder of this process for the files it is reading. Folders of processes that died go with the next start. */
export class WorkFolder {
  readonly path: string;
  private readonly parent: string;
  private count = 0;

  constructor(parent: string, nodeId: string) {
    this.parent = resolve(parent);
    this.path = join(this.parent, nodeId);
  }

  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.parent)) {
      const pid = Number(/-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
      if (join(this.parent, name) !== this.path && !isAlive(pid))
        await rm(join(this.parent, name), { recursive: true, force: true });
    }
  }

  /** A path that no other file of this process has. */
  next(): string {
    return join(this.path, `source-${++this.count}`);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

/** Whether a process of this machine is alive. An unknown number counts as alive: its folder stays. */
function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid)) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) === 'EPERM';
  }
}
