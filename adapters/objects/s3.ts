import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { parseS3Address, type S3Address } from '../s3/address.ts';
import { openBucket, statusOf } from '../s3/bucket.ts';
import { StoreUnavailable } from '../records/port.ts';
import { checkContent, checkPart, extentsOf, formOfList, formOfPart, Readers, type PartList } from './extents.ts';
import {
  ContentNotFound,
  WrongLength,
  type ContentRange,
  type ContentReference,
  type Objects,
  type StoredFile,
  type StoredPart,
} from './port.ts';
import { SentBody } from './sent-body.ts';

/** Name of the list of a content of several parts: no part has a dot in its name. */
const listName = 'list.json';
/** Parts of joined contents whose lists are kept in memory. */
const maxKnownParts = 200_000;
/** A store that sends or takes nothing for this long is away. */
const idleMs = 60_000;

/** Options of objects in a bucket. */
export interface S3ObjectsOptions {
  /** See `parseS3Address`. */
  url: string;
  /** Names that one request lists or removes; S3 allows at most 1,000. */
  pageNames?: number;
}

/**
 * Objects in a bucket of any S3-compatible store. A part is stored as `<content>/<part>`. A content of one part is that
 * object; one of several parts is a list of them (`<content>/list.json`), so that nothing is copied to join them.
 */
export async function openS3Objects({ url, pageNames = 1000 }: S3ObjectsOptions): Promise<Objects> {
  const address = parseS3Address(url, 'objects');
  // A part takes as long as its sender: only a connection on which nothing moves is given up.
  const client = await openBucket(address, { connectionTimeout: 5000, socketTimeout: idleMs });
  return new S3Objects(client, address, pageNames);
}

