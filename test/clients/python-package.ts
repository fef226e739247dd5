import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../scripts/setup/paths.mjs';
import { runProgram } from '../../scripts/setup/system.ts';
import { withLock } from '../servers/lock.ts';

/** A package of Python in an environment of its own under the cache folder. */
export interface PythonPackage {
  /** Path of a program of its environment, such as `python`. */
  program(name: string): string;
  /** Why it is not available; null if it is. */
  missing: string | null;
}

/**
 * Installs a package of Python, once for all processes of this machine.
 * @param requirement such as `s3cmd==2.4.0`
 * @param more what it needs besides, in the same environment
 */
export async function installPythonPackage(requirement: string, ...more: string[]): Promise<PythonPackage> {
  const folder = join(cacheFolder, requirement.replace('==', '-'));
  const proof = join(folder, 'lib/installed');
  const program = (name: string): string => join(folder, 'bin', name);
  const missing = await withLock(`${folder}.lock`, async () => {
    if (existsSync(proof)) return null;
    const steps: [string, string[]][] = [
      ['python3', ['-m', 'venv', '--clear', folder]],
      [program('pip'), ['install', '-q', '--disable-pip-version-check', requirement, ...more]],
      ['touch', [proof]],
    ];
    for (const [name, words] of steps) {
      const outcome = await runProgram(name, words);
      if (!outcome.ok) return outcome.reason;
    }
    return null;
  });
  return { program, missing };
}
