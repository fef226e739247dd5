import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '../models/configuration/configuration.ts';
import { freePort } from '../test/servers/ports.ts';
import { startProgram, type Program } from './program.ts';

it('is ready only while it can be stopped', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-program-'));
  const port = await freePort();
  const configuration = readConfiguration({
    PLY_DATA_DIR: folder,
    PLY_API_PORT: '0',
    PLY_METRICS_PORT: String(port),
    PLY_DELIVERY_PORT: '0',
    PLY_S3_PORT: '0',
    PLY_BLOB_PORT: '0',
    PLY_UPLOAD_PORT: '0',
    PLY_LOG_LEVEL: 'fatal',
    PLY_EMBEDDING_MODEL: join(folder, 'none'),
  });
  let program: Program | null = null;
  const starting = startProgram(configuration).then((started) => (program = started));
  const seen = new Set<string>();
  let ready = false;
  try {
    while (!ready) {
      // Not listening yet: asked again.
      const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
      const { parts } = ((await answer?.json()) ?? { parts: {} }) as { parts: { [name: string]: { detail?: string } } };
      ready = answer?.status === 200;
      seen.add(
        `${answer === null ? 'no answer' : answer.status}, ${parts['program']?.detail ?? 'no word of the program'}, ${program === null ? 'not started' : 'started'}`,
      );
    }
  } finally {
    await (await starting).stop();
  }
  expect([...seen].filter((line) => line.startsWith('200'))).toEqual(['200, no word of the program, started']);
  expect([...seen].filter((line) => line.startsWith('503')).every((line) => line.includes('it is starting'))).toBe(
    true,
  );
  expect(await (await starting).readiness()).toEqual({
    ready: false,
    parts: { program: { state: 'down', detail: 'it is stopping' } },
  });
  rmSync(folder, { recursive: true, force: true });
});
