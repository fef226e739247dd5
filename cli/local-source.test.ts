import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesBelow, openLocalSource } from './local-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-source-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text = 'text'): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe('files in a folder', () => {
  it('are all regular ones, without hidden ones, links and node_modules', async () => {
    const wanted = [write('a/one.txt'), write('a/deep/er/two.md')];
    write('a/.git/config');
    write('a/.hidden.txt');
    write('a/node_modules/pkg/readme.md');
    symlinkSync(folder, join(folder, 'a/loop'));
    expect((await Array.fromAsync(filesBelow([join(folder, 'a')]))).sort()).toEqual(wanted.sort());
  });

  it('are the file itself for a file, even a hidden one', async () => {
    const path = write('b/.notes.txt');
    expect(await Array.fromAsync(filesBelow([path]))).toEqual([path]);
  });
});

describe('the temporary source', () => {
  it('serves offered files only, with the registered version', async () => {
    const source = await openLocalSource();
    try {
      const path = write('c/Übersicht 1.txt', 'hello');
      write('c/secret.txt');
      const file = await source.offer(path);
      const answer = await fetch(file.url);
      expect({ text: await answer.text(), version: answer.headers.get('etag') }).toEqual({
        text: 'hello',
        version: file.version,
      });
      for (const other of ['/', '/1/secret.txt', '/../secret.txt', `${new URL(file.url).pathname}x`]) {
        expect((await fetch(`${source.origin}${other}`)).status).toBe(404);
      }
    } finally {
      await source.close();
    }
  });

  it('has a new version for a changed file or another edition', async () => {
    const source = await openLocalSource();
    try {
      const path = write('d/one.txt', 'hello');
      const first = await source.offer(path);
      expect((await source.offer(path)).version).toBe(first.version);
      const again = await source.offer(path, 'second');
      expect(again.version).not.toBe(first.version);
      expect((await fetch(again.url)).headers.get('etag')).toBe(again.version);
      write('d/one.txt', 'hello, world');
      expect((await source.offer(path)).version).not.toBe(first.version);
    } finally {
      await source.close();
    }
  });

  it('refuses to offer an unreadable file', async () => {
    const source = await openLocalSource();
    try {
      await expect(source.offer(join(folder, 'nothing.txt'))).rejects.toThrow(/ENOENT/);
    } finally {
      await source.close();
    }
  });
});
