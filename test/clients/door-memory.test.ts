import { readFileSync } from 'node:fs';
import { get, request as send } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { BlobSASPermissions, type ContainerClient } from '@azure/storage-blob';
import { openBlobDoor } from '../api/support/blob.ts';
import { startS3Program, type S3Program } from '../api/support/s3.ts';
import { createBucket } from '../api/support/storage.ts';

const MiB = 2 ** 20;
/** Bytes of each transfer: many times what one may hold in memory. */
const bytes = 32 * MiB;
const mostPerTransfer = 2 * MiB;

// A program joined by tests of a cluster has several processes, and only Linux says what each has in memory.
const isMeasured = process.platform === 'linux' && process.env['PLY_TEST_CLUSTER'] === undefined;

(isMeasured ? describe : describe.skip)('memory of transfers at the doors', () => {
  let program: S3Program;
  let client: S3Client;
  let container: ContainerClient;
  let Bucket: string;
  let UploadId: string | undefined;

  beforeAll(async () => {
    program = await startS3Program({ PLY_STORAGE_REQUESTS_PER_MINUTE: '100000' });
    client = await program.client();
    ({ name: Bucket } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } }));
    container = (await (await openBlobDoor(program)).client()).getContainerClient(Bucket);
    await client.send(new PutObjectCommand({ Bucket, Key: 'read', Body: Buffer.alloc(bytes, 7) }));
    ({ UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts' })));
  }, 60_000);
  afterAll(() => program.end());

  /** Resident bytes of the program. */
  function resident(): number {
    const status = readFileSync(`/proc/${program.process.pid ?? ''}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  }

  /**
   * Bytes outside the heap of JavaScript: bodies, and what was received and not yet given back. Only their growth is seen
   * in the resident bytes, which the heap of a busy program moves by more than what is measured.
   */
  async function external(): Promise<number> {
    const metrics = await (await fetch(`${program.metricsUrl}/metrics`)).text();
    return Number(/^\S*nodejs_external_memory_bytes(?:\{.*?\})? (\S+)$/m.exec(metrics)?.[1]);
  }

  const sas = (key: string): Promise<string> =>
    container.getBlockBlobClient(key).generateSasUrl({
      permissions: BlobSASPermissions.parse('rcw'),
      expiresOn: new Date(Date.now() + 600_000),
    });
  const s3Read = (): Promise<string> => getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'read' }));
  const blobRead = (): Promise<string> => sas('read');
  const reads = [s3Read, blobRead];
  const writes: ((at: number) => Promise<string>)[] = [
    (at) => getSignedUrl(client, new PutObjectCommand({ Bucket, Key: `held/${at}` })),
    (at) => getSignedUrl(client, new UploadPartCommand({ Bucket, Key: 'parts', UploadId, PartNumber: at + 1 })),
    (at) => sas(`held/${at}`),
    async (at) => `${await sas('blocks')}&comp=block&blockid=${Buffer.from(String(at).padStart(6)).toString('base64')}`,
  ];

  /** Begins a transfer whose client stops in the midst of it. */
  async function begun(at: number): Promise<Socket> {
    const kinds = [...writes, ...reads];
    const isWrite = at % kinds.length < writes.length;
    const { hostname, port, pathname, search } = new URL((await kinds[at % kinds.length]?.(at)) ?? '');
    const socket = connect(Number(port), hostname);
    const head = [`${isWrite ? 'PUT' : 'GET'} ${pathname}${search} HTTP/1.1`, `Host: ${hostname}:${port}`];
    if (isWrite) head.push('x-ms-blob-type: BlockBlob', `Content-Length: ${bytes}`);
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    if (isWrite) await new Promise((resolve) => socket.write(Buffer.alloc(bytes / 2, 7), resolve));
    return socket;
  }

  it('is at most 2 MiB for each one that stands still in its midst', async () => {
    const [few, many] = [12, 48];
    const measured: number[] = [];
    const held: Socket[] = [];
    try {
      for (const transfers of [few, many]) {
        const more = Array.from({ length: transfers - held.length }, (_, at) => begun(held.length + at));
        held.push(...(await Promise.all(more)));
        await pause(1500);
        measured.push(resident());
      }
    } finally {
      for (const socket of held) socket.destroy();
    }
    const [before = 0, after = 0] = measured;
    const each = (after - before) / (many - few);
    process.stdout.write(`memory of a transfer that stands still: ${(each / MiB).toFixed(2)} MiB\n`);
    expect(each).toBeLessThanOrEqual(mostPerTransfer);
  }, 60_000);

  const body = (): Readable => {
    const piece = Buffer.alloc(MiB / 4, 7);
    return Readable.from(Array.from({ length: bytes / piece.length }, () => piece));
  };
  /** Writes by an address that is signed, in one body. */
  async function plain(at: number): Promise<number> {
    const address = (await writes[at % writes.length]?.(at)) ?? '';
    const headers = { 'x-ms-blob-type': 'BlockBlob', 'Content-Length': bytes };
    return new Promise((resolve, reject) => {
      const sent = send(address, { method: 'PUT', headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      body().pipe(sent.once('error', reject));
    });
  }
  /** Writes by the SDK, whose streams are framed in chunks with a trailer. */
  async function framed(at: number): Promise<number> {
    const command = new PutObjectCommand({ Bucket, Key: `held/${at}`, Body: body(), ContentLength: bytes });
    return (await client.send(command)).$metadata.httpStatusCode ?? 0;
  }
  async function copied(at: number): Promise<number> {
    const command = new CopyObjectCommand({ Bucket, Key: `copied/${at}`, CopySource: `${Bucket}/read` });
    return (await client.send(command)).$metadata.httpStatusCode ?? 0;
  }

  it('is at most 2 MiB for each object that is being written', async () => {
    const together = 4;
    const found: number[] = [];
    for (const write of [framed, plain, copied]) {
      const before = await external();
      let most = before;
      let isOver = false;
      const watch = (async () => {
        for (; !isOver; await pause(20)) most = Math.max(most, await external());
      })();
      for (let round = 0; round < 2; round += 1) {
        const statuses = await Promise.all(Array.from({ length: together }, (_, at) => write(at)));
        expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
      }
      isOver = true;
      await watch;
      found.push((most - before) / together);
    }
    const [ofFramed, ofPlain, ofCopied] = found.map((each) => (each / MiB).toFixed(2));
    process.stdout.write(
      `memory of an object that is being written: ${ofPlain} MiB, framed ${ofFramed} MiB, copied ${ofCopied} MiB\n`,
    );
    expect(Math.max(...found)).toBeLessThanOrEqual(mostPerTransfer);
  }, 60_000);

  it('is at most 2 MiB for each object that is being read', async () => {
    const together = 16;
    const read = async (at: number): Promise<number> => {
      const address = (await reads[at % reads.length]?.()) ?? '';
      return new Promise((resolve, reject) => {
        get(address, (response) => {
          let received = 0;
          response.on('data', (piece: Buffer) => (received += piece.length));
          response.once('end', () => resolve(received)).once('error', reject);
        }).once('error', reject);
      });
    };
    const all = (): Promise<number[]> => Promise.all(Array.from({ length: together }, (_, at) => read(at)));
    // What the process takes once, whatever is read, is there before.
    await all();
    const before = resident();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, resident())), 20);
    try {
      for (let round = 0; round < 3; round += 1) expect(await all()).toEqual(Array<number>(together).fill(bytes));
    } finally {
      clearInterval(watch);
    }
    const each = (most - before) / together;
    process.stdout.write(`memory of an object that is being read: ${(each / MiB).toFixed(2)} MiB\n`);
    expect(each).toBeLessThanOrEqual(mostPerTransfer);
  }, 60_000);
});
