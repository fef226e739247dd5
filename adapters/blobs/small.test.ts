import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../models/runtime.ts';
import { smallBlobs } from '../../models/small-blob.ts';
import { openSqliteRecords } from '../records/sqlite/records.ts';
import type { Records } from '../records/port.ts';
import { blobsConformance } from './conformance.ts';
import { openBlobs } from './open.ts';
import type { Blobs } from './port.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-small-blobs-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function open(name: string): Promise<{ blobs: Blobs; records: Records; stop(): Promise<void> }> {
  const records = await openSqliteRecords({ folder: join(folder, name), runtime: systemRuntime });
  await records.prepare([smallBlobs]);
  const blobs = await openBlobs(null, join(folder, name, 'blobs'), systemRuntime, records);
  return { blobs, records, stop: () => records.close() };
}

async function contentOf(blobs: Blobs, key: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const piece of blobs.read(key)) parts.push(piece);
  return Buffer.concat(parts).toString('latin1');
}

async function listed(blobs: Blobs, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { key, bytes } of blobs.list(prefix)) names.push(`${key} ${bytes}`);
  return names;
}

blobsConformance('a folder, small texts in the records', () => open('suite'));

describe('small blobs in the records', () => {
  it('are texts; binary and larger blobs are files', async () => {
    const { blobs, stop } = await open('where');
    const isFile = (key: string): boolean => existsSync(join(folder, 'where', 'blobs', key));
    await blobs.write('a/text', Buffer.from('\ufeffwörds\n\0'));
    await blobs.write('a/bytes', Buffer.from([0xff, 0xfe, 0]));
    await blobs.write('a/large', Buffer.alloc(40_000, 'x'));
    expect(['a/text', 'a/bytes', 'a/large'].map(isFile)).toEqual([false, true, true]);
    expect(await contentOf(blobs, 'a/text')).toBe(Buffer.from('\ufeffwörds\n\0').toString('latin1'));
    expect(await contentOf(blobs, 'a/bytes')).toBe('\xff\xfe\0');
    expect(await listed(blobs, 'a/')).toEqual(['a/bytes 3', 'a/large 40000', 'a/text 11']);
    await stop();
  });

  it('replace files, and are replaced by files', async () => {
    const { blobs, stop } = await open('change');
    const large = 'y'.repeat(50_000);
    for (const content of ['small', large, 'small again']) {
      await blobs.write('k', Buffer.from(content));
      expect(await contentOf(blobs, 'k')).toBe(content);
      expect(await listed(blobs, '')).toEqual([`k ${content.length}`]);
    }
    await blobs.remove('k');
    expect(await blobs.exists('k')).toBe(false);
    expect(await listed(blobs, '')).toEqual([]);
    await stop();
  });

  it('are all removed by their prefix, and no others', async () => {
    const { blobs, stop } = await open('many');
    await Promise.all(Array.from({ length: 250 }, (_, index) => blobs.write(`m/${index}`, Buffer.from('x'))));
    await Promise.all(['m.x', 'n/1', 'm-/1'].map((key) => blobs.write(key, Buffer.from('y'))));
    expect(await listed(blobs, 'm/')).toHaveLength(250);
    await blobs.remove('m/');
    expect(await listed(blobs, '')).toEqual(['m-/1 1', 'm.x 1', 'n/1 1']);
    await stop();
  });

  it('are kept when the records are reopened', async () => {
    const first = await open('again');
    await first.blobs.write('a', Buffer.from('kept'));
    await first.stop();
    const second = await open('again');
    expect(await contentOf(second.blobs, 'a')).toBe('kept');
    await second.stop();
  });
});
