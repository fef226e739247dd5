import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { scheduledBackups } from '../../cli/backup/schedule.ts';
import { ProgramProcess } from '../../scripts/cluster/program-process.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { freePort } from '../servers/ports.ts';
import { commandLine } from '../support/command-line.ts';
import { Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

describe('"ply backup --every"', () => {
  let program: TestProgram;
  let restored: ProgramProcess | null = null;
  beforeAll(async () => {
    program = await startTestProgram();
  });
  afterAll(async () => {
    await restored?.kill();
    await program.end();
  });

  const takenAt = async (): Promise<number | null> => {
    const text = await (await fetch(`${program.metricsUrl}/metrics`)).text();
    const value = /^ply_backup_last_success_timestamp_seconds (\S+)$/m.exec(text)?.[1];
    return value === undefined ? null : Number(value);
  };

  it('takes backups beside the running program, reports their age, and the newest one can be restored', async () => {
    expect(await takenAt()).toBeNull();
    await program.standard.indexed(program.source.put('light.txt', 'The harbour light is green.'));
    const folder = join(program.folder, 'backups');
    const data = join(program.folder, 'data');
    const child = spawn(process.execPath, ['cli/ply.ts', 'backup', folder, '--every', '1m', '--keep', '2'], {
      cwd: projectRoot,
      env: { PATH: process.env['PATH'], PLY_DATA_DIR: data },
      stdio: 'ignore',
    });
    while ((await takenAt()) === null) await pause(100);
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(Math.abs(Date.now() / 1000 - ((await takenAt()) ?? 0))).toBeLessThan(120);
    const newest = (await scheduledBackups(folder)).at(-1) ?? '';
    const port = await freePort();
    const environment = {
      PLY_DATA_DIR: join(program.folder, 'restored'),
      PLY_API_PORT: String(port),
      PLY_METRICS_PORT: '0',
      PLY_UPLOAD_PORT: '0',
      PLY_EMBEDDING_THREADS: '0',
    };
    expect(await commandLine(environment)(['restore', join(folder, newest)])).toMatchObject({ code: 0 });
    const url = `http://127.0.0.1:${port}`;
    const logFile = join(program.folder, 'restored.log');
    restored = new ProgramProcess({ name: 'restored', environment, healthUrl: `${url}/health/ready`, logFile });
    restored.start();
    await restored.ready();
    const client = new Client(url, program.organizationId, program.standard.key);
    expect((await client.search({ query: 'harbour light' })).items).toHaveLength(1);
  });

  it('refuses what it does not understand', async () => {
    const ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') });
    for (const [words, reason] of [
      [['backup', 'there', '--every', 'often'], 'often is not a valid interval'],
      [['backup', 'there', '--every', '1h', '--keep', '0'], '--keep must be a whole number'],
      [['backup', 'there', '--keep', '3'], '--keep belongs to --every'],
      [['backup', '--every', '1h'], 'Missing the folder'],
    ] as const)
      expect(await ply(words)).toMatchObject({ code: 1, errors: expect.stringContaining(reason) as string });
  });
});
