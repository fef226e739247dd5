import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from '../../test/servers/lock.ts';
import { cacheFolder } from '../setup/paths.mjs';
import { ensureProgram, runProgram, type Outcome } from '../setup/system.ts';

const requirementsFile = join(import.meta.dirname, 'requirements.txt');
const folder = join(cacheFolder, 'schemathesis');
/** Contains the folder's address, which its programs name, and the requirements it was filled with; written last. */
const proof = join(folder, 'installed.txt');

/** The program that tests the API description: https://schemathesis.readthedocs.io */
export const schemathesisProgram = join(folder, 'bin/schemathesis');

/**
 * Installs schemathesis with its pinned packages into a separate environment under the cache folder, once for all
 * processes of this machine.
 * @returns why it is not available, or null
 */
export async function installSchemathesis(): Promise<string | null> {
  const expected = `${folder}\n${await readFile(requirementsFile, 'utf8')}`;
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(proof) && (await readFile(proof, 'utf8')) === expected) return null;
    await rm(folder, { recursive: true, force: true });
    const steps: (() => Promise<Outcome>)[] = [
      () => ensureProgram(['python3', '-m', 'ensurepip', '--version'], ['python3-venv']),
      () => runProgram('python3', ['-m', 'venv', folder]),
      () =>
        runProgram(join(folder, 'bin/pip'), ['install', '-q', '--disable-pip-version-check', '-r', requirementsFile]),
    ];
    for (const step of steps) {
      const outcome = await step();
      if (!outcome.ok) return outcome.reason;
    }
    await writeFile(proof, expected);
    return null;
  });
}
