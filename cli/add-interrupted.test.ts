import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { projectRoot } from '../scripts/setup/paths.mjs';
import { startTestProgram, type TestProgram } from '../test/api/support/program.ts';
import { commandLine } from '../test/support/command-line.ts';

const count = 90;
let program: TestProgram;
const files = mkdtempSync(join(tmpdir(), 'ply-interrupted-'));

beforeAll(async () => {
  program = await startTestProgram({ PLY_EXTRACTOR_SLOTS: '1', PLY_RETRY_BASE_MS: '60000' });
  for (let number = 0; number < count; number++) writeFileSync(join(files, `${number}.txt`), `buoy ${number}\n`);
});
afterAll(async () => {
  await program.end();
  rmSync(files, { recursive: true });
});

async function inState(state: string): Promise<number> {
  const path = `/api/content/v1/activity?limit=100&state=${state}`;
  return (await program.standard.get<{ items: unknown[] }>(200, 'GET', path)).items.length;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}

describe('ply add', () => {
  it('continues when the program was killed and is back, and finishes what a killed ply add left', async () => {
    const environment = { PLY_DATA_DIR: join(program.folder, 'data') };
    const killed = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'cli/ply.ts', 'add', files], {
      cwd: projectRoot,
      env: { PATH: process.env['PATH'], ...environment },
      stdio: 'ignore',
    });
    await until(async () => (await inState('ready')) > 0);
    killed.kill('SIGKILL');
    // What was downloaded before is still indexed. The rest is retried, in vain.
    await until(async () => (await inState('ready')) + (await inState('retry_scheduled')) === count);
    const before = await inState('ready');
    expect(before).toBeLessThan(count);

    const adding = commandLine(environment, files)(['add', '.']);
    // Files of the killed command cannot be read, so more of them show that this one has registered them again.
    await until(async () => (await inState('ready')) > before);
    await program.process.kill();
    await pause(500);
    await program.start();
    const { code, output, errors } = await adding;
    expect(errors).toMatch(/Ply does not respond at .*\nTrying again for up to 10 minutes\.\nPly responds again\./);
    const [, indexed, unchanged] =
      /^(\d+) files? indexed in [\d.]+ s; (\d+) unchanged, 0 of other formats skipped\.$/.exec(output) ?? [];
    expect({ code, total: Number(indexed) + Number(unchanged), left: Number(indexed) > 0 }).toEqual({
      code: 0,
      total: count,
      left: true,
    });
    expect(await inState('ready')).toBe(count);
  });
});
