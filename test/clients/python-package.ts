import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
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
  // Programs of the environment name it by its path, which must be the same for all that share the cache.
  const folder = join(
    existsSync(cacheFolder) ? realpathSync(cacheFolder) : cacheFolder,
    requirement.replace('==', '-'),
  );
  const proof = join(folder, 'lib/installed');
  const program = (name: string): string => join(folder, 'bin', name);
  const missing = await withLock(`${folder}.lock`, async () => {
    // One that was copied from elsewhere does not start.
    if (existsSync(proof) && readFileSync(proof, 'utf8') === folder) return null;
    const steps: [string, string[]][] = [
      ['python3', ['-m', 'venv', '--clear', folder]],
      [program('pip'), ['install', '-q', '--disable-pip-version-check', requirement, ...more]],
    ];
    for (const [name, words] of steps) {
      const outcome = await runProgram(name, words);
      if (!outcome.ok) return outcome.reason;
    }
    await writeFile(proof, folder);
    return null;
  });
  return { program, missing };
}
