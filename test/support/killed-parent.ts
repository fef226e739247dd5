import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Whether a process lives; one that ended and was not yet looked after does not. */
export function lives(pid: number): boolean {
  return existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
}

/** Whether a process has ended, within a minute at most. */
export async function gone(pid: number): Promise<boolean> {
  for (let waited = 0; waited < 3000 && lives(pid); waited++) await pause(20);
  return !lives(pid);
}

/**
 * Starts a program of ours that starts another one and says its process id (by `said` or on its standard output), ends
 * ours by kill -9, and answers the id of the other, which lived until then.
 */
export async function killParent(path: string, words: readonly string[], said?: () => string): Promise<number> {
  const parent = spawn(process.execPath, [path, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(parent, 'exit');
  let output = '';
  parent.stdout.setEncoding('utf8').on('data', (piece: string) => { output += piece; });
  try {
    let text = '';
    for (let waited = 0; waited < 1500 && !text.endsWith('\n'); waited++) {
      await pause(20);
      text = said === undefined ? output : said();
    }
    const child = Number(text);
    if (!Number.isInteger(child) || child <= 1 || !lives(child)) throw new Error(`the program said no process that lives, but: ${text}`);
    return child;
  } finally {
    parent.kill('SIGKILL');
    await exit;
  }
}
