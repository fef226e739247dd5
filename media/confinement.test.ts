import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { skipWithReason } from '../test/support/servers.ts';
import { describeConfinement, findConfinement, weakestOf } from './confinement.ts';

const run = promisify(execFile);
const limits = { memoryMegabytes: 256, cpuSeconds: 60 };
const program = { probes: [['/bin/true']], reservedMegabytes: 0 };
const confinement = await findConfinement(limits, program);
const { used, prefix, network } = confinement;

/** Runs a shell command under the confinement, after the given arguments; returns its output. */
async function confined(command: string, words: readonly string[]): Promise<string> {
  const [first, ...rest] = [...words, '/bin/sh', '-c', command];
  return (await run(first, rest, { env: {} })).stdout;
}

/** Whether a command ends with exit code 0. */
async function runs(command: string, ...rest: string[]): Promise<boolean> {
  try {
    await run(command, rest);
    return true;
  } catch {
    // Absent or not permitted.
    return false;
  }
}

if (!used.includes('prlimit') || !used.includes('setpriv'))
  skipWithReason('the confinement of programs', 'setpriv and prlimit of util-linux are not installed');
else
  describe('the confinement of programs', () => {
    it('gives each command its path and options', async () => {
      const indexes = used.map((name) => prefix.findIndex((word) => word.startsWith('/') && word.endsWith(`/${name}`)));
      expect(indexes).toEqual(indexes.toSorted((a, b) => a - b));
      expect([indexes[0], prefix.slice(1, 3)]).toEqual([0, ['--pdeathsig', 'KILL']]);
      expect(await confined('ulimit -t; ulimit -n', prefix)).toBe('60\n64\n');
    });

    it('leaves out the part that does not work', async () => {
      // No program starts with so little memory.
      expect((await findConfinement({ ...limits, memoryMegabytes: 0 }, program)).used).toEqual(
        used.filter((name) => name !== 'prlimit'),
      );
    });

    it('is empty where the program itself does not run', async () => {
      expect(await findConfinement(limits, { ...program, probes: [['/bin/true'], ['/nowhere/program']] })).toEqual({
        prefix: [],
        used: [],
        network: 'none',
      });
    });
  });

const unprivileged = ['--reuid', '10001', '--regid', '10001', '--clear-groups'];
const canBecomeOther = await runs('setpriv', ...unprivileged, 'true');
const permitsUserNamespaces = await runs('setpriv', ...unprivileged, 'unshare', '--user', '--net', 'true');

if (!canBecomeOther || !permitsUserNamespaces)
  skipWithReason(
    'network isolation of a user without capabilities',
    canBecomeOther ? 'user namespaces are not permitted' : 'this user may not become another one',
  );
else
  describe('network isolation', () => {
    it('holds for a user without capabilities', async () => {
      expect(network).toBe('user-namespace');
      expect(await runs('setpriv', ...unprivileged, 'unshare', '--net', 'true')).toBe(false);
      const interfaces = await confined('cat /proc/net/dev', ['setpriv', ...unprivileged, ...prefix]);
      expect(interfaces.match(/^ *\w+:/gm)?.map((name) => name.trim())).toEqual(['lo:']);
    });

    it('gives the program no capabilities in its namespace', async () => {
      expect(await confined('grep CapEff /proc/self/status', ['setpriv', ...unprivileged, ...prefix])).toMatch(
        /:\s0+\n$/,
      );
    });
  });

describe('the report of a confinement', () => {
  it('describes the weakest one', () => {
    const isolated = { prefix: [], used: ['prlimit', 'unshare'], network: 'user-namespace' } as const;
    const exposed = { prefix: [], used: ['setpriv'], network: 'none' } as const;
    expect(weakestOf([isolated, exposed, { ...isolated, network: 'namespace' }])).toBe(exposed);
    expect(describeConfinement(isolated)).toMatch(/^parsers have no network/);
    expect(describeConfinement(exposed)).toMatch(/^parsers can reach the network.*; memory and processor time/);
  });
});
