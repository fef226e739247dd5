import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Runtime } from '../../../models/runtime.ts';
import type { Answer, ApiClient } from '../client.ts';
import { download, type Delivered } from './deliveries.ts';

const content = '/api/content/v1';

/** A bucket of the test. */
export interface ChaosBucket {
  id: string;
  hostname: string;
  owner: ApiClient;
  /** Whether its edges keep copies: then an overwritten file may be delivered as it was. */
  isCached: boolean;
}

/** A key, and what it must hold according to the last answers of the API. */
export interface StoredFile {
  bucket: ChaosBucket;
  key: string;
  objectId: string | null;
  /** Digest, size and declaration of what it holds; null if there is no object. */
  current: { sha256: string; size: number; isDeclared: boolean } | null;
  /** Digests of everything that was ever sent under the key. */
  sent: Set<string>;
  /** Date.now() of the last answer that removed the object. */
  removedAt: number;
  /** Raised by each change that begins or ends. */
  changes: number;
  isBusy: boolean;
}

/** Sizes of files, the smaller the more often; the last has two parts. */
const sizes = [0, 700, 4096, 40_000, 300_000, 1_500_000, 9_000_000];
/** Keys of a bucket. */
const keysOfBucket = 12;
/** A deleted file is delivered no more after this time, in milliseconds: a second, and room for a loaded machine. */
const goneWithinMs = 4000;

/**
 * Uploads, overwrites, deletes, aborts and downloads files of several buckets, one change of a key at a time, and records
 * what must hold. Each request is repeated until it is answered. Whatever was answered must hold permanently.
 */
export class StoredFiles {
  readonly files: StoredFile[];
  /** Number of answered changes by kind. */
  readonly counts: { [change: string]: number } = { upload: 0, overwrite: 0, remove: 0, abort: 0, race: 0 };
  readonly faults: string[] = [];
  readonly delivered: Delivered[] = [];
  /** The bytes of each upload that was answered as completed. */
  readonly uploaded: { bucketId: string; size: number }[] = [];
  readonly #runtime: Pick<Runtime, 'random'>;
  readonly #edgePorts: readonly number[];

  constructor(buckets: readonly ChaosBucket[], edgePorts: readonly number[], runtime: Pick<Runtime, 'random'>) {
    this.#edgePorts = edgePorts;
    this.#runtime = runtime;
    this.files = buckets.flatMap((bucket) =>
      Array.from({ length: keysOfBucket }, (_, index) => ({
        bucket,
        // The same keys in all buckets: bytes of another organization would be noticed.
        key: `folder ${index % 3}/ключ-${index}.bin`,
        objectId: null,
        current: null,
        sent: new Set<string>(),
        removedAt: 0,
        changes: 0,
        isBusy: false,
      })),
    );
  }

  /** Records a fault. */
  fault(words: string): void {
    this.faults.push(words);
  }

  /** Makes one change of a random kind to a random key. */
  async changeAny(): Promise<void> {
    const file = this.#randomOf(this.files.filter(({ isBusy }) => !isBusy));
    if (file === undefined) return;
    file.isBusy = true;
    file.changes += 1;
    try {
      const die = this.#runtime.random();
      if (file.current !== null && die < 0.2) await this.#remove(file);
      else if (die < 0.3) await this.#abort(file);
      else if (die < 0.4) await this.#completeAndAbort(file);
      else await this.#upload(file);
    } finally {
      file.changes += 1;
      file.isBusy = false;
    }
  }

  /** Downloads a random file from a random edge, at times slowly, and compares it with what must be delivered. */
  async downloadAny(): Promise<void> {
    const file = this.#randomOf(this.files);
    if (file === undefined) return;
    await this.downloadOne(file, this.#runtime.random() < 0.2 ? 400_000 : null);
  }

  /** Downloads a file and compares it. Returns what was delivered. */
  async downloadOne(
    file: StoredFile,
    rate: number | null = null,
    port = this.#randomOf(this.#edgePorts),
  ): Promise<Delivered> {
    const { bucket, key } = file;
    const [before, isBusy, removedAt] = [file.changes, file.isBusy, file.removedAt];
    const delivered = await download(
      port ?? 0,
      { hostname: bucket.hostname, bucketId: bucket.id, key },
      randomUUID(),
      rate,
    );
    this.delivered.push(delivered);
    const { status, isWhole, sha256, startedAt } = delivered;
    // A broken response is one that a client repeats, and 503 says that the edge cannot know.
    if (!isWhole || status === 503) return delivered;
    const of = `${bucket.id} ${key}`;
    if (status !== 200 && status !== 404) this.fault(`${of} was answered ${status}`);
    if (status === 200 && !file.sent.has(sha256)) this.fault(`${of} has bytes that were never sent under its key`);
    if (isBusy || file.changes !== before) return delivered;
    if (status === 200 && file.current === null && startedAt - removedAt > goneWithinMs)
      this.fault(`${of} was delivered although it was deleted`);
    if (bucket.isCached) return delivered;
    if (status === 404 && file.current !== null) this.fault(`${of} was not found`);
    if (status === 200 && file.current !== null && file.current.sha256 !== sha256)
      this.fault(`${of} was delivered as it was`);
    return delivered;
  }

  async #upload(file: StoredFile): Promise<void> {
    const sent = await this.#send(file);
    if (sent === null) return;
    const answer = await file.bucket.owner.askUntilAnswered('POST', `${content}/uploads/${sent.uploadId}/complete`);
    this.#completed(file, sent, answer);
  }

