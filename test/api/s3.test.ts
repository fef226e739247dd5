import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import * as s3 from '@aws-sdk/client-s3';
import { faultOf, startS3Program, type S3Program } from './support/s3.ts';
import { content } from './support/client.ts';
import { createBucket } from './support/storage.ts';

let program: S3Program;
let client: s3.S3Client;
let Bucket: string;
beforeAll(async () => {
  program = await startS3Program();
  client = await program.client();
  ({ name: Bucket } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } }));
});
afterAll(() => program.end());

const put = (
  Key: string,
  Body: string | Uint8Array | Readable,
  more: object = {},
): Promise<s3.PutObjectCommandOutput> => client.send(new s3.PutObjectCommand({ Bucket, Key, Body, ...more }));
const get = async (Key: string, more: object = {}): Promise<{ bytes: Buffer; head: s3.GetObjectCommandOutput }> => {
  const head = await client.send(new s3.GetObjectCommand({ Bucket, Key, ...more }));
  return { head, bytes: Buffer.from((await head.Body?.transformToByteArray()) ?? []) };
};
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

describe('objects', () => {
  it('are stored and read with their type, metadata and headers', async () => {
    const { ETag } = await put('a/b c+ü.txt', 'hello', {
      ContentType: 'Text/Plain; charset=utf-8',
      CacheControl: 'no-cache',
      ContentDisposition: 'inline',
      Metadata: { One: 'two' },
    });
    expect(ETag).toBe(`"${md5(Buffer.from('hello'))}"`);
    const { head, bytes } = await get('a/b c+ü.txt');
    expect(bytes.toString()).toBe('hello');
    expect(head).toMatchObject({
      ETag,
      ContentType: 'text/plain; charset=utf-8',
      CacheControl: 'no-cache',
      ContentDisposition: 'inline',
      ContentLength: 5,
      Metadata: { one: 'two' },
    });
    const { items } = await program.standard.get<{ items: { createdVia: string }[] }>(
      200,
      'GET',
      `${content}/buckets/${(await bucketId()) ?? ''}/objects?prefix=a/b`,
    );
    expect(items).toMatchObject([{ createdVia: 's3', metadata: { one: 'two' } }]);
  });

  it('are streamed in chunks with a checksum in the trailer', async () => {
    const bytes = randomBytes(300_000);
    await put('stream', Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)]), {
      ContentLength: bytes.length,
    });
    expect((await get('stream')).bytes.equals(bytes)).toBe(true);
  });

  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)('keep a checksum of %s', async (algorithm) => {
    const text = `checked with ${algorithm}`;
    const stored = await put(`checked-${algorithm}`, text, { ChecksumAlgorithm: algorithm });
    const value = stored[`Checksum${algorithm}`];
    expect(value).toEqual(expect.stringMatching(/^[A-Za-z0-9+/]+=*$/));
    const { head } = await get(`checked-${algorithm}`, { ChecksumMode: 'ENABLED' });
    expect([head[`Checksum${algorithm}`], head.ChecksumType]).toEqual([value, 'FULL_OBJECT']);
  });

  it('are read in ranges', async () => {
    await put('ranges', '0123456789');
    const { head, bytes } = await get('ranges', { Range: 'bytes=2-4' });
    expect([bytes.toString(), head.ContentRange]).toEqual(['234', 'bytes 2-4/10']);
    expect((await get('ranges', { Range: 'bytes=-3' })).bytes.toString()).toBe('789');
    expect(await faultOf(get('ranges', { Range: 'bytes=10-' }))).toEqual(['InvalidRange', 416]);
    expect((await get('ranges', { ResponseContentType: 'text/css' })).head.ContentType).toBe('text/css');
  });

  it('are read and written under conditions', async () => {
    const { ETag } = await put('once', 'one', { IfNoneMatch: '*' });
    expect(await faultOf(put('once', 'two', { IfNoneMatch: '*' }))).toEqual(['PreconditionFailed', 412]);
    expect(await faultOf(put('once', 'two', { IfMatch: '"0"' }))).toEqual(['PreconditionFailed', 412]);
    expect(await faultOf(put('never', 'two', { IfMatch: ETag }))).toEqual(['NoSuchKey', 404]);
    await put('once', 'two', { IfMatch: ETag });
    expect(await faultOf(get('once', { IfMatch: ETag }))).toEqual(['PreconditionFailed', 412]);
    const now = (await get('once')).head.ETag;
    expect((await faultOf(get('once', { IfNoneMatch: now })))[1]).toBe(304);
    const puts = await Promise.all(
      Array.from({ length: 8 }, (_, at) => faultOf(put('lock', String(at), { IfNoneMatch: '*' }))),
    );
    expect(puts.filter(([code]) => code === null)).toHaveLength(1);
    expect(puts.filter(([, status]) => status === 412 || status === 409)).toHaveLength(7);
  });

  it('are copied, and get other metadata by a copy onto themselves', async () => {
    await put('source', 'copied', { Metadata: { a: 'b' } });
    const copy = (Key: string, more: object = {}) =>
      client.send(new s3.CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/source`, ...more }));
    await copy('target');
    expect((await get('target')).head.Metadata).toEqual({ a: 'b' });
    expect(await faultOf(copy('source'))).toEqual(['InvalidRequest', 400]);
    await copy('source', { MetadataDirective: 'REPLACE', Metadata: { c: 'd' } });
    const { head, bytes } = await get('source');
    expect([head.Metadata, bytes.toString()]).toEqual([{ c: 'd' }, 'copied']);
  });

  it('are deleted, one or many, also where there is none', async () => {
    await put('gone', 'x');
    await client.send(new s3.DeleteObjectCommand({ Bucket, Key: 'gone' }));
    await client.send(new s3.DeleteObjectCommand({ Bucket, Key: 'gone' }));
    expect(await faultOf(get('gone'))).toEqual(['NoSuchKey', 404]);
    await Promise.all(['d/1', 'd/2', 'd/3'].map((Key) => put(Key, 'x')));
    const { Deleted } = await client.send(
      new s3.DeleteObjectsCommand({
        Bucket,
        Delete: { Objects: ['d/1', 'd/2', 'd/3', 'd/4'].map((Key) => ({ Key })) },
      }),
    );
    expect(Deleted?.map(({ Key }) => Key)).toEqual(['d/1', 'd/2', 'd/3', 'd/4']);
    expect((await client.send(new s3.ListObjectsV2Command({ Bucket, Prefix: 'd/' }))).KeyCount).toBe(0);
  });

  it.each([
    ['/a', 'InvalidArgument'],
    ['a//b', 'InvalidArgument'],
    ['a/../b', 'InvalidArgument'],
    ['.plycdn-x', 'InvalidArgument'],
    ['k'.repeat(1025), 'KeyTooLongError'],
  ])('are not written under a key that is not valid (%#)', async (key, code) => {
    expect((await faultOf(put(key, 'x')))[0]).toBe(code);
  });

  it('are not replaced where the bucket does not allow it', async () => {
    const { name } = await createBucket(program.admin);
    const send = (): Promise<unknown> => client.send(new s3.PutObjectCommand({ Bucket: name, Key: 'a', Body: 'x' }));
    await send();
    expect(await faultOf(send())).toEqual(['ObjectAlreadyExists', 409]);
  });
});

async function bucketId(): Promise<string | undefined> {
  const { items } = await program.standard.get<{ items: { id: string; name: string }[] }>(
    200,
    'GET',
    `${content}/buckets`,
  );
  return items.find(({ name }) => name === Bucket)?.id;
}

describe('lists', () => {
  it('are in byte order, in pages, with prefixes', async () => {
    const keys = ['l/a', 'l/b/1', 'l/b/2', 'l/c', 'l/\u{ff61}', 'l/\u{1f600}'];
    await Promise.all(keys.map((Key) => put(Key, 'x')));
    const list = (more: object) => client.send(new s3.ListObjectsV2Command({ Bucket, Prefix: 'l/', ...more }));
    expect((await list({})).Contents?.map(({ Key }) => Key)).toEqual(keys);
    const first = await list({ Delimiter: '/', MaxKeys: 2 });
    expect([first.Contents?.map(({ Key }) => Key), first.CommonPrefixes, first.KeyCount, first.IsTruncated]).toEqual([
      ['l/a'],
      [{ Prefix: 'l/b/' }],
      2,
      true,
    ]);
    const rest = await list({ Delimiter: '/', ContinuationToken: first.NextContinuationToken });
    expect(rest.Contents?.map(({ Key }) => Key)).toEqual(['l/c', 'l/\u{ff61}', 'l/\u{1f600}']);
    const old = await client.send(
      new s3.ListObjectsCommand({ Bucket, Prefix: 'l/', Delimiter: '/', MaxKeys: 2, EncodingType: 'url' }),
    );
    expect([old.NextMarker, old.IsTruncated]).toEqual(['l/b/', true]);
    expect((await list({ StartAfter: 'l/c' })).Contents).toHaveLength(2);
    const { Versions } = await client.send(new s3.ListObjectVersionsCommand({ Bucket, Prefix: 'l/b/' }));
    expect(Versions?.map(({ Key, VersionId, IsLatest }) => [Key, VersionId, IsLatest])).toEqual([
      ['l/b/1', 'null', true],
      ['l/b/2', 'null', true],
    ]);
  });
});

describe('uploads in parts', () => {
  const part = 5 * 2 ** 20;

  it('become one object', async () => {
    const bytes = randomBytes(2 * part + 1000);
    const Key = 'parts/whole';
    const { UploadId } = await client.send(
      new s3.CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm: 'CRC64NVME', ContentType: 'image/png' }),
    );
    const Parts: s3.CompletedPart[] = [];
    for (const [at, from] of [0, part, 2 * part].entries()) {
      const Body = bytes.subarray(from, Math.min(from + part, bytes.length));
      const PartNumber = at + 1;
      const { ETag } = await client.send(
        new s3.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ChecksumAlgorithm: 'CRC64NVME' }),
      );
      Parts.push({ PartNumber, ETag });
    }
    const listed = await client.send(new s3.ListPartsCommand({ Bucket, Key, UploadId }));
    expect(listed.Parts?.map(({ Size }) => Size)).toEqual([part, part, 1000]);
    const { Uploads } = await client.send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix: 'parts/' }));
    expect(Uploads?.map((each) => [each.Key, each.UploadId])).toEqual([[Key, UploadId]]);
    const complete = () =>
      client.send(new s3.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
    const done = await complete();
    expect(done.ETag).toMatch(/^"[0-9a-f]{32}-3"$/);
    expect((await complete()).ETag).toBe(done.ETag);
    const { head, bytes: read } = await get(Key, { ChecksumMode: 'ENABLED' });
    expect(read.equals(bytes)).toBe(true);
    expect([head.ChecksumCRC64NVME, head.ChecksumType, head.ContentType]).toEqual([
      done.ChecksumCRC64NVME,
      'FULL_OBJECT',
      'image/png',
    ]);
    const third = await get(Key, { PartNumber: 3 });
    expect([third.bytes.length, third.head.PartsCount]).toEqual([1000, 3]);
    expect(await faultOf(client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId })))).toEqual([
      'NoSuchUpload',
      404,
    ]);
  });

  it('are refused with parts that are too small, unknown or out of order, and aborted', async () => {
    const Key = 'parts/small';
    const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key }));
    const tags: (string | undefined)[] = [];
    for (const PartNumber of [1, 2])
      tags.push((await client.send(new s3.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: 'x' }))).ETag);
    const complete = (Parts: s3.CompletedPart[]) =>
      faultOf(
        client.send(new s3.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } })),
      );
    const both = tags.map((ETag, at) => ({ PartNumber: at + 1, ETag }));
    expect(await complete(both)).toEqual(['EntityTooSmall', 400]);
    expect(await complete([...both].reverse())).toEqual(['InvalidPartOrder', 400]);
    expect(await complete([{ PartNumber: 3, ETag: tags[0] }])).toEqual(['InvalidPart', 400]);
    await client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    expect(await complete(both)).toEqual(['NoSuchUpload', 404]);
  });

  it('take parts from other objects', async () => {
    await put('parts/source', '0123456789');
    const Key = 'parts/copied';
    const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key }));
    const { CopyPartResult } = await client.send(
      new s3.UploadPartCopyCommand({
        Bucket,
        Key,
        UploadId,
        PartNumber: 1,
        CopySource: `${Bucket}/parts/source`,
        CopySourceRange: 'bytes=2-5',
      }),
    );
    await client.send(
      new s3.CompleteMultipartUploadCommand({
        Bucket,
        Key,
        UploadId,
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag: CopyPartResult?.ETag }] },
      }),
    );
    expect((await get(Key)).bytes.toString()).toBe('2345');
  });
});

describe('buckets', () => {
  it('are listed, made with manage, and deleted when empty', async () => {
    const name = `b-${randomUUID()}`;
    const make = (by: s3.S3Client) => by.send(new s3.CreateBucketCommand({ Bucket: name }));
    const limited = await program.client({ permissions: ['read', 'write'] });
    expect(await faultOf(make(limited))).toEqual(['AccessDenied', 403]);
    await make(client);
    expect(await faultOf(make(limited))).toEqual(['BucketAlreadyOwnedByYou', 409]);
    const { Buckets } = await client.send(new s3.ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toContain(name);
    await client.send(new s3.HeadBucketCommand({ Bucket: name }));
    expect((await client.send(new s3.GetBucketLocationCommand({ Bucket: name }))).LocationConstraint).toBe('in-west');
    expect((await client.send(new s3.GetBucketVersioningCommand({ Bucket: name }))).Status).toBeUndefined();
    await client.send(new s3.PutObjectCommand({ Bucket: name, Key: 'a', Body: 'x' }));
    const remove = () => client.send(new s3.DeleteBucketCommand({ Bucket: name }));
    expect(await faultOf(remove())).toEqual(['BucketNotEmpty', 409]);
    await client.send(new s3.DeleteObjectCommand({ Bucket: name, Key: 'a' }));
    await remove();
    expect((await faultOf(client.send(new s3.HeadBucketCommand({ Bucket: name }))))[1]).toBe(404);
  });

  it('answer what they do not have, and refuse what is not offered', async () => {
    expect((await faultOf(client.send(new s3.GetBucketPolicyCommand({ Bucket }))))[0]).toBe('NoSuchBucketPolicy');
    expect((await faultOf(client.send(new s3.GetBucketCorsCommand({ Bucket }))))[0]).toBe('NoSuchCORSConfiguration');
    expect((await client.send(new s3.GetBucketAclCommand({ Bucket }))).Grants).toHaveLength(1);
    expect(
      await faultOf(
        client.send(new s3.PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } })),
      ),
    ).toEqual(['NotImplemented', 501]);
    expect(await faultOf(client.send(new s3.GetObjectTorrentCommand({ Bucket, Key: 'a' })))).toEqual([
      'NotImplemented',
      501,
    ]);
  });
});

describe('credentials', () => {
  it('reach the buckets and do what they were given', async () => {
    const id = await bucketId();
    const other = await createBucket(program.admin);
    const reader = await program.client({ permissions: ['read'], bucketIds: [id ?? ''] });
    await put('for-readers', 'x');
    await reader.send(new s3.GetObjectCommand({ Bucket, Key: 'for-readers' }));
    expect(await faultOf(reader.send(new s3.PutObjectCommand({ Bucket, Key: 'a', Body: 'x' })))).toEqual([
      'AccessDenied',
      403,
    ]);
    expect(await faultOf(reader.send(new s3.DeleteObjectCommand({ Bucket, Key: 'a' })))).toEqual(['AccessDenied', 403]);
    expect(await faultOf(reader.send(new s3.ListObjectsV2Command({ Bucket: other.name })))).toEqual([
      'AccessDenied',
      403,
    ]);
    const { Buckets } = await reader.send(new s3.ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual([Bucket]);
    const stranger = await createBucket(program.admin.as((await program.admin.createOrganization('Other')).id));
    expect(await faultOf(client.send(new s3.ListObjectsV2Command({ Bucket: stranger.name })))).toEqual([
      'NoSuchBucket',
      404,
    ]);
  });

  it('are refused when they were revoked, and note their last use', async () => {
    const { id, accessKeyId, secret } = await program.newKey();
    const { clientOf } = await import('./support/s3.ts');
    const own = clientOf(program.endpoint, { accessKeyId, secret });
    await own.send(new s3.ListBucketsCommand({}));
    await program.session.get(200, 'DELETE', `${content}/storage-credentials/${id}`);
    expect(await faultOf(own.send(new s3.ListBucketsCommand({})))).toEqual(['InvalidAccessKeyId', 403]);
    const { items } = await program.session.get<{ items: { id: string; lastUsedAt: string | null }[] }>(
      200,
      'GET',
      `${content}/storage-credentials`,
    );
    expect(items.find((each) => each.id === id)?.lastUsedAt).not.toBeNull();
    const wrong = clientOf(program.endpoint, { accessKeyId: (await program.newKey()).accessKeyId, secret: 'x' });
    expect(await faultOf(wrong.send(new s3.ListBucketsCommand({})))).toEqual(['SignatureDoesNotMatch', 403]);
  });
});
