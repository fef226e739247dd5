import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../scripts/setup/paths.mjs';

const folder = mkdtempSync(join(tmpdir(), 'ply-first-start-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts the program; returns its output once it has printed the startup banner or ended. */
function start(apiPort: number): Promise<string> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PLY_')));
  const env = {
    ...inherited,
    PLY_API_PORT: String(apiPort),
    PLY_METRICS_PORT: '0',
    PLY_DELIVERY_PORT: '0',
    PLY_S3_PORT: '0',
    PLY_BLOB_PORT: '0',
    PLY_UPLOAD_PORT: '0',
    PLY_DATA_DIR: join(folder, 'data'),
    PLY_EMBEDDING_THREADS: '0',
  };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'main.ts'],
      { cwd: projectRoot, env },
      (_error, output, errors) => resolve(output + errors),
    );
    child.stdout?.on('data', (data) => {
      if (String(data).includes('Ctrl-C stops')) child.kill('SIGTERM');
    });
  });
}

describe('the first start', () => {
  it('prints the keys after an earlier start failed with a used port', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', () => resolve()));
    const said = await start((taken.address() as AddressInfo).port);
    expect(said).toMatch(
      /^Ply could not start: port \d+ is taken\. Stop what listens there, or name another with PLY_API_PORT/m,
    );
    await new Promise<void>((resolve) => taken.close(() => resolve()));
    expect(await start(0)).toMatch(/admin key {5}ply_[\w-]{40,}\n {2}standard key {2}ply_[\w-]{40,}\n/);
    const later = await start(0);
    expect(later).toContain('Ply is ready');
    expect(later).not.toContain('ply_');
  });
});
