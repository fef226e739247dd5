import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Whether a process is alive. A zombie is not. */
export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
}

/** Waits at most a minute for the end of a process. Returns whether it ended. */
export async function gone(pid: number): Promise<boolean> {
  for (let exits = 0; exits < 3000 && isAlive(pid); exits++) await pause(20);
  return !isAlive(pid);
}

/**
 * Starts a program that starts another one and reports its process id (by `said` or on standard output), kills the
 * first with SIGKILL, and returns the id of the second, which was alive until then.
 */
export async function killParent(path: string, words: readonly string[], said?: () => string): Promise<number> {
  const parent = spawn(process.execPath, [path, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(parent, 'exit');
  let output = '';
  parent.stdout.setEncoding('utf8').on('data', (piece: string) => {
    output += piece;
  });
  try {
    let text = '';
    for (let exits = 0; exits < 1500 && !text.endsWith('\n'); exits++) {
      await pause(20);
      text = said === undefined ? output : said();
    }
    const child = Number(text);
    if (!Number.isInteger(child) || child <= 1 || !isAlive(child))
      throw new Error(`the program printed no id of a running process, but: ${text}`);
    return child;
  } finally {
    parent.kill('SIGKILL');
    await exit;
  }
}
