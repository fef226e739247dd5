import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { endWithParent } from '../models/end-with-parent.ts';

const run = promisify(execFile);
const MiB = 1024 * 1024;

/** Limits of one confined process. */
export interface ProcessLimits {
  /** Resident memory, in MiB. */
  memoryMegabytes: number;
  /** Processor time over the life of the process, in seconds. */
  cpuSeconds: number;
  /** Size of a file that it may write, in MiB; none if omitted. */
  fileMegabytes?: number;
}

/** A program to confine. */
export interface ConfinedProgram {
  /** Commands that end with exit code 0 if the program can run: each is tried under the confinement. */
  probes: readonly (readonly string[])[];
  /** Memory that the program reserves without using it, in MiB. */
  reservedMegabytes: number;
}

/**
 * How a process is kept off the network: by a network namespace inside its own user namespace, which any user may
 * create if the system permits it; by a network namespace alone, which needs CAP_SYS_ADMIN; or not at all.
 */
export type NetworkIsolation = 'user-namespace' | 'namespace' | 'none';

/** The commands of the system that confine a process on this machine. */
export interface Confinement {
  /** Arguments that precede the program and its own arguments. */
  prefix: readonly string[];
  /** Names of the commands in use. */
  used: readonly string[];
  network: NetworkIsolation;
}

/** A command that starts another one with fewer privileges or resources. */
interface Wrapper {
  words: readonly string[];
  network?: NetworkIsolation;
}

/** Network isolation by preference (unshare(1) of util-linux). */
const networkWrappers: readonly Wrapper[] = [
  { words: ['unshare', '--user', '--net'], network: 'user-namespace' },
  { words: ['unshare', '--net'], network: 'namespace' },
];

function limitWrappers(
  { memoryMegabytes, cpuSeconds, fileMegabytes = 0 }: ProcessLimits,
  reservedMegabytes: number,
): Wrapper[] {
  return [
    { words: endWithParent },
    {
      words: [
        'prlimit',
        `--data=${(memoryMegabytes + reservedMegabytes) * MiB}`,
        `--cpu=${cpuSeconds}`,
        '--core=0',
        `--fsize=${fileMegabytes * MiB}`,
        '--nofile=64',
      ],
    },
  ];
}

/** Whether a program runs under the given wrappers. */
async function works(wrappers: readonly Wrapper[], { probes }: ConfinedProgram): Promise<boolean> {
  const prefix = wrappers.flatMap(({ words }) => words);
  try {
    for (const probe of probes) {
      const [command = '', ...rest] = [...prefix, ...probe];
      await run(command, rest, { env: {}, timeout: 10_000 });
    }
    return true;
  } catch {
    // Absent or not permitted: the process runs without it.
    return false;
  }
}

/** The wrappers that work for a program, each tested on its own. */
async function workingOf(candidates: readonly Wrapper[], program: ConfinedProgram): Promise<Wrapper[]> {
  const working = await Promise.all(candidates.map((wrapper) => works([wrapper], program)));
  return candidates.filter((_, index) => working[index]);
}

/**
 * Finds the confinement that this machine permits for a program. Commands that are absent or not permitted are omitted,
 * so the caller has to report `network`.
 */
export async function findConfinement(limits: ProcessLimits, program: ConfinedProgram): Promise<Confinement> {
  const limiting = limitWrappers(limits, program.reservedMegabytes);
  const [preferred] = networkWrappers;
  const all = [...limiting, ...(preferred === undefined ? [] : [preferred])];
  // On most machines all wrappers work, and one probe shows it.
  const kept = (await works(all, program))
    ? all
    : [...(await workingOf(limiting, program)), ...(await workingOf(networkWrappers, program)).slice(0, 1)];
  const used = kept.map(({ words: [name = ''] }) => name);
  const { stdout } = await run('/bin/sh', ['-c', 'for name; do command -v "$name" || exit; done', 'sh', ...used]);
  const paths = stdout.split('\n');
  return {
    prefix: kept.flatMap(({ words: [, ...options] }, index) => [paths[index] ?? '', ...options]),
    used,
    network: kept.find(({ network }) => network !== undefined)?.network ?? 'none',
  };
}

const descriptions: Readonly<Record<NetworkIsolation, string>> = {
  'user-namespace': 'parsers have no network: each runs in a network namespace within a user namespace',
  namespace: 'parsers have no network: each runs in a network namespace',
  none: 'parsers can reach the network: this user may create neither user nor network namespaces',
};

/** Describes a confinement in one sentence, for health reports and logs. */
export function describeConfinement({ network, used }: Pick<Confinement, 'network' | 'used'>): string {
  const limits = used.includes('prlimit') ? '' : '; memory and processor time have no system limit';
  return `${descriptions[network]}${limits}`;
}

/** The weakest of several confinements. */
export function weakestOf(confinements: readonly Confinement[]): Pick<Confinement, 'network' | 'used'> {
  const networks: readonly NetworkIsolation[] = ['none', 'namespace', 'user-namespace'];
  const [weakest] = confinements.toSorted((a, b) => networks.indexOf(a.network) - networks.indexOf(b.network));
  return weakest ?? { network: 'none', used: [] };
}

/** What an operator can do if parsers can reach the network. */
export const networkIsolationFix =
  'permit user namespaces (sysctl user.max_user_namespaces, the seccomp profile of the container), or deny the extractor egress';
