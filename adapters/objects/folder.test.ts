import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../models/runtime.ts';
import { objectsConformance } from './conformance.ts';
import { openFolderObjects } from './folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-objects-'));
afterAll(() => rmSync(folder, { recursive: true }));

objectsConformance('a folder', () => openFolderObjects({ folder: join(folder, 'a', 'b'), runtime: systemRuntime }));

describe('a folder of objects', () => {
  const open = (name: string) => openFolderObjects({ folder: join(folder, name), runtime: systemRuntime });
  async function* bytes(text: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }

  it('does not copy parts to join them', async () => {
    const objects = await open('joined');
    const id = randomUUID();
    const parts = [
      { name: '1-a', bytes: 3 },
      { name: '2-a', bytes: 3 },
    ];
    for (const part of parts) await objects.writePart(id, part, bytes(part.name));
    await objects.join(id, parts);
    expect(readdirSync(join(folder, 'joined', id.slice(-3))).sort()).toEqual([
      `${id}.1-a`,
      `${id}.2-a`,
      `${id}.list.json`,
    ]);
    expect(readdirSync(join(folder, 'joined', 'incoming'))).toEqual([]);
  });

  it('writes each piece before it takes the next one, and gives its memory back', async () => {
    const objects = await open('pieces');
    const incoming = join(folder, 'pieces', 'incoming');
    const [made, written]: [Uint8Array[], number[]] = [[], []];
    async function* body(): AsyncGenerator<Uint8Array> {
      for (let index = 0; index < 5; index += 1) {
        written.push(statSync(join(incoming, readdirSync(incoming)[0] ?? '')).size);
        const piece = randomBytes(65_536);
        made.push(piece);
        yield piece;
      }
      // Shares its memory with a piece that the store does not get.
      const shared = randomBytes(200);
      made.push(shared);
      yield shared.subarray(0, 100);
    }
    await objects.writePart(randomUUID(), { name: '1-a', bytes: 5 * 65_536 + 100 }, body());
    expect(written).toEqual([0, 65_536, 131_072, 196_608, 262_144]);
    expect(made.map(({ byteLength }) => byteLength)).toEqual([0, 0, 0, 0, 0, 200]);
  });

  it('removes abandoned temporary files, and keeps those of current writes', async () => {
    const objects = await open('abandoned');
    const [old, young] = ['old', 'young'].map((name) => join(folder, 'abandoned', 'incoming', name));
    for (const path of [old, young]) writeFileSync(path ?? '', 'x');
    utimesSync(old ?? '', new Date(), new Date(Date.now() - 3_700_000));
    for await (const files of objects.list()) expect(files).toEqual([]);
    expect([existsSync(old ?? ''), existsSync(young ?? '')]).toEqual([false, true]);
  });

  it('makes folders with their neighbours, once', async () => {
    const name = 'neighbours';
    const content = (end: string): string => `${randomUUID().slice(0, -3)}${end}`;
    const shards = (): string[] => readdirSync(join(folder, name)).filter((each) => each !== 'incoming');
    const write = (objects: Awaited<ReturnType<typeof open>>, end: string): Promise<void> =>
      objects.writePart(content(end), { name: '1-a', bytes: 5 }, bytes('hello'));
    const objects = await open(name);
    await Promise.all(['a40', 'a41', 'a7f'].map((end) => write(objects, end)));
    expect([shards().length, shards()[0], shards().at(-1)]).toEqual([64, 'a40', 'a7f']);
    const again = await open(name);
    await write(again, 'a41');
    expect(shards()).toHaveLength(64);
    await write(again, 'a80');
    expect(shards()).toHaveLength(128);
    expect(readdirSync(join(folder, name, 'incoming'))).toEqual([]);
  });

  it('makes a folder again that was removed', async () => {
    const objects = await open('removed');
    const id = `${randomUUID().slice(0, -3)}b00`;
    const write = (name: string): Promise<void> => objects.writePart(id, { name, bytes: 5 }, bytes('hello'));
    await write('1-a');
    rmSync(join(folder, 'removed', 'b00'), { recursive: true });
    await write('2-a');
    expect(readdirSync(join(folder, 'removed', 'b00'))).toEqual([`${id}.2-a`]);
  });

  it('reads content that another process wrote to the same folder', async () => {
    const [one, other] = [await open('shared'), await open('shared')];
    const id = randomUUID();
    await one.writePart(id, { name: '1-a', bytes: 5 }, bytes('hello'));
    const content = await one.join(id, [{ name: '1-a', bytes: 5 }]);
    const read: Uint8Array[] = [];
    for await (const piece of other.read(content, { from: 1, to: 3 })) read.push(piece);
    expect(Buffer.concat(read).toString()).toBe('ell');
  });
});
