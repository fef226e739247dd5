import { mkdir, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import { errorCodeOf } from '../../models/error-code.ts';
import type { Runtime } from '../../models/runtime.ts';
import { checkContent, checkPart, extentsOf, formOfList, formOfPart, Readers, type PartList } from './extents.ts';
import { asUnavailable, flushFolder, readPieces, writeFlushed } from './files.ts';
import {
  ContentNotFound,
  type ContentRange,
  type ContentReference,
  type Objects,
  type StoredFile,
  type StoredPart,
} from './port.ts';

/** Folder of incomplete writes. */
const incomingFolder = 'incoming';
/** A temporary file without changes for this long belongs to a dead process. */
const abandonedAfterMs = 3_600_000;
/** Parts of joined contents whose lists are kept in memory. */
const maxKnownParts = 200_000;

/** Folders that are made at the same time; a power of two. */
const madeTogether = 64;

const shardShape = /^[0-9a-f]{3}$/;
const fileShape = /^([0-9a-f-]{36})\.(?:([A-Za-z0-9_-]{1,100})|(list\.json))$/;

/** Folder of a content: its id is random, so contents are spread evenly over 4096 folders. */
function shardOf(content: string): string {
  return checkContent(content).slice(-3);
}

function isMissing(error: unknown): boolean {
  return errorCodeOf(error) === 'ENOENT';
}

/**
 * Objects as files of a folder, which several machines may share. The file of a part is `<content>.<part>`, written under
 * a temporary name, flushed and renamed, and then its folder is flushed. A content of one part is that file; one of
 * several parts is a list of them (`<content>.list.json`): nothing is copied.
 */
export async function openFolderObjects({
  folder,
  runtime,
}: {
  folder: string;
  runtime: Pick<Runtime, 'now' | 'uuid'>;
}): Promise<Objects> {
  return FolderObjects.open(resolve(folder), runtime);
}

class FolderObjects implements Objects {
  readonly #root: string;
  readonly #runtime: Pick<Runtime, 'now' | 'uuid'>;
  /** Folders that are known to be there, and on disk, or when they will be. */
  readonly #known = new Map<string, Promise<void> | null>();
  readonly #lists = new LRUCache<string, PartList>({ maxSize: maxKnownParts, sizeCalculation: sizeOfList });
  readonly #readers = new Readers();

  static async open(root: string, runtime: Pick<Runtime, 'now' | 'uuid'>): Promise<FolderObjects> {
    const first = await mkdir(join(root, incomingFolder), { recursive: true });
    if (first !== undefined) await flushFolder(root);
    if (first !== undefined && first !== join(root, incomingFolder)) await flushFolder(dirname(first));
    const objects = new FolderObjects(root, runtime);
    await objects.#removeAbandoned();
    const shards = (await readdir(root)).filter((name) => shardShape.test(name));
    // A process that died may have made some that it did not flush.
    if (shards.length > 0) await flushFolder(root);
    for (const shard of shards) objects.#known.set(join(root, shard), null);
    return objects;
  }

  private constructor(root: string, runtime: Pick<Runtime, 'now' | 'uuid'>) {
    this.#root = root;
    this.#runtime = runtime;
  }

  async writePart(content: string, part: StoredPart, body: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#write(this.#pathOfPart(content, part.name), part.bytes, body);
  }

  async join(content: string, parts: readonly StoredPart[]): Promise<ContentReference> {
    const [first] = parts;
    if (first === undefined) throw new Error('a content has at least one part');
    if (parts.length === 1) return { id: content, form: `${formOfPart}${first.name}` };
    const list: PartList = { parts: parts.map(({ name, bytes }) => ({ name, bytes })) };
    const text = Buffer.from(JSON.stringify(list));
    await this.#write(this.#pathOfList(content), text.byteLength, piecesOf(text));
    return { id: content, form: formOfList };
  }

  read(content: ContentReference, range: ContentRange, buffer?: Buffer): AsyncGenerator<Uint8Array> {
    return this.#readers.during(content.id, this.#pieces(content, range, buffer));
  }

  async *#pieces(content: ContentReference, range: ContentRange, buffer?: Buffer): AsyncGenerator<Uint8Array> {
    const { id } = content;
    try {
      if (content.form.startsWith(formOfPart)) {
        yield* readPieces(this.#pathOfPart(id, content.form.slice(formOfPart.length)), range.from, range.to, buffer);
        return;
      }
      for (const { name, range: within } of extentsOf(await this.#listOf(content), range))
        yield* readPieces(this.#pathOfPart(id, name), within.from, within.to, buffer);
    } catch (error) {
      throw isMissing(error) ? new ContentNotFound(id) : error;
    }
  }

  async head(content: string, part: string, bytes: number): Promise<Uint8Array> {
    const path = this.#pathOfPart(content, part);
    try {
      const size = Math.min(bytes, (await stat(path)).size);
      return Buffer.concat(await Array.fromAsync(readPieces(path, 0, size - 1)));
    } catch (error) {
      throw isMissing(error) ? new ContentNotFound(content) : error;
    }
  }

  async remove(content: string): Promise<boolean> {
    const shard = join(this.#root, shardOf(content));
    if (this.#readers.has(content)) return false;
    const names = await readdir(shard).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const own = names.filter((name) => name.startsWith(`${content}.`));
    // The list goes last: until then a repeated removal finds everything.
    const isList = (name: string): boolean => name.endsWith('.list.json');
    for (const name of [...own.filter((each) => !isList(each)), ...own.filter(isList)])
      await rm(join(shard, name), { force: true });
    this.#lists.delete(content);
    return true;
  }

  async removePart(content: string, part: string): Promise<void> {
    await rm(this.#pathOfPart(content, part), { force: true });
  }

  async partsOf(content: ContentReference): Promise<string[]> {
    if (content.form.startsWith(formOfPart)) return [content.form.slice(formOfPart.length)];
    return (await this.#listOf(content)).parts.map(({ name }) => name);
  }

  async *list(): AsyncGenerator<readonly StoredFile[]> {
    await this.#removeAbandoned();
    const shards = (await readdir(this.#root)).filter((name) => shardShape.test(name)).sort();
    for (const shard of shards) {
      const byContent = new Map<string, { name: string; part: string | null }[]>();
      for (const name of await readdir(join(this.#root, shard))) {
        const [, content, part] = fileShape.exec(name) ?? [];
        if (content === undefined) continue;
        const files = byContent.get(content) ?? [];
        files.push({ name, part: part ?? null });
        byContent.set(content, files);
      }
      for (const [content, files] of byContent) {
        const found: StoredFile[] = [];
        for (const { name, part } of files) {
          // It was removed since.
          const facts = await stat(join(this.#root, shard, name)).catch(() => null);
          if (facts !== null) found.push({ content, part, bytes: facts.size, writtenAt: facts.mtimeMs });
        }
        if (found.length > 0) yield found;
      }
    }
  }

  async ping(): Promise<void> {
    await stat(join(this.#root, incomingFolder));
  }

  async close(): Promise<void> {
    // Each read and write closes its file.
  }

  #pathOfPart(content: string, part: string): string {
    return join(this.#root, shardOf(content), `${content}.${checkPart(part)}`);
  }

  #pathOfList(content: string): string {
    return join(this.#root, shardOf(content), `${content}.list.json`);
  }

  async #write(path: string, bytes: number, body: AsyncIterable<Uint8Array>): Promise<void> {
    const temporary = join(this.#root, incomingFolder, this.#runtime.uuid());
    const folder = dirname(path);
    try {
      await writeFlushed(temporary, bytes, body);
      await this.#makeFolder(basename(folder));
      await rename(temporary, path).catch(async (error: unknown) => {
        if (!isMissing(error)) throw error;
        // The folder was known, and somebody has removed it.
        this.#known.delete(folder);
        await this.#makeFolder(basename(folder));
        await rename(temporary, path);
      });
    } catch (error) {
      await rm(temporary, { force: true });
      throw asUnavailable(error);
    }
    await flushFolder(folder);
  }

  /**
   * Makes the folder of a content, with its neighbours: otherwise nearly every write of a young store would make and flush
   * one.
   */
  async #makeFolder(shard: string): Promise<void> {
    const folder = join(this.#root, shard);
    const known = this.#known.get(folder);
    if (known === null) return;
    if (known !== undefined) return known;
    const begin = Number.parseInt(shard, 16) & -madeTogether;
    const folders = Array.from({ length: madeTogether }, (_, at) =>
      join(this.#root, (begin + at).toString(16).padStart(3, '0')),
    );
    const made = (async () => {
      for (const each of folders) await mkdir(each, { recursive: true });
      await flushFolder(this.#root);
    })();
    for (const each of folders) this.#known.set(each, made);
    try {
      await made;
      for (const each of folders) this.#known.set(each, null);
    } catch (error) {
      for (const each of folders) this.#known.delete(each);
      throw error;
    }
  }

  async #listOf({ id, form }: ContentReference): Promise<PartList> {
    if (form !== formOfList) throw new Error(`content ${id} has the unknown form ${form}`);
    const known = this.#lists.get(id);
    if (known !== undefined) return known;
    try {
      // The store wrote it, whole.
      const list = JSON.parse(await readFile(this.#pathOfList(id), 'utf8')) as PartList;
      this.#lists.set(id, list);
      return list;
    } catch (error) {
      throw isMissing(error) ? new ContentNotFound(id) : error;
    }
  }

  async #removeAbandoned(): Promise<void> {
    const incoming = join(this.#root, incomingFolder);
    for (const name of await readdir(incoming)) {
      const path = join(incoming, name);
      try {
        if ((await stat(path)).mtimeMs < this.#runtime.now() - abandonedAfterMs) await unlink(path);
      } catch (error) {
        // Another process that shares the folder has just finished or removed it.
        if (!isMissing(error)) throw error;
      }
    }
  }
}

function sizeOfList({ parts }: PartList): number {
  return parts.length;
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
