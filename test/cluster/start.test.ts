import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ProgramProcess } from '../../scripts/cluster/program-process.ts';
import { freePort } from '../servers/ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-start-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function program(name: string, environment: Record<string, string>): Promise<ProgramProcess & { log(): string }> {
  const metricsPort = await freePort();
  const logFile = join(folder, `${name}.log`);
  const made = new ProgramProcess({
    name,
    logFile,
    healthUrl: `http://127.0.0.1:${metricsPort}/health/ready`,
    environment: {
      PLY_API_PORT: '0',
      PLY_METRICS_PORT: String(metricsPort),
      PLY_DELIVERY_PORT: '0',
      PLY_S3_PORT: '0',
      PLY_BLOB_PORT: '0',
      PLY_UPLOAD_PORT: '0',
      PLY_DATA_DIR: join(folder, 'data'),
      PLY_EMBEDDING_THREADS: '0',
      ...environment,
    },
  });
  return Object.assign(made, { log: () => readFileSync(logFile, 'utf8') });
}

/** Starts it and waits until it exits. */
async function awaitExit(started: ProgramProcess): Promise<void> {
  started.start();
  while (started.pid !== undefined) await pause(50);
}

describe('a process', () => {
  it('with NATS and an embedded store does not start, and names the missing variable', async () => {
    const alone = await program('alone', {
      PLY_NATS_URL: 'nats://127.0.0.1:4222',
      PLY_MILVUS_URL: 'http://127.0.0.1:19530',
      PLY_REDIS_URL: 'redis://127.0.0.1',
      PLY_BLOBS_URL: 'file:///tmp',
      PLY_OBJECTS_URL: 'file:///tmp',
    });
    await awaitExit(alone);
    expect(alone.log()).toMatch(/PLY_MONGO_URL: needed with PLY_NATS_URL/);
    expect(alone.log()).toMatch(/PLY_SECRET_KEY: needed with PLY_NATS_URL/);
    expect(alone.log()).not.toMatch(/PLY_REDIS_URL/);
  });

  it('does not start on the data folder of a running process', async () => {
    const first = await program('first', {});
    first.start();
    await first.ready();
    try {
      const second = await program('second', {});
      await awaitExit(second);
      expect(second.log()).toContain(`The data folder ${join(folder, 'data')} is in use by another process`);
      expect(await first.isReady()).toBe(true);
    } finally {
      await first.stop();
    }
  });
});
