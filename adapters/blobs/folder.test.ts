import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../models/runtime.ts';
import { blobsConformance } from './conformance.ts';
import { openFolderBlobs } from './folder.ts';
import { openBlobs } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-blobs-'));
afterAll(() => rmSync(folder, { recursive: true }));

blobsConformance('a folder', async () => ({
  blobs: await openFolderBlobs({ folder: join(folder, 'suite'), runtime: systemRuntime }),
}));

describe('a folder of blobs', () => {
  it('removes files of crashed writers, but no current writes', async () => {
    const incoming = join(folder, 'crashed', '.incoming');
    mkdirSync(incoming, { recursive: true });
    writeFileSync(join(incoming, 'left'), 'half');
    const old = Date.now() / 1000 - 7200;
    utimesSync(join(incoming, 'left'), old, old);
    writeFileSync(join(incoming, 'going on'), 'half');
    const blobs = await openFolderBlobs({ folder: join(folder, 'crashed'), runtime: systemRuntime });
    expect(readdirSync(incoming)).toEqual(['going on']);
    const names = [];
    for await (const blob of blobs.list('')) names.push(blob);
    expect(names).toEqual([]);
    await blobs.close();
  });

  it('leaves neither temporary files nor empty folders behind', async () => {
    const blobs = await openFolderBlobs({ folder: join(folder, 'tidy'), runtime: systemRuntime });
    await blobs.write('a/b/c/d', Buffer.from('x'));
    await blobs.remove('a/b/c/d');
    expect(readdirSync(join(folder, 'tidy'))).toEqual(['.incoming']);
    expect(readdirSync(join(folder, 'tidy', '.incoming'))).toEqual([]);
    await blobs.close();
  });

  it('is used with a file address and without an address', async () => {
    const named = await openBlobs(`file://${join(folder, 'by address')}`, join(folder, 'data'), systemRuntime);
    await named.write('a', Buffer.from('x'));
    expect(existsSync(join(folder, 'by address', 'a'))).toBe(true);
    const own = await openBlobs(null, join(folder, 'own'), systemRuntime);
    await own.write('a', Buffer.from('x'));
    expect(existsSync(join(folder, 'own', 'a'))).toBe(true);
  });
});