  async #abort(file: StoredFile): Promise<void> {
    const sent = await this.#send(file);
    if (sent === null) return;
    const { body } = await file.bucket.owner.askUntilAnswered('DELETE', `${content}/uploads/${sent.uploadId}`);
    if (body['state'] !== 'aborted') this.fault(`an aborted upload was answered ${JSON.stringify(body)}`);
    this.#count('abort');
  }

  /** Completes and aborts an upload at the same time: one of them wins, and both answers agree with it. */
  async #completeAndAbort(file: StoredFile): Promise<void> {
    const sent = await this.#send(file);
    if (sent === null) return;
    const { owner } = file.bucket;
    const [completed, aborted] = await Promise.all([
      owner.askUntilAnswered('POST', `${content}/uploads/${sent.uploadId}/complete`),
      owner.askUntilAnswered('DELETE', `${content}/uploads/${sent.uploadId}`),
    ]);
    const state = aborted.body['state'];
    if (completed.status === 200) this.#completed(file, sent, completed);
    if (completed.status === 200 ? state !== 'completed' : state !== 'aborted')
      this.fault(
        `an upload was completed with ${completed.status} ${JSON.stringify(completed.body)} and ${String(state)}`,
      );
    this.#count('race');
  }

  async #remove(file: StoredFile): Promise<void> {
    const { status, body } = await file.bucket.owner.askUntilAnswered('DELETE', `${content}/objects/${file.objectId}`);
    // 404: an earlier request deleted it, and its answer was lost.
    if (status !== 204 && status !== 404) this.fault(`a deletion was answered ${status} ${JSON.stringify(body)}`);
    Object.assign(file, { current: null, objectId: null, removedAt: Date.now() });
    this.#count('remove');
  }

  #completed(file: StoredFile, { sha256, size, isDeclared }: Sent, { status, body }: Answer): void {
    if (status !== 200 || body['size'] !== size || body['key'] !== file.key) {
      this.fault(`a completion was answered ${status} ${JSON.stringify(body)}`);
      return;
    }
    if (file.current !== null && body['id'] !== file.objectId)
      this.fault(`${file.key} got another id when it was overwritten`);
    this.#count(file.current === null ? 'upload' : 'overwrite');
    this.uploaded.push({ bucketId: file.bucket.id, size });
    Object.assign(file, { current: { sha256, size, isDeclared }, objectId: String(body['id']) });
  }

  /** Starts an upload and sends its parts; null, with a fault, where that is refused. */
  async #send(file: StoredFile): Promise<Sent | null> {
    const size = Math.floor(
      (this.#randomOf(sizes.slice(0, 2 + Math.floor(this.#runtime.random() * (sizes.length - 1)))) ?? 0) *
        (0.5 + this.#runtime.random() / 2),
    );
    const bytes = randomBytes(size);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const isDeclared = this.#runtime.random() < 0.5;
    file.sent.add(sha256);
    const { status, body } = await file.bucket.owner.askUntilAnswered(
      'POST',
      `${content}/buckets/${file.bucket.id}/uploads`,
      {
        key: file.key,
        size,
        contentType: 'application/octet-stream',
        ...(isDeclared ? { sha256 } : {}),
      },
    );
    if (status !== 201) {
      this.fault(`an upload was answered ${status} ${JSON.stringify(body)}`);
      return null;
    }
    let from = 0;
    for (const part of body['parts'] as { size: number; url: string }[]) {
      await this.#sendPart(part.url, bytes.subarray(from, from + part.size));
      from += part.size;
    }
    return { uploadId: String(body['id']), sha256, size, isDeclared };
  }

  async #sendPart(url: string, bytes: Buffer<ArrayBuffer>): Promise<void> {
    const deadline = Date.now() + 300_000;
    let last = 'nothing';
    while (Date.now() < deadline) {
      try {
        const answer = await fetch(url, { method: 'PUT', body: bytes, signal: AbortSignal.timeout(30_000) });
        last = `${answer.status} ${await answer.text()}`;
        if (answer.status < 500 && answer.status !== 429) break;
      } catch (error) {
        last = String(error);
      }
      await pause(100);
    }
    if (!last.startsWith('200 ')) this.fault(`a part was answered ${last}`);
  }

  #count(change: string): void {
    this.counts[change] = (this.counts[change] ?? 0) + 1;
  }

  #randomOf<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#runtime.random() * list.length)];
  }
}

interface Sent {
  uploadId: string;
  sha256: string;
  size: number;
  isDeclared: boolean;
}
