import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Output of a program, or why it failed: the last lines of its output. */
export type Outcome = { ok: true; output: string } | { ok: false; reason: string };

/** Where and for how long a program of the set-up runs. */
export interface RunOptions {
  folder?: string;
  environment?: Record<string, string>;
  /** Milliseconds after which it is ended. */
  timeout?: number;
}

/** Runs a program to its end, without input. A failure is an answer, not an exception. */
export async function runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  try {
    const { stdout } = await execute(program, args, {
      cwd: options.folder,
      env: { ...process.env, ...options.environment },
      timeout: options.timeout ?? 900_000,
      maxBuffer: 2 ** 26,
    });
    return { ok: true, output: stdout };
  } catch (error) {
    return { ok: false, reason: `${program}: ${reasonOf(error)}` };
  }
}

function reasonOf(error: unknown): string {
  if (!isSystemError(error)) return String(error);
  if (error.code === 'ENOENT') return 'is not installed';
  const said = error.stderr?.trim() ?? '';
  return said === '' ? error.message : said.split('\n').slice(-3).join(' | ');
}

/** What child processes fail with. Told by its fields, because tests run in a realm of their own. */
function isSystemError(error: unknown): error is { message: string; code?: unknown; stderr?: string } {
  return typeof error === 'object' && error !== null && 'message' in error;
}

/**
 * Sees to it that a program of the system answers: tries it, and where it does not answer and this process may
 * install Debian packages (it runs as root and there is apt-get), installs them and tries once more.
 * @param probe a call that succeeds when the program is usable, such as `['redis-server', '--version']`
 */
export async function ensureProgram(
  probe: readonly [string, ...string[]],
  debianPackages: readonly string[],
): Promise<Outcome> {
  const [program, ...args] = probe;
  const found = await runProgram(program, args);
  if (found.ok) return found;
  const fix = `apt-get install ${debianPackages.join(' ')}`;
  if (process.getuid?.() !== 0) return { ok: false, reason: `${found.reason}; to fix it: ${fix}` };
  const environment = { DEBIAN_FRONTEND: 'noninteractive' };
  await runProgram('apt-get', ['update', '-qq'], { environment });
  const installed = await runProgram(
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', ...debianPackages],
    { environment },
  );
  if (!installed.ok)
    return {
      ok: false,
      reason: `${found.reason}, and it could not be installed (${installed.reason}); to fix it: ${fix}`,
    };
  return runProgram(program, args);
}
