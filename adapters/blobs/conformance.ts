import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Blobs } from './port.ts';

/** Creates the subject of a suite. With paged requests it lists and removes at most 50 names at a time. */
export interface BlobsUnderTest {
  blobs: Blobs;
  stop?(): Promise<void>;
}

async function contentOf(blobs: Blobs, key: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const piece of blobs.read(key)) parts.push(piece);
  return Buffer.concat(parts).toString('latin1');
}

async function namesOf(blobs: Blobs, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { key } of blobs.list(prefix)) names.push(key);
  return names;
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** The tests that every adapter of the blobs must pass. */
export function blobsConformance(name: string, open: () => Promise<BlobsUnderTest>): void {
  describe(`blobs: ${name}`, () => {
    let subject: BlobsUnderTest;
    let blobs: Blobs;
    beforeAll(async () => {
      subject = await open();
      blobs = subject.blobs;
    });
    afterAll(async () => {
      await blobs.close();
      await subject.stop?.();
    });

    it('stores bytes and returns their number', async () => {
      expect(await blobs.write('a/one', bytesOf('first'))).toBe(5);
      expect(await contentOf(blobs, 'a/one')).toBe('first');
      expect(await blobs.exists('a/one')).toBe(true);
      expect(await blobs.write('a/one', bytesOf('second content'))).toBe(14);
      expect(await contentOf(blobs, 'a/one')).toBe('second content');
      expect(await blobs.write('a/empty', new Uint8Array())).toBe(0);
      expect(await contentOf(blobs, 'a/empty')).toBe('');
    });

    it('stores a long stream of small chunks', async () => {
      const hash = createHash('sha256');
      async function* stream(): AsyncGenerator<Uint8Array, void, undefined> {
        for (let i = 0; i < 300; i += 1) {
          const piece = Buffer.alloc(70_001, i % 251);
          hash.update(piece);
          yield piece;
        }
      }
      expect(await blobs.write('a/long', stream())).toBe(300 * 70_001);
      const back = createHash('sha256');
      let largest = 0;
      for await (const piece of blobs.read('a/long')) {
        back.update(piece);
        largest = Math.max(largest, piece.byteLength);
      }
      expect(back.digest('hex')).toBe(hash.digest('hex'));
      expect(largest).toBeLessThanOrEqual(2 ** 20);
    });

    it('reads a stream no faster than it stores it', async () => {
      let [made, ahead] = [0, 0];
      async function* stream(): AsyncGenerator<Uint8Array, void, undefined> {
        for (let i = 0; i < 40; i += 1) {
          made += 1;
          ahead = Math.max(ahead, made - i);
          yield Buffer.alloc(2 ** 20);
        }
      }
      await blobs.write('a/paced', stream());
      expect(ahead).toBe(1);
      await blobs.remove('a/paced');
    });

    it('discards a failed write and keeps the previous content', async () => {
      async function* broken(bytes: number): AsyncGenerator<Uint8Array, void, undefined> {
        yield Buffer.alloc(bytes);
        throw new Error('the source broke');
      }
      await blobs.write('b/kept', bytesOf('old'));
      for (const bytes of [10, 9 * 2 ** 20]) {
        await expect(blobs.write('b/kept', broken(bytes))).rejects.toThrow('the source broke');
        await expect(blobs.write('b/new', broken(bytes))).rejects.toThrow('the source broke');
      }
      expect(await contentOf(blobs, 'b/kept')).toBe('old');
      expect(await blobs.exists('b/new')).toBe(false);
      expect(await namesOf(blobs, 'b/')).toEqual(['b/kept']);
    });

    it('gives readers either the old or the new content', async () => {
      const letters = ['x', 'y'];
      await blobs.write('b/swap', bytesOf('x'.repeat(200_000)));
      let writing = true;
      const writer = (async () => {
        for (let i = 0; i < 20; i += 1) await blobs.write('b/swap', bytesOf((letters[i % 2] ?? '').repeat(200_000)));
        writing = false;
      })();
      let reads = 0;
      while (writing) {
        const content = await contentOf(blobs, 'b/swap');
        expect(content).toHaveLength(200_000);
        expect(new Set(content).size).toBe(1);
        reads += 1;
        await sleep(1);
      }
      await writer;
      expect(reads).toBeGreaterThan(0);
    });

    it('reports a missing blob', async () => {
      await expect(contentOf(blobs, 'c/none')).rejects.toMatchObject({ name: 'BlobNotFound' });
      await expect(contentOf(blobs, 'a')).rejects.toMatchObject({ name: 'BlobNotFound' });
      expect(await blobs.exists('c/none')).toBe(false);
      expect(await blobs.exists('a')).toBe(false);
    });

    it('lists names by prefix, in byte order, with sizes', async () => {
      for (const key of ['d/2', 'd/1/b', 'd/1/a', 'd/1-x', 'd/10', 'dd/1', 'd/1.y'])
        await blobs.write(key, bytesOf(key));
      expect(await namesOf(blobs, 'd/')).toEqual(['d/1-x', 'd/1.y', 'd/1/a', 'd/1/b', 'd/10', 'd/2']);
      expect(await namesOf(blobs, 'd/1/')).toEqual(['d/1/a', 'd/1/b']);
      expect(await namesOf(blobs, 'd/1')).toEqual(['d/1-x', 'd/1.y', 'd/1/a', 'd/1/b', 'd/10']);
      expect(await namesOf(blobs, 'nothing/')).toEqual([]);
      for await (const { key, bytes } of blobs.list('d/')) expect(bytes).toBe(key.length);
    });

    it('lists more than one page and removes all', async () => {
      const keys = Array.from({ length: 130 }, (_, i) => `e/many/${String(i).padStart(3, '0')}`);
      for (let i = 0; i < keys.length; i += 20)
        await Promise.all(keys.slice(i, i + 20).map((key) => blobs.write(key, bytesOf(key))));
      await blobs.write('e/many-more', bytesOf('stays'));
      expect(await namesOf(blobs, 'e/many/')).toEqual(keys);
      await blobs.remove('e/many/');
      expect(await namesOf(blobs, 'e/')).toEqual(['e/many-more']);
    });

    it('removes one name or all with a prefix, and ignores missing ones', async () => {
      for (const key of ['f/a/1', 'f/a/2', 'f/ab', 'f/b']) await blobs.write(key, bytesOf(key));
      await blobs.remove('f/b');
      expect(await namesOf(blobs, 'f/')).toEqual(['f/a/1', 'f/a/2', 'f/ab']);
      await blobs.remove('f/a');
      expect(await namesOf(blobs, 'f/')).toEqual(['f/a/1', 'f/a/2', 'f/ab']);
      await blobs.remove('f/a/');
      expect(await namesOf(blobs, 'f/')).toEqual(['f/ab']);
      await blobs.remove('f/a/');
      await blobs.remove('f/none');
      await blobs.remove('f/none/none/');
      expect(await namesOf(blobs, 'f/')).toEqual(['f/ab']);
    });

    it('writes while its folder is being removed', async () => {
      for (let i = 0; i < 20; i += 1) {
        await blobs.write('g/x/old', bytesOf('old'));
        await Promise.all([blobs.remove('g/x/old'), blobs.write('g/x/new', bytesOf('new'))]);
        expect(await contentOf(blobs, 'g/x/new')).toBe('new');
        await blobs.remove('g/x/new');
      }
    });

    const wrongNames = [
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '..',
      'a/../b',
      '../a',
      'a/..',
      './a',
      'a\\b',
      'a b',
      'ä',
      'a\0b',
      '.incoming/a',
      'a'.repeat(901),
      `${'a'.repeat(201)}/b`,
    ];
    it.each(wrongNames.map((key) => [JSON.stringify(key).slice(0, 20), key]))(
      'refuses the name %s',
      async (_shown, key) => {
        await expect(blobs.write(key, bytesOf('x'))).rejects.toThrow("not a blob's name");
        await expect(contentOf(blobs, key)).rejects.toThrow("not a blob's name");
        await expect(blobs.exists(key)).rejects.toThrow("not a blob's name");
      },
    );

    it.each(['', '/', '..', '../', 'a/../', '.incoming/'])('refuses to remove %j', async (key) => {
      await expect(blobs.remove(key)).rejects.toThrow();
    });

    it('answers a ping', async () => {
      await expect(blobs.ping()).resolves.toBeUndefined();
    });
  });
}
