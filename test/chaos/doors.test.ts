import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as s3 from '@aws-sdk/client-s3';
import type { ContainerClient } from '@azure/storage-blob';
import { isObject } from '../../models/schemas/schema.ts';
import { content, until } from '../api/support/client.ts';
import { openBlobDoor } from '../api/support/blob.ts';
import { startS3Program } from '../api/support/s3.ts';
import { createBucket } from '../api/support/storage.ts';
import { freePort } from '../servers/ports.ts';

/** Milliseconds from a start to the kill. */
const lifetimesMs = [900, 1700, 1300];
const partBytes = 5 * 2 ** 20;
const keysOfEach = 2;

/** The status of an answer that an SDK failed at; null where there was none. */
function statusOf(error: unknown): number | null {
  if (!isObject(error)) return null;
  const metadata = error['$metadata'];
  const status = error['statusCode'] ?? (isObject(metadata) ? metadata['httpStatusCode'] : undefined);
  return typeof status === 'number' ? status : null;
}

/** Requests that were sent, and Date.now() of the answers that are counted. */
const sent = { attempts: 0, answeredAt: [] as number[] };
/** Milliseconds in which a response is on disk, on a busy machine. */
const spooledMs = 1500;

/** Repeats a request that the program did not answer, or could not. @throws what it refused */
async function untilAnswered<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    sent.attempts += 1;
    try {
      const answer = await request();
      sent.answeredAt.push(Date.now());
      return answer;
    } catch (error) {
      const status = statusOf(error);
      // A completion that a killed process began is over when its claim is: until then another one is refused.
      if (status !== null && status < 500 && status !== 409) throw error;
      await pause(50);
    }
  }
}

/** Bytes that name who wrote them, and which of the writes it was. */
function bytesOf(key: string, version: number, length: number): Buffer {
  return Buffer.alloc(length, createHash('sha256').update(`${key} ${version}`).digest());
}

/** An answer of daily usage. */
interface Daily {
  metrics: { metric: string; points: { quantity: number }[] }[];
}

/** Clients that write until they are told to end, and what they were answered. */
class Writers {
  /** The version that each key has, by its last answered write. */
  readonly written = new Map<string, Buffer>();
  /** Answered writes. */
  count = 0;
  isOver = false;

  async parts(client: s3.S3Client, Bucket: string, Key: string): Promise<void> {
    for (let version = 0; !this.isOver; version += 1) {
      const bodies = [bytesOf(Key, version, partBytes), bytesOf(Key, version, 1000 + version)];
      const { UploadId } = await untilAnswered(() =>
        client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm: 'CRC32C' })),
      );
      const Parts: s3.CompletedPart[] = [];
      for (const [at, Body] of bodies.entries()) {
        const PartNumber = at + 1;
        const part = { Bucket, Key, UploadId, PartNumber, Body, ChecksumAlgorithm: 'CRC32C' } as const;
        const sent = await untilAnswered(() => client.send(new s3.UploadPartCommand(part)));
        Parts.push({ PartNumber, ETag: sent.ETag, ChecksumCRC32C: sent.ChecksumCRC32C });
      }
      // Every third upload is given up.
      if (version % 3 === 2) {
        await untilAnswered(() => client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId }))).catch(
          (error: unknown) => expect(statusOf(error)).toBe(404),
        );
        continue;
      }
      await untilAnswered(() =>
        client.send(new s3.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } })),
      );
      this.#note(Key, Buffer.concat(bodies));
    }
  }

  async blocks(container: ContainerClient, name: string): Promise<void> {
    const blob = container.getBlockBlobClient(name);
    for (let version = 0; !this.isOver; version += 1) {
      const bodies = [0, 1, 2].map((at) => bytesOf(`${name} ${at}`, version, 70_000 + version));
      const ids = bodies.map((_, at) => Buffer.from(`${String(version).padStart(6, '0')}-${at}`).toString('base64'));
      for (const [at, body] of bodies.entries())
        await untilAnswered(() => blob.stageBlock(ids[at] ?? '', body, body.length));
      await untilAnswered(() => blob.commitBlockList(ids));
      this.#note(name, Buffer.concat(bodies));
    }
  }

  #note(key: string, bytes: Buffer): void {
    this.written.set(key, bytes);
    this.count += 1;
  }
}

it('answered uploads in parts and lists of blocks survive repeated kills, whole, and are counted', async () => {
  const [s3Port, blobPort] = [String(await freePort()), String(await freePort())];
  const program = await startS3Program({ PLY_S3_PORT: s3Port, PLY_BLOB_PORT: blobPort });
  try {
    const { name: Bucket } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } });
    const client = await program.client();
    const blob = await openBlobDoor(program);
    const container = (await blob.client()).getContainerClient(Bucket);
    const writers = new Writers();
    const running = Array.from({ length: keysOfEach }, (_, at) => [
      writers.parts(client, Bucket, `parts-${at}`),
      writers.blocks(container, `blocks-${at}`),
    ]).flat();
    const all = Promise.all(running);
    // A writer that was refused ends the test.
    all.catch(() => (writers.isOver = true));
    const killedAt: number[] = [];
    for (const lifetime of lifetimesMs) {
      await pause(lifetime);
      killedAt.push(Date.now());
      await program.process.kill();
      await program.start();
    }
    const before = writers.count;
    while (writers.count < before + 2 * keysOfEach && !writers.isOver) await pause(50);
    writers.isOver = true;
    await all;
    const { Contents = [] } = await client.send(new s3.ListObjectsV2Command({ Bucket }));
    expect(Contents.map(({ Key }) => Key).toSorted()).toEqual([...writers.written.keys()].toSorted());
    for (const [Key, bytes] of writers.written) {
      const { Body } = await client.send(new s3.GetObjectCommand({ Bucket, Key }));
      const read = Buffer.from((await Body?.transformToByteArray()) ?? []);
      expect([Key, read.length, read.equals(bytes)]).toEqual([Key, bytes.length, true]);
    }
    const isOnDisk = (at: number): boolean => killedAt.every((kill) => at > kill || at < kill - spooledMs);
    const leastWrites = sent.answeredAt.filter(isOnDisk).length;
    const counted = async (): Promise<{ reads: number; writes: number; egress: number }> => {
      const { metrics } = await program.admin.get<Daily>(200, 'GET', `${content}/usage/daily`);
      const sumOf = (name: string, perUnit: number): number =>
        Math.round(
          (metrics.find(({ metric }) => metric === name)?.points ?? []).reduce(
            (sum, { quantity }) => sum + quantity,
            0,
          ) * perUnit,
        );
      return {
        reads: sumOf('gateway_read_requests_millions', 1e6),
        writes: sumOf('gateway_write_requests_millions', 1e6),
        egress: sumOf('gateway_egress_gb', 2 ** 30),
      };
    };
    // The list is one of them.
    const reads = writers.written.size + 1;
    const readBytes = [...writers.written.values()].reduce((sum, { length }) => sum + length, 0);
    const { writes } = await until(
      counted,
      (found) => found.reads >= reads && found.writes >= leastWrites && found.egress >= readBytes,
    );
    expect((await counted()).reads).toBe(reads);
    // What was answered just before a kill may be counted, and so may what was not answered.
    expect(writes).toBeGreaterThanOrEqual(leastWrites);
    expect(writes).toBeLessThanOrEqual(sent.attempts);
  } finally {
    await program.end();
  }
}, 240_000);
