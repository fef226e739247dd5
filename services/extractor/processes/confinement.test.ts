import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { skipLoudly } from '../../../test/support/servers.ts';
import { findConfinement } from './confinement.ts';

const run = promisify(execFile);
const limits = { memoryMegabytes: 256, cpuSeconds: 60 };
const program = { probe: ['/bin/true'], reservedMegabytes: 0 };
const { used, prefix } = await findConfinement(limits, program);

if (!used.includes('prlimit') || !used.includes('setpriv')) skipLoudly('what holds programs in', 'setpriv and prlimit of util-linux are not installed');
else describe('what holds programs in', () => {
  it('is named by its paths, each with its own options', async () => {
    const places = used.map((name) => prefix.findIndex((word) => word.startsWith('/') && word.endsWith(`/${name}`)));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect([places[0], prefix.slice(1, 3)]).toEqual([0, ['--pdeathsig', 'KILL']]);
    const { stdout } = await run(prefix[0] ?? '', [...prefix.slice(1), '/bin/sh', '-c', 'ulimit -t; ulimit -n'], { env: {} });
    expect(stdout).toBe('60\n64\n');
  });

  it('is all that works where a part of it does not', async () => {
    // No program starts with so little memory.
    expect((await findConfinement({ ...limits, memoryMegabytes: 0 }, program)).used).toEqual(used.filter((name) => name !== 'prlimit'));
  });

  it('is nothing where the program itself does not run', async () => {
    expect(await findConfinement(limits, { ...program, probe: ['/nowhere/program'] })).toEqual({ prefix: [], used: [] });
  });
});
