import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A command prefix that makes the system kill the started process when its parent ends for any reason (setpriv(1) of
 * util-linux; PR_SET_PDEATHSIG of prctl(2)). The process id stays that of the child.
 */
export const endWithParent: readonly [string, ...string[]] = ['setpriv', '--pdeathsig', 'KILL'];

/** Its exit codes if the program cannot be run, as with a shell or env(1). */
export const notRunnable: readonly number[] = [126, 127];

let finding: Promise<readonly string[]> | null = null;

/**
 * The words of `endWithParent` with the full path of the command; empty if the machine does not have it. Looked up
 * once.
 */
export function findEndWithParent(): Promise<readonly string[]> {
  return (finding ??= find(process.env['PATH'] ?? ''));
}

async function find(path: string): Promise<readonly string[]> {
  const [name, ...options] = endWithParent;
  for (const folder of path.split(delimiter)) {
    if (!folder.startsWith('/')) continue;
    const command = join(folder, name);
    try {
      // Checked first, because starting a process is expensive for a parent with much memory.
      await access(command, constants.X_OK);
      // The command runs itself, which exists.
      await run(command, [...options, command, '--version'], { env: {}, timeout: 10_000 });
      return [command, ...options];
    } catch {
      // Not in this folder, or not permitted: try the next one. If none has it, programs run without the prefix.
    }
  }
  return [];
}
