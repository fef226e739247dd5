import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { BlobSASPermissions, type BlobServiceClient } from '@azure/storage-blob';
import { startBlobProgram, type BlobProgram } from '../api/support/blob.ts';

const MiB = 2 ** 20;
const name = 'client-blobs';
const md5 = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest();
const idOf = (at: number): string => Buffer.from(String(at).padStart(6, '0')).toString('base64');

let program: BlobProgram;
let client: BlobServiceClient;
beforeAll(async () => {
  program = await startBlobProgram({ PLY_STORAGE_REQUESTS_PER_MINUTE: '100000' });
  client = await program.client();
  await client.getContainerClient(name).create();
});
afterAll(() => program.end());
const blob = (key: string) => client.getContainerClient(name).getBlockBlobClient(key);

describe('@azure/storage-blob', () => {
  it('uploads a stream in blocks that are sent at once, and reads it back as a stream', async () => {
    const bytes = randomBytes(9 * MiB + 5);
    await blob('stream').uploadStream(Readable.from([bytes.subarray(0, 3 * MiB), bytes.subarray(3 * MiB)]), MiB, 5);
    const { readableStreamBody } = await blob('stream').download();
    const pieces: Buffer[] = [];
    for await (const piece of readableStreamBody ?? []) pieces.push(Buffer.from(piece));
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect((await blob('stream').getBlockList('committed')).committedBlocks).toHaveLength(10);
  });

  it('uploads blocks at once with the MD5 of each, then names the MD5 of all, as azcopy does', async () => {
    const bytes = randomBytes(8 * MiB);
    const blocks = Array.from({ length: 8 }, (_, at) => bytes.subarray(at * MiB, (at + 1) * MiB));
    await Promise.all(
      blocks.map((block, at) =>
        blob('azcopy').stageBlock(idOf(at), block, block.length, { transactionalContentMD5: md5(block) }),
      ),
    );
    const wrong = blob('azcopy').stageBlock(idOf(9), 'x', 1, { transactionalContentMD5: md5(Buffer.from('y')) });
    await expect(wrong).rejects.toMatchObject({ statusCode: 400, code: 'Md5Mismatch' });
    const ids = blocks.map((_, at) => idOf(at));
    const blobHTTPHeaders = { blobContentMD5: md5(bytes), blobContentType: 'application/zip' };
    await blob('azcopy').commitBlockList(ids, { blobHTTPHeaders });
    const properties = await blob('azcopy').getProperties();
    expect([properties.contentLength, properties.contentType]).toEqual([bytes.length, 'application/zip']);
    expect(Buffer.from(properties.contentMD5 ?? []).equals(md5(bytes))).toBe(true);
    expect(md5(await blob('azcopy').downloadToBuffer()).equals(md5(bytes))).toBe(true);
  });
});

/** Resident memory of the program, in bytes. */
function resident(): number {
  const status = readFileSync(`/proc/${program.process.pid ?? ''}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** Begins transfers of 32 MiB whose clients stop in the midst of them. */
async function begun(transfers: number, address: (key: string) => Promise<URL>): Promise<Socket[]> {
  const { hostname, port } = new URL(program.endpoint);
  const half = Buffer.alloc(16 * MiB, 7);
  return Promise.all(
    Array.from({ length: transfers }, async (_, at) => {
      const isUpload = at % 2 === 0;
      const { pathname, search } = await address(isUpload ? `held-${at}` : 'read');
      const socket = connect(Number(port), hostname);
      const head = [`${isUpload ? 'PUT' : 'GET'} ${pathname}${search} HTTP/1.1`, `Host: ${hostname}:${port}`];
      if (isUpload) head.push('x-ms-blob-type: BlockBlob', `Content-Length: ${half.length * 2}`);
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      if (isUpload) await new Promise((resolve) => socket.write(half, resolve));
      return socket;
    }),
  );
}

const isLinux = process.platform === 'linux' && process.env['PLY_TEST_CLUSTER'] === undefined;

(isLinux ? it : it.skip)(
  'a transfer takes at most 2 MiB of memory whatever its size',
  async () => {
    await blob('read').upload(Buffer.alloc(32 * MiB, 7), 32 * MiB);
    const address = async (key: string): Promise<URL> =>
      new URL(
        await blob(key).generateSasUrl({
          permissions: BlobSASPermissions.parse('rcw'),
          expiresOn: new Date(Date.now() + 600_000),
        }),
      );
    const [few, many] = [8, 48];
    const measured: number[] = [];
    const held: Socket[] = [];
    try {
      for (const transfers of [few, many - few]) {
        held.push(...(await begun(transfers, address)));
        await pause(1500);
        measured.push(resident());
      }
    } finally {
      for (const socket of held) socket.destroy();
    }
    const [before = 0, after = 0] = measured;
    const each = (after - before) / (many - few) / MiB;
    process.stdout.write(`memory of a transfer of the Blob door: ${each.toFixed(2)} MiB\n`);
    expect(each).toBeLessThanOrEqual(2);
  },
  60_000,
);
