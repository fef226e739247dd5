import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
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
