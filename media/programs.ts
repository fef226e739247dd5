import { execFile } from 'node:child_process';
import { access, chmod, constants, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { versionArguments, yearOfVersion } from './ffmpeg.ts';

const run = promisify(execFile);

/** The programs that read recordings. */
export interface MediaPrograms {
  ffmpeg: string;
  ffprobe: string;
}

/** The programs, or the reason why recordings cannot be read on this machine. */
export type FoundPrograms = { programs: MediaPrograms } | { missing: string };

/** Installs a missing program on Debian and its derivatives. */
const installCommand = 'apt-get install ffmpeg';

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    // Absent or not executable.
    return false;
  }
}

/** Path of an executable program in the folders of a search path, or null. */
export async function inSearchPath(name: string, searchPath: string): Promise<string | null> {
  for (const folder of searchPath.split(delimiter))
    if (folder !== '' && (await isExecutable(join(folder, name)))) return join(folder, name);
  return null;
}

/** Path of the packaged ffprobe; null if there is none for this platform. */
function packagedProbe(): string | null {
  try {
    const found: unknown = createRequire(import.meta.url)('@ffprobe-installer/ffprobe');
    return typeof found === 'object' && found !== null && 'path' in found && typeof found.path === 'string'
      ? found.path
      : null;
  } catch {
    // The package throws on unsupported platforms.
    return null;
  }
}

/**
 * An executable path of the packaged program. Its file mode may not permit this user to run it; if the mode cannot be
 * changed, a copy is made.
 */
async function runnable(packaged: string, copyFolder: string): Promise<string | null> {
  if (await isExecutable(packaged)) return packaged;
  try {
    await chmod(packaged, 0o755);
    return packaged;
  } catch {
    // The file belongs to another user.
  }
  const copy = join(copyFolder, 'ffprobe');
  if (await isExecutable(copy)) return copy;
  const made = `${copy}.${process.pid}`;
  try {
    await mkdir(copyFolder, { recursive: true });
    await copyFile(packaged, made);
    await chmod(made, 0o755);
    await rename(made, copy);
    return copy;
  } catch {
    await rm(made, { force: true });
    return null;
  }
}

async function yearOf(program: string | null): Promise<number | null> {
  if (program === null) return null;
  try {
    return yearOfVersion((await run(program, [...versionArguments], { env: {}, timeout: 10_000 })).stdout);
  } catch {
    // It does not run on this machine.
    return null;
  }
}

/** The newer of two programs, or the first if they are of the same year; null if neither runs. */
async function newer(first: string | null, second: string | null): Promise<string | null> {
  const [firstYear, secondYear] = await Promise.all([yearOf(first), yearOf(second)]);
  if (firstYear === null) return secondYear === null ? null : second;
  return secondYear !== null && secondYear > firstYear ? second : first;
}

/**
 * Finds ffmpeg and ffprobe of the system; a newer packaged ffprobe takes precedence.
 * @param copyFolder where a copy of the packaged program may be written
 */
export async function findPrograms(
  copyFolder: string,
  searchPath: string = process.env['PATH'] ?? '',
): Promise<FoundPrograms> {
  const packaged = packagedProbe();
  const [ffmpeg, systemProbe, ownProbe] = await Promise.all([
    inSearchPath('ffmpeg', searchPath),
    inSearchPath('ffprobe', searchPath),
    packaged === null ? null : runnable(packaged, copyFolder),
  ]);
  const [year, ffprobe] = await Promise.all([yearOf(ffmpeg), newer(systemProbe, ownProbe)]);
  if (ffmpeg === null || year === null) return { missing: `ffmpeg is not installed (${installCommand})` };
  return ffprobe === null
    ? { missing: `ffprobe is not installed (${installCommand})` }
    : { programs: { ffmpeg, ffprobe } };
}
