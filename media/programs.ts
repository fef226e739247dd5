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

/** The programs, or why recordings cannot be read here. */
export type FoundPrograms = { programs: MediaPrograms } | { missing: string };

/** Installs a missing program on Debian and its derivatives. */
const installCommand = 'apt-get install ffmpeg';

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    // Absent, or this user may not run it: both mean that it cannot be used.
    return false;
  }
}

/** Path of a program that this user may run, looked for in the folders of a search path; null if there is none. */
export async function inSearchPath(name: string, searchPath: string): Promise<string | null> {
  for (const folder of searchPath.split(delimiter))
    if (folder !== '' && (await isExecutable(join(folder, name)))) return join(folder, name);
  return null;
}

/** Where the packaged ffprobe lies; null if there is none for this machine. */
function packagedProbe(): string | null {
  try {
    const found: unknown = createRequire(import.meta.url)('@ffprobe-installer/ffprobe');
    return typeof found === 'object' && found !== null && 'path' in found && typeof found.path === 'string'
      ? found.path
      : null;
  } catch {
    // It throws where no package carries it for this platform.
    return null;
  }
}

/**
 * A form of the packaged program that this user may run. It comes with a mode that lets its owner alone run it, or
 * nobody: where its mode cannot be changed, a copy is made.
 */
async function runnable(packaged: string, copyFolder: string): Promise<string | null> {
  if (await isExecutable(packaged)) return packaged;
  try {
    await chmod(packaged, 0o755);
    return packaged;
  } catch {
    // Another user's file.
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
    // It does not run here.
    return null;
  }
}

/** Of two programs the newer one, the first where they are of the same year; null if neither runs. */
async function newer(first: string | null, second: string | null): Promise<string | null> {
  const [firstYear, secondYear] = await Promise.all([yearOf(first), yearOf(second)]);
  if (firstYear === null) return secondYear === null ? null : second;
  return secondYear !== null && secondYear > firstYear ? second : first;
}

/**
 * Looks for ffmpeg and ffprobe: those of the system, where the packaged ffprobe is not newer.
 * @param copyFolder where a copy of the packaged program may be made
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
