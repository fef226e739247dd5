import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MiB = 1024 * 1024;
/** Writable memory that Node reserves before it has read anything. */
const nodeReserve = 768 * MiB;

/** What one extraction process may take. */
export interface ProcessLimits {
  /** Resident memory, in MiB. */
  memoryMegabytes: number;
  /** Processor time over the life of the process, in seconds. */
  cpuSeconds: number;
  /** Folders whose files it may read, besides the program's own code. */
  readableFolders: readonly string[];
}

/** Commands of the system that hold a process in, each with what it is asked for. Each is used only where it works. */
function wrappers(limits: ProcessLimits): string[][] {
  return [
    // Dies with its parent, however that ends.
    ['setpriv', '--pdeathsig', 'KILL'],
    ['prlimit', `--data=${limits.memoryMegabytes * MiB + nodeReserve}`, `--cpu=${limits.cpuSeconds}`, '--core=0', '--fsize=0', '--nofile=64'],
    // A network of its own without any way out; needs a right that containers often withhold.
    ['unshare', '--net'],
  ];
}

async function works(wrapper: readonly string[]): Promise<boolean> {
  const [command = '', ...rest] = wrapper;
  try {
    await run(command, [...rest, process.execPath, '--version'], { env: {}, timeout: 10_000 });
    return true;
  } catch {
    // Absent or not permitted: the process runs without this one.
    return false;
  }
}

/** What holds extraction processes in on this machine: the words to put before the command, and names for the log. */
export interface Confinement {
  prefix: readonly string[];
  used: readonly string[];
}

/** Finds out once which of the system's means work here. */
export async function findConfinement(limits: ProcessLimits): Promise<Confinement> {
  const candidates = wrappers(limits);
  const working = await Promise.all(candidates.map(works));
  const kept = candidates.filter((_, index) => working[index]);
  const path = await Promise.all(kept.map(async (wrapper) => {
    const { stdout } = await run('/bin/sh', ['-c', 'command -v "$1"', 'sh', wrapper[0] ?? '']);
    return [stdout.trim(), ...wrapper.slice(1)];
  }));
  return { prefix: path.flat(), used: kept.map((wrapper) => wrapper[0] ?? '') };
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Options of Node for an extraction process: it reads the program's code and the given folders, and starts nothing. */
export function nodeOptions(limits: ProcessLimits): string[] {
  const code = ['services/extractor', 'models', 'node_modules', 'package.json'].map((name) => `${root}${name}`).filter((path) => existsSync(path));
  const readable = [...code, ...limits.readableFolders].flatMap((path) => existsSync(path) ? [path, realpathSync(path)] : [path]);
  return [
    '--permission',
    ...[...new Set(readable)].map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${Math.max(48, Math.floor(limits.memoryMegabytes * 0.7))}`,
    '--max-semi-space-size=8',
    '--disallow-code-generation-from-strings',
    '--no-warnings',
  ];
}
