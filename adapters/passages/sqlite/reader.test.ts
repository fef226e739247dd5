import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openConnection } from './connection.ts';
import type { ReaderMessage, ReaderSetup } from './messages.ts';

describe('the thread that compares vectors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-reader-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('ends without an error while it looks through the files of codes', async () => {
    const [path, codesFolder] = [join(folder, 'passages.db'), join(folder, 'passages.codes')];
    openConnection(path, 'writer').close();
    mkdirSync(codesFolder);
    // So many that one turn does not look through them all.
    for (let file = 0; file < 10_000; file += 1)
      writeFileSync(join(codesFolder, `1-${file.toString(16).padStart(32, '0')}`), '');
    const workerData: ReaderSetup = { path, vectorBytes: 2 ** 20, codesFolder };
    const worker = new Worker(new URL('./reader.ts', import.meta.url), { workerData });
    const errors: unknown[] = [];
    worker.on('error', (error) => errors.push(error));
    const answers: unknown[] = [];
    worker.on('message', (answer) => answers.push(answer));
    const ended = once(worker, 'exit');
    worker.postMessage({ id: 1, read: 'close' } satisfies ReaderMessage);
    await ended;
    expect(errors).toEqual([]);
    expect(answers).toEqual([[{ id: 0, value: null, failure: null }], [{ id: 1, value: null, failure: null }]]);
  });
});
