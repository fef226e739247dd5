import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../scripts/setup/paths.mjs';

const folder = mkdtempSync(join(tmpdir(), 'ply-data-folder-'));
const data = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts the program with the most open umask, and adds a file; returns its output once it has ended. */
function startAndAdd(): Promise<string> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PLY_')));
  const env = {
    ...inherited,
    PLY_API_PORT: '0',
    PLY_METRICS_PORT: '0',
    PLY_DATA_DIR: data,
    PLY_EMBEDDING_THREADS: '0',
  };
  const run = (program: string, ...words: string[]): Parameters<typeof execFile>[1] => [
    '-c',
    'umask 000; exec "$0" "$@"',
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    program,
    ...words,
  ];
  return new Promise((resolve) => {
    const child = execFile('sh', run('main.ts'), { cwd: projectRoot, env }, (_error, output, errors) =>
      resolve(output + errors),
    );
    let isAdding = false;
    child.stdout?.on('data', (text) => {
      if (isAdding || !String(text).includes('Ctrl-C stops')) return;
      isAdding = true;
      const add = run('cli/ply.ts', 'add', join(folder, 'text.md'));
      execFile('sh', add, { cwd: projectRoot, env }, () => child.kill('SIGTERM'));
    });
  });
}

/** Files and folders that others than their owner may use, with their modes. */
function openPaths(): string[] {
  return ['.', ...readdirSync(data, { recursive: true, encoding: 'utf8' })]
    .map((name) => ({ name, mode: statSync(join(data, name)).mode & 0o777 }))
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ name, mode }) => `${name} ${mode.toString(8)}`);
}

describe('the data folder', () => {
  beforeAll(() =>
    writeFileSync(join(folder, 'text.md'), `# Private\n\n${'A text that nobody else may read. '.repeat(3000)}`),
  );

  it('is closed to other users of the machine, with everything in it', async () => {
    const said = await startAndAdd();
    expect(said).not.toContain('other users of this machine');
    expect(readdirSync(data)).toEqual(expect.arrayContaining(['blobs', 'passages.db', 'records.db', 'secret.key']));
    expect(readdirSync(join(data, 'blobs'), { recursive: true }).length).toBeGreaterThan(0);
    expect(openPaths()).toEqual([]);
  });

  it('of an earlier version is closed at the next start, which the log reports', async () => {
    chmodSync(data, 0o755);
    mkdirSync(join(data, 'other'));
    for (const name of readdirSync(data)) chmodSync(join(data, name), name.includes('.') ? 0o644 : 0o755);
    expect(openPaths()).not.toEqual([]);
    const said = await startAndAdd();
    expect(said).toMatch(/"mode":"0755","msg":"other users of this machine could read the data folder/);
    expect(openPaths()).toEqual([]);
  });
});
