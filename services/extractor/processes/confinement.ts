import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endWithParent } from '../../../models/end-with-parent.ts';

const run = promisify(execFile);
const MiB = 1024 * 1024;
/** Writable memory that Node reserves before it has read anything, in MiB. */
const nodeReserve = 768;

/** What one extraction process may take. */
export interface ProcessLimits {
  /** Resident memory, in MiB. */
  memoryMegabytes: number;
  /** Processor time over the life of the process, in seconds. */
  cpuSeconds: number;
  /** Folders whose files it may read, besides the program's own code. */
  readableFolders: readonly string[];
}

/** A program that is held in: how to see whether it runs at all, and what memory it reserves without using it, in MiB. */
export interface ConfinedProgram {
  probe: readonly string[];
  reservedMegabytes: number;
}

const nodeProgram: ConfinedProgram = { probe: [process.execPath, '--version'], reservedMegabytes: nodeReserve };

type CommonLimits = Pick<ProcessLimits, 'memoryMegabytes' | 'cpuSeconds'>;

/** Commands of the system that hold a process in, each with what it is asked for. Each is used only where it works. */
function wrappers(limits: CommonLimits, { reservedMegabytes }: ConfinedProgram): string[][] {
  return [
    [...endWithParent],
    ['prlimit', `--data=${(limits.memoryMegabytes + reservedMegabytes) * MiB}`, `--cpu=${limits.cpuSeconds}`, '--core=0', '--fsize=0', '--nofile=64'],
    // A network of its own without any way out; needs a right that containers often withhold.
    ['unshare', '--net'],
  ];
}

async function works(wrapper: readonly string[], probe: readonly string[]): Promise<boolean> {
  const [command = '', ...rest] = wrapper;
  try {
    await run(command, [...rest, ...probe], { env: {}, timeout: 10_000 });
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

/** Which wrappers work. Mostly all do: then one start of the program tells, with all as they are used; else each is tried by itself. */
async function workingOf(candidates: readonly (readonly string[])[], probe: readonly string[]): Promise<readonly (readonly string[])[]> {
  if (await works(candidates.flat(), probe)) return candidates;
  const working = await Promise.all(candidates.map((wrapper) => works(wrapper, probe)));
  return candidates.filter((_, index) => working[index]);
}

/** Finds out which of the system's means work here, for extraction processes or another program. */
export async function findConfinement(limits: CommonLimits, program: ConfinedProgram = nodeProgram): Promise<Confinement> {
  const kept = await workingOf(wrappers(limits, program), program.probe);
  const names = kept.map(([name = '']) => name);
  const { stdout } = await run('/bin/sh', ['-c', 'for name; do command -v "$name" || exit; done', 'sh', ...names]);
  const paths = stdout.split('\n');
  return { prefix: kept.flatMap(([, ...options], index) => [paths[index] ?? '', ...options]), used: names };
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Options of Node for an extraction process: it reads the program's code and the given folders, and starts nothing. */
export function nodeOptions(limits: ProcessLimits): string[] {
  const code = ['services/extractor', 'mixins/blocks', 'models', 'node_modules', 'package.json'].map((name) => `${root}${name}`).filter((path) => existsSync(path));
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
