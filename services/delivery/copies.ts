import { LRUCache } from 'lru-cache';
import type { Objects } from '../../adapters/objects/port.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { isReadable } from '../../mixins/storage/readable-files.ts';
import type { Bucket } from '../../models/bucket.ts';
import type { EdgeChange } from '../../models/edge-change.ts';
import { scopeOf } from '../../models/scope.ts';
import { encodeKey } from '../../models/storage-key.ts';
import { storedObjects, type StoredObject } from '../../models/storage-object.ts';
import type { Head } from './head.ts';
import type { Site } from './sites.ts';

/** A file as an edge keeps it: what the records say of it, and its bytes where they are few. */
export interface Copy {
  readonly object: StoredObject;
  /** Null where they are read from the store for each response. */
  readonly bytes: Buffer | null;
  /** When it was read, in milliseconds. */
  readonly storedAt: number;
  /** The headers of its responses, made when they are first needed. */
  head: Head | null;
  /** Responses whose connections have not taken all of the bytes yet. */
  readers: number;
  isKept: boolean;
}

/** What keeping copies needs. */
export type CopyContext = Pick<AppContext, 'records' | 'runtime'> & { objects: Objects };

/** Files of up to this size are kept in memory. */
export const maxMemoryFile = 2 ** 20;
/** Share of the memory that may be lent to readers before a file is read from the store instead. */
const shareOfLarge = 1 / 2;
/** Small files go on being kept where slow readers hold large ones: most requests are for them. */
const shareOfSmall = 3 / 4;
const maxSmallFile = 2 ** 17;
/** Memory of a copy besides its bytes. */
const copyBytes = 1536;
/** How long it is kept that there is no such file, and the memory for that. */
const missingMs = 5000;
const maxMissingBytes = 4 * 2 ** 20;

/** A read that others wait for, too. */
interface Fill {
  bucketId: string;
  path: string;
  copy: Promise<Copy | null>;
  /** A change came after it began: what it reads is not kept. */
  isStale: boolean;
}

/**
 * The copies of an edge, by bucket and canonical path. Purges of a whole bucket begin a new generation; others remove
 * what they name. A read that began before a purge or a deletion is never kept.
 */
