import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ContentReference, Objects, StoredFile, StoredPart } from './port.ts';

const mebibyte = 2 ** 20;

/** Copies: the pieces of a body belong to the store. */
async function* pieces(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
}

/** The tests that every adapter of the objects must pass. */
export function objectsConformance(name: string, open: () => Promise<Objects>): void {
  describe(`objects: ${name}`, () => {
    let objects: Objects;
    beforeAll(async () => {
      objects = await open();
    });
    afterAll(() => objects.close());

    const contentOf = async (content: ContentReference, from: number, to: number): Promise<Buffer> => {
      const parts: Uint8Array[] = [];
      for await (const piece of objects.read(content, { from, to })) {
        expect(piece.byteLength).toBeLessThanOrEqual(mebibyte);
        // A store may use its memory again for the next piece.
        parts.push(Buffer.from(piece));
      }
      return Buffer.concat(parts);
    };
    const write = async (content: string, part: string, bytes: Uint8Array): Promise<StoredPart> => {
      const stored = { name: part, bytes: bytes.byteLength };
      await objects.writePart(content, stored, pieces(bytes));
      return stored;
    };
    const filesOf = async (content: string): Promise<StoredFile[]> => {
      for await (const files of objects.list()) if (files[0]?.content === content) return [...files];
      return [];
    };

    it.each([0, 1, 65_536, 700_001])('stores a content of one part with %i bytes', async (size) => {
      const [id, bytes] = [randomUUID(), randomBytes(size)];
      const content = await objects.join(id, [await write(id, '1-a', bytes)]);
      expect(content.id).toBe(id);
      expect((await contentOf(content, 0, size - 1)).equals(bytes)).toBe(true);
      expect(await objects.partsOf(content)).toEqual(['1-a']);
      expect(Buffer.from(await objects.head(id, '1-a', 10)).equals(bytes.subarray(0, 10))).toBe(true);
    });

    it('joins parts in the given order, regardless of the order of the writes', async () => {
      const id = randomUUID();
      const all = [randomBytes(300_000), randomBytes(1), randomBytes(0), randomBytes(262_145)];
      const parts = new Map<number, StoredPart>();
      for (const number of [2, 0, 3, 1]) parts.set(number, await write(id, `${number}-x`, all[number] ?? Buffer.of()));
      const content = await objects.join(
        id,
        [0, 1, 2, 3].map((number) => parts.get(number) ?? { name: '', bytes: 0 }),
      );
      const whole = Buffer.concat(all);
      for (const [from, to] of [
        [0, whole.length - 1],
        [0, 0],
        [299_999, 300_001],
        [300_000, 300_000],
        [300_001, whole.length - 1],
        [whole.length - 1, whole.length - 1],
      ] as const)
        expect((await contentOf(content, from, to)).equals(whole.subarray(from, to + 1))).toBe(true);
      expect(await objects.partsOf(content)).toEqual(['0-x', '1-x', '2-x', '3-x']);
    });

    it('returns the same result when the join is repeated', async () => {
      const id = randomUUID();
      const parts = [await write(id, '1-a', Buffer.from('one ')), await write(id, '2-a', Buffer.from('two'))];
      const first = await objects.join(id, parts);
      expect(await objects.join(id, parts)).toEqual(first);
      expect((await contentOf(first, 0, 6)).toString()).toBe('one two');
    });

    it('excludes overwritten parts and parts that are not joined', async () => {
      const id = randomUUID();
      await write(id, '1-a', Buffer.from('old'));
      const parts = [await write(id, '1-b', Buffer.from('new')), await write(id, '2-a', Buffer.from('!'))];
      const content = await objects.join(id, parts);
      expect((await contentOf(content, 0, 3)).toString()).toBe('new!');
      await objects.removePart(id, '1-a');
      await objects.removePart(id, '1-a');
      expect((await filesOf(id)).map(({ part }) => part)).not.toContain('1-a');
      expect((await contentOf(content, 0, 3)).toString()).toBe('new!');
    });

    it.each([
      ['fewer', 9],
      ['more', 11],
    ])('stores nothing of a body with %s bytes than announced', async (_, bytes) => {
      const id = randomUUID();
      await expect(objects.writePart(id, { name: '1-a', bytes }, pieces(randomBytes(10), 4))).rejects.toMatchObject({
        name: 'WrongLength',
      });
      expect(await filesOf(id)).toEqual([]);
    });

    it('stores no part of a body that fails', async () => {
      const id = randomUUID();
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield randomBytes(100_000);
        throw new Error('the client went away');
      }
      await expect(objects.writePart(id, { name: '1-a', bytes: 200_000 }, broken())).rejects.toThrow('went away');
      expect(await filesOf(id)).toEqual([]);
      await expect(objects.head(id, '1-a', 1)).rejects.toMatchObject({ name: 'ContentNotFound' });
    });

    it('writes many parts concurrently', async () => {
      const id = randomUUID();
      const all = Array.from({ length: 20 }, () => randomBytes(50_000));
      const parts = await Promise.all(all.map((bytes, index) => write(id, `${index}-x`, bytes)));
      const content = await objects.join(id, parts);
      const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
      expect(digest(await contentOf(content, 0, 999_999))).toBe(digest(Buffer.concat(all)));
    });

    it('removes a content, but not while it is read', async () => {
      const id = randomUUID();
      const parts = [await write(id, '1-a', randomBytes(mebibyte)), await write(id, '2-a', randomBytes(mebibyte))];
      const content = await objects.join(id, parts);
      let read = 0;
      for await (const piece of objects.read(content, { from: 0, to: 2 * mebibyte - 1 })) {
        read += piece.byteLength;
        expect(await objects.remove(id)).toBe(false);
      }
      expect(read).toBe(2 * mebibyte);
      expect(await objects.remove(id)).toBe(true);
      expect(await objects.remove(id)).toBe(true);
      expect(await filesOf(id)).toEqual([]);
      await expect(contentOf(content, 0, 0)).rejects.toMatchObject({ name: 'ContentNotFound' });
    });

    it('can remove a content after a reader stopped early', async () => {
      const id = randomUUID();
      const content = await objects.join(id, [await write(id, '1-a', randomBytes(3 * mebibyte))]);
      for await (const piece of objects.read(content, { from: 0, to: 3 * mebibyte - 1 }))
        if (piece.byteLength > 0) break;
      expect(await objects.remove(id)).toBe(true);
    });

    it('lists files by content', async () => {
      const [one, two] = [randomUUID(), randomUUID()];
      const before = Date.now();
      await write(one, '1-a', randomBytes(5));
      await write(one, '1-b', randomBytes(7));
      await objects.join(two, [await write(two, '1-a', randomBytes(3)), await write(two, '2-a', randomBytes(4))]);
      const files = await filesOf(one);
      expect(files.map(({ part, bytes }) => [part, bytes]).sort()).toEqual([
        ['1-a', 5],
        ['1-b', 7],
      ]);
      for (const { writtenAt } of files) expect(Math.abs(writtenAt - before)).toBeLessThan(60_000);
      expect((await filesOf(two)).map(({ part }) => part)).toEqual(expect.arrayContaining(['1-a', '2-a']));
    });

    it.each(['../x', 'a', '', '00000000-0000-4000-8000-00000000000/'])('refuses the content id %j', async (id) => {
      await expect(objects.writePart(id, { name: '1-a', bytes: 0 }, pieces(Buffer.of()))).rejects.toThrow();
      await expect(objects.remove(id)).rejects.toThrow();
    });

    it.each(['../x', 'a/b', 'a.b', '', 'ä'])('refuses the part name %j', async (part) => {
      await expect(objects.writePart(randomUUID(), { name: part, bytes: 0 }, pieces(Buffer.of()))).rejects.toThrow();
    });

    it('responds to ping', async () => {
      await expect(objects.ping()).resolves.toBeUndefined();
    });
  });
}