class S3Objects implements Objects {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #pageNames: number;
  readonly #lists = new LRUCache<string, PartList>({
    maxSize: maxKnownParts,
    sizeCalculation: ({ parts }) => parts.length,
  });
  readonly #readers = new Readers();

  constructor(client: S3Client, { bucket, prefix }: S3Address, pageNames: number) {
    this.#client = client;
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#pageNames = pageNames;
  }

  async writePart(content: string, part: StoredPart, body: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#put(this.#keyOf(content, checkPart(part.name)), part.bytes, body);
  }

  async join(content: string, parts: readonly StoredPart[]): Promise<ContentReference> {
    const [first] = parts;
    if (first === undefined) throw new Error('a content has at least one part');
    if (parts.length === 1) return { id: content, form: `${formOfPart}${first.name}` };
    const list: PartList = { parts: parts.map(({ name, bytes }) => ({ name, bytes })) };
    const Body = Buffer.from(JSON.stringify(list));
    const Key = this.#keyOf(content, listName);
    await this.#answered(
      content,
      this.#client.send(new PutObjectCommand({ Bucket: this.#bucket, Key, Body, ContentLength: Body.byteLength })),
    );
    return { id: content, form: formOfList };
  }

  read(content: ContentReference, range: ContentRange): AsyncGenerator<Uint8Array> {
    return this.#readers.during(content.id, this.#pieces(content, range));
  }

  async *#pieces(content: ContentReference, range: ContentRange): AsyncGenerator<Uint8Array> {
    if (content.form.startsWith(formOfPart)) {
      yield* this.#piecesOf(content.id, content.form.slice(formOfPart.length), range);
      return;
    }
    for (const { name, range: within } of extentsOf(await this.#listOf(content), range))
      yield* this.#piecesOf(content.id, name, within);
  }

  /** The bytes of a range of a part. */
  async *#piecesOf(content: string, part: string, { from, to }: ContentRange): AsyncGenerator<Uint8Array> {
    if (to < from) return;
    let left = to + 1 - from;
    for await (const piece of await this.#get(content, part, { from, to })) {
      left -= piece.byteLength;
      yield piece;
    }
    if (left !== 0) throw new Error(`part ${part} of content ${content} is not as long as its record says`);
  }

  async head(content: string, part: string, bytes: number): Promise<Uint8Array> {
    const Key = this.#keyOf(content, checkPart(part));
    const { ContentLength = 0 } = await this.#answered(
      content,
      this.#client.send(new HeadObjectCommand({ Bucket: this.#bucket, Key })),
    );
    const to = Math.min(bytes, ContentLength) - 1;
    return Buffer.concat(await Array.fromAsync(this.#piecesOf(content, part, { from: 0, to })));
  }

  async remove(content: string): Promise<boolean> {
    checkContent(content);
    if (this.#readers.has(content)) return false;
    const names: string[] = [];
    for await (const { Key } of this.#listed(`${content}/`)) names.push(Key);
    const list = this.#keyOf(content, listName);
    const parts = names.filter((name) => name !== list);
    for (let at = 0; at < parts.length; at += this.#pageNames)
      await this.#removeAll(content, parts.slice(at, at + this.#pageNames));
    // The list goes last: until then a repeated removal finds everything.
    if (parts.length < names.length) await this.#removeAll(content, [list]);
    this.#lists.delete(content);
    return true;
  }

  async removePart(content: string, part: string): Promise<void> {
    const Key = this.#keyOf(content, checkPart(part));
    await this.#answered(content, this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key })));
  }

  async partsOf(content: ContentReference): Promise<string[]> {
    if (content.form.startsWith(formOfPart)) return [content.form.slice(formOfPart.length)];
    return (await this.#listOf(content)).parts.map(({ name }) => name);
  }

  async *list(): AsyncGenerator<readonly StoredFile[]> {
    let group: StoredFile[] = [];
    // Names are listed in their order: those of a content follow one another.
    for await (const { Key, bytes, writtenAt } of this.#listed('')) {
      const [, content, name = ''] = /^([0-9a-f-]{36})\/([^/]+)$/.exec(Key.slice(this.#prefix.length)) ?? [];
      if (content === undefined) continue;
      if (group.length > 0 && group[0]?.content !== content) {
        yield group;
        group = [];
      }
      group.push({ content, part: name === listName ? null : name, bytes, writtenAt });
    }
    if (group.length > 0) yield group;
  }

  async ping(): Promise<void> {
    await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }), { requestTimeout: 3000 });
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  #keyOf(content: string, name: string): string {
    return `${this.#prefix}${checkContent(content)}/${name}`;
  }

  /** Stores an object as its bytes arrive: all of them or none. */
  async #put(Key: string, bytes: number, body: AsyncIterable<Uint8Array>): Promise<void> {
    const abort = new AbortController();
    const failed: { error?: unknown } = {};
    const source = new SentBody(exactly(body, bytes, failed));
    // A request does not end with its body's failure, and would wait for the rest.
    source.on('error', () => abort.abort());
    try {
      await this.#client.send(new PutObjectCommand({ Bucket: this.#bucket, Key, Body: source, ContentLength: bytes }), {
        abortSignal: abort.signal,
      });
    } catch (error) {
      throw 'error' in failed ? failed.error : asUnavailable(error);
    } finally {
      source.destroy();
    }
  }

  async #get(content: string, part: string, range: ContentRange | null): Promise<AsyncIterable<Uint8Array>> {
    const Range = range === null ? {} : { Range: `bytes=${range.from}-${range.to}` };
    const { Body } = await this.#answered(
      content,
      this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: this.#keyOf(content, part), ...Range })),
    );
    if (!(Body instanceof Readable)) throw new Error('S3 answered without a body');
    return Body;
  }

  async #listOf({ id, form }: ContentReference): Promise<PartList> {
    if (form !== formOfList) throw new Error(`content ${id} has the unknown form ${form}`);
    const known = this.#lists.get(id);
    if (known !== undefined) return known;
    const text = Buffer.concat(await Array.fromAsync(await this.#get(id, listName, null))).toString('utf8');
    // The store wrote it, whole.
    const list = JSON.parse(text) as PartList;
    this.#lists.set(id, list);
    return list;
  }

  async *#listed(from: string): AsyncGenerator<{ Key: string; bytes: number; writtenAt: number }> {
    let token: string | undefined;
    do {
      const page = await this.#answered(
        from,
        this.#client.send(
          new ListObjectsV2Command({
            Bucket: this.#bucket,
            Prefix: this.#prefix + from,
            MaxKeys: this.#pageNames,
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
        ),
      );
      for (const { Key, Size = 0, LastModified } of page.Contents ?? [])
        if (Key !== undefined) yield { Key, bytes: Size, writtenAt: LastModified?.getTime() ?? 0 };
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async #removeAll(content: string, keys: readonly string[]): Promise<void> {
    const { Errors: [failed] = [] } = await this.#answered(
      content,
      this.#client.send(
        new DeleteObjectsCommand({
          Bucket: this.#bucket,
          Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true },
        }),
      ),
    );
    if (failed !== undefined) throw new Error(`S3 did not remove all of content ${content}: ${failed.Code}`);
  }

  /** @throws ContentNotFound; StoreUnavailable */
  async #answered<T>(content: string, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw statusOf(error) === 404 ? new ContentNotFound(content) : asUnavailable(error);
    }
  }
}

/**
 * The pieces of a body that has exactly so many bytes. The last of them is passed on when the body has ended: before, a
 * store could take a body that is too long, or fails, for whole.
 */
async function* exactly(
  body: AsyncIterable<Uint8Array>,
  bytes: number,
  failed: { error?: unknown },
): AsyncGenerator<Uint8Array> {
  try {
    let taken = 0;
    let held: Uint8Array = new Uint8Array();
    for await (const piece of body) {
      taken += piece.byteLength;
      if (taken > bytes) throw new WrongLength(bytes);
      if (held.byteLength > 0) yield held;
      held = piece;
    }
    if (taken !== bytes) throw new WrongLength(bytes);
    if (held.byteLength > 0) yield held;
  } catch (error) {
    failed.error = error;
    throw error;
  }
}

/** The error of a store that is away, or cannot serve now, as such: the client may try again. */
function asUnavailable(error: unknown): unknown {
  const status = statusOf(error);
  return status === null || status >= 500 ? new StoreUnavailable('the object store', { cause: error }) : error;
}