export class Copies {
  readonly #app: CopyContext;
  readonly #copies: LRUCache<string, Copy>;
  /** Times until which a file is known to be missing. */
  readonly #missing = new LRUCache<string, number>({
    maxSize: maxMissingBytes,
    sizeCalculation: (_, path) => path.length * 2 + 64,
  });
  readonly #fills = new Map<string, Fill>();
  /** Memory for bytes that are being read, and what of it is in use. */
  readonly #maxReadingBytes: number;
  #readingBytes = 0;
  /** Memory for all copies. */
  readonly #maxBytes: number;
  /** Memory of copies that are being sent, and of those among them that are not kept any more. */
  #lentBytes = 0;
  #heldBytes = 0;
  readonly #generations = new Map<string, number>();
  /** Names of the copies of a bucket's generation, for purges by prefix. */
  readonly #names = new Map<string, Set<string>>();

  /** @param maxBytes memory for all copies */
  constructor(app: CopyContext, maxBytes: number) {
    this.#app = app;
    this.#maxBytes = maxBytes;
    this.#maxReadingBytes = Math.max(maxMemoryFile, maxBytes / 4);
    this.#copies = new LRUCache<string, Copy>({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }, name) => copyBytes + name.length + (bytes?.length ?? 0),
      dispose: (copy, name) => {
        copy.isKept = false;
        if (copy.readers > 0) this.#heldBytes += sizeOf(copy);
        this.#forgetName(copy.object.bucketId, name);
      },
    });
  }

  /** Memory in use for copies, in bytes: those that are kept, and others as long as they are being sent. */
  get bytes(): number {
    return this.#copies.calculatedSize + this.#heldBytes;
  }

  /**
   * Notes that a response sends a copy: its bytes count until they are given back, also if the copy is dropped meanwhile,
   * because a slow reader holds them that long.
   */
  lend(copy: Copy): void {
    copy.readers += 1;
    if (copy.readers > 1) return;
    this.#lentBytes += sizeOf(copy);
    if (copy.isKept) return;
    this.#heldBytes += sizeOf(copy);
    this.#makeRoom();
  }

  /** Notes that a response has sent a copy, or never will. */
  giveBack(copy: Copy): void {
    copy.readers -= 1;
    if (copy.readers > 0) return;
    this.#lentBytes -= sizeOf(copy);
    if (!copy.isKept) this.#heldBytes -= sizeOf(copy);
  }

  /** The copy of a path; null where it is known that there is none, undefined where nothing is known. */
  cached(bucketId: string, path: string): Copy | null | undefined {
    const name = this.#nameOf(bucketId, path);
    const copy = this.#copies.get(name);
    if (copy !== undefined) return copy;
    const missingUntil = this.#missing.get(name);
    return missingUntil !== undefined && missingUntil > this.#app.runtime.now() ? null : undefined;
  }

  /**
   * Reads a file, and keeps the copy. Requests for the same file at the same time share one read.
   * @param isKept false where no copy is to be kept: then each request reads
   * @throws StoreUnavailable
   */
  fetch(site: Site, key: string, path: string, isKept: boolean): Promise<Copy | null> {
    if (!isKept) return this.#read(site.bucket, key);
    const { _id: bucketId } = site.bucket;
    const name = this.#nameOf(bucketId, path);
    const known = this.#fills.get(name);
    if (known !== undefined) return known.copy;
    const fill: Fill = { bucketId, path, isStale: false, copy: this.#read(site.bucket, key) };
    fill.copy = fill.copy
      .then((copy) => {
        if (!fill.isStale) this.#keep(bucketId, name, copy);
        return copy;
      })
      .finally(() => {
        if (this.#fills.get(name) === fill) this.#fills.delete(name);
      });
    this.#fills.set(name, fill);
    return fill.copy;
  }

  /** Drops one copy, such as one whose bytes are gone from the store. */
  drop(bucketId: string, path: string): void {
    this.#copies.delete(this.#nameOf(bucketId, path));
  }

  /** Drops what a change is about. */
  apply(change: EdgeChange): void {
    if (change.kind === 'object') this.#remove(change.bucketId, `/${encodeKey(change.key)}`);
    if (change.kind !== 'purge') return;
    const { bucketId, scope, targets } = change;
    if (scope === 'urls') for (const target of targets) this.#remove(bucketId, `/${target}`);
    if (scope === 'prefixes') for (const target of targets) this.#removePrefix(bucketId, `/${target}`);
    if (scope === 'all') this.#removeAll(bucketId);
  }

  /** Drops everything. */
  reset(): void {
    for (const fill of this.#fills.values()) fill.isStale = true;
    this.#fills.clear();
    this.#copies.clear();
    this.#missing.clear();
  }

  async #read(bucket: Bucket, key: string, isRepeated = false): Promise<Copy | null> {
    const { records, runtime } = this.#app;
    const storedAt = runtime.now();
    const [object] = await records
      .collection(storedObjects, scopeOf(bucket.organizationId))
      .find({ filter: { bucketId: bucket._id, liveKey: key }, limit: 1 });
    if (object === undefined || !(await isReadable(this.#app, object))) return null;
    const { size } = object;
    const copy = { object, bytes: null, storedAt, head: null, readers: 0, isKept: false };
    const maxLentBytes = this.#maxBytes * (size > maxSmallFile ? shareOfLarge : shareOfSmall);
    const isMemoryFull = this.#readingBytes + size > this.#maxReadingBytes || this.#lentBytes + size > maxLentBytes;
    if (size > maxMemoryFile || isMemoryFull) return copy;
    try {
      return { ...copy, bytes: await this.#readBytes(object) };
    } catch (error) {
      // It was replaced or deleted since, and its bytes are gone.
      if (!isRepeated && error instanceof Error && error.name === 'ContentNotFound')
        return this.#read(bucket, key, true);
      throw error;
    }
  }

  async #readBytes({ content, size }: StoredObject): Promise<Buffer> {
    if (size === 0) return Buffer.alloc(0);
    this.#readingBytes += size;
    try {
      return joined(await Array.fromAsync(this.#app.objects.read(content, { from: 0, to: size - 1 })));
    } finally {
      this.#readingBytes -= size;
    }
  }

  #nameOf(bucketId: string, path: string): string {
    return `${this.#prefixOf(bucketId)}${path}`;
  }

  #prefixOf(bucketId: string): string {
    const generation = this.#generations.get(bucketId);
    return generation === undefined ? bucketId : `${bucketId}.${generation}`;
  }

  #keep(bucketId: string, name: string, copy: Copy | null): void {
    if (copy === null) {
      this.#missing.set(name, this.#app.runtime.now() + missingMs);
      return;
    }
    this.#missing.delete(name);
    // Its bytes were not read, because many others were: the next request tries again.
    if (copy.bytes === null && copy.object.size <= maxMemoryFile) return;
    this.#copies.set(name, copy);
    // One that is larger than the whole memory is not there.
    if (!this.#copies.has(name)) return;
    copy.isKept = true;
    if (copy.readers > 0) this.#heldBytes -= sizeOf(copy);
    this.#makeRoom();
    const names = this.#names.get(bucketId);
    if (names === undefined) this.#names.set(bucketId, new Set([name]));
    else names.add(name);
  }

  /** Drops the least recently used copies until kept and held ones fit together, as far as that is possible. */
  #makeRoom(): void {
    while (this.#copies.size > 0 && this.bytes > this.#maxBytes) this.#copies.pop();
  }

  #forgetName(bucketId: string, name: string): void {
    const names = this.#names.get(bucketId);
    if (names?.delete(name) === true && names.size === 0) this.#names.delete(bucketId);
  }

  #remove(bucketId: string, path: string): void {
    const name = this.#nameOf(bucketId, path);
    this.#copies.delete(name);
    this.#missing.delete(name);
    this.#endFill(name);
  }

  #removePrefix(bucketId: string, prefix: string): void {
    const start = this.#nameOf(bucketId, prefix);
    for (const name of this.#names.get(bucketId) ?? []) if (name.startsWith(start)) this.#copies.delete(name);
    for (const name of [...this.#missing.keys()]) if (name.startsWith(start)) this.#missing.delete(name);
    for (const name of this.#fills.keys()) if (name.startsWith(start)) this.#endFill(name);
  }

  /** Copies of earlier generations are never found again; they make room as others need it. */
  #removeAll(bucketId: string): void {
    for (const [name, fill] of this.#fills) if (fill.bucketId === bucketId) this.#endFill(name);
    this.#names.delete(bucketId);
    this.#generations.set(bucketId, (this.#generations.get(bucketId) ?? 0) + 1);
  }

  #endFill(name: string): void {
    const fill = this.#fills.get(name);
    if (fill === undefined) return;
    fill.isStale = true;
    this.#fills.delete(name);
  }
}

function sizeOf({ bytes }: Copy): number {
  return bytes?.length ?? 0;
}

function joined(pieces: readonly Uint8Array[]): Buffer {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  return Buffer.concat(pieces);
}
