import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The command that lets the system kill what it becomes when the process that started it ends, however that ends
 * (setpriv(1) of util-linux; PR_SET_PDEATHSIG of prctl(2)). The process that is started keeps the child's id.
 */
export const endWithParent: readonly [string, ...string[]] = ['setpriv', '--pdeathsig', 'KILL'];

/** Exit codes by which it, as a shell or env(1), says that the program after it cannot be run. */
export const notRunnable: readonly number[] = [126, 127];

let finding: Promise<readonly string[]> | null = null;

/** The words of `endWithParent` with the command's full path; none where this machine has no such command. Looked up once. */
export function findEndWithParent(): Promise<readonly string[]> {
  return (finding ??= find(process.env['PATH'] ?? ''));
}

async function find(path: string): Promise<readonly string[]> {
  const [name, ...options] = endWithParent;
  for (const folder of path.split(delimiter)) {
    if (!folder.startsWith('/')) continue;
    const command = join(folder, name);
    try {
      // Most folders do not hold it, and to start a process is dear where much memory is held.
      await access(command, constants.X_OK);
      // What it starts is itself, which is there.
      await run(command, [...options, command, '--version'], { env: {}, timeout: 10_000 });
      return [command, ...options];
    } catch {
      // Not in this folder, or not permitted: the next one is tried, and without any the program runs as it is.
    }
  }
  return [];
}
