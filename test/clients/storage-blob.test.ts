import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobServiceClient } from '@azure/storage-blob';
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
