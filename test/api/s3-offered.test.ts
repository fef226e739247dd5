import { createHash } from 'node:crypto';
import * as s3 from '@aws-sdk/client-s3';
import type { BucketView } from '../../models/bucket.ts';
import { isObject } from '../../models/schemas/schema.ts';
import { content } from './support/client.ts';
import { faultOf, startS3Program, type S3Program } from './support/s3.ts';
import { createBucket } from './support/storage.ts';

let program: S3Program;
let client: s3.S3Client;
let Bucket: string;
let bucketId: string;
beforeAll(async () => {
  program = await startS3Program();
  client = await program.client();
  ({ id: bucketId, name: Bucket } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } }));
});
afterAll(() => program.end());

const put = (Key: string, more: Partial<s3.PutObjectCommandInput> = {}): Promise<s3.PutObjectCommandOutput> =>
  client.send(new s3.PutObjectCommand({ Bucket, Key, Body: 'x', ...more }));
/** A client whose requests have more in them than the SDK knows. */
async function clientWith(more: {
  query?: Record<string, string>;
  headers?: Record<string, string>;
}): Promise<s3.S3Client> {
  const other = await program.client();
  other.middlewareStack.add(
    (next) => (args) => {
      const sent: unknown = args.request;
      if (isObject(sent)) for (const part of ['query', 'headers'] as const) Object.assign(sent[part] ?? {}, more[part]);
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  return other;
}
const tagsOf = async (Key: string): Promise<s3.Tag[] | undefined> =>
  (await client.send(new s3.GetObjectTaggingCommand({ Bucket, Key }))).TagSet;
const tag = (Key: string, TagSet: s3.Tag[]): Promise<unknown> =>
  client.send(new s3.PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet } }));

describe('tags of objects', () => {
  it('come with a write, are replaced and removed, and leave the object as new as it is', async () => {
    await put('tagged', { Tagging: 'b=%C3%BC+x&a=' });
    expect(await tagsOf('tagged')).toEqual([
      { Key: 'a', Value: '' },
      { Key: 'b', Value: 'ü x' },
    ]);
    const before = await client.send(new s3.HeadObjectCommand({ Bucket, Key: 'tagged' }));
    expect(before.TagCount).toBe(2);
    await tag('tagged', [{ Key: 'only', Value: '1' }]);
    expect(await tagsOf('tagged')).toEqual([{ Key: 'only', Value: '1' }]);
    const after = await client.send(new s3.HeadObjectCommand({ Bucket, Key: 'tagged' }));
    expect([after.LastModified, after.ETag]).toEqual([before.LastModified, before.ETag]);
    await client.send(new s3.DeleteObjectTaggingCommand({ Bucket, Key: 'tagged' }));
    expect(await tagsOf('tagged')).toEqual([]);
    expect((await client.send(new s3.HeadObjectCommand({ Bucket, Key: 'tagged' }))).TagCount).toBeUndefined();
  });

  it('go along with copies, unless others are named, and end with the next write', async () => {
    await put('source', { Tagging: 'a=1' });
    const copy = (Key: string, more: Partial<s3.CopyObjectCommandInput> = {}): Promise<unknown> =>
      client.send(new s3.CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/source`, ...more }));
    await copy('copy');
    expect(await tagsOf('copy')).toEqual([{ Key: 'a', Value: '1' }]);
    await copy('copy', { TaggingDirective: 'REPLACE', Tagging: 'b=2' });
    expect(await tagsOf('copy')).toEqual([{ Key: 'b', Value: '2' }]);
    await copy('source', { TaggingDirective: 'REPLACE' });
    expect(await tagsOf('source')).toEqual([]);
    await put('copy');
    expect(await tagsOf('copy')).toEqual([]);
  });

  it('come with uploads in parts', async () => {
    const Key = 'in-parts';
    const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key, Tagging: 'a=1' }));
    const { ETag } = await client.send(new s3.UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'x' }));
    await client.send(
      new s3.CompleteMultipartUploadCommand({
        ...{ Bucket, Key, UploadId },
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
      }),
    );
    expect(await tagsOf(Key)).toEqual([{ Key: 'a', Value: '1' }]);
  });

  it('are refused where they are not valid, and leave the object as it was', async () => {
    await put('refused', { Tagging: 'a=1' });
    const many = Array.from({ length: 11 }, (_, at) => ({ Key: String(at), Value: '' }));
    expect(await faultOf(tag('refused', many))).toEqual(['BadRequest', 400]);
    for (const wrong of [
      [{ Key: 'a'.repeat(129), Value: '' }],
      [{ Key: 'a', Value: 'b'.repeat(257) }],
      [{ Key: 'a?', Value: '' }],
      [{ Key: 'aws:a', Value: '' }],
      [
        { Key: 'a', Value: '' },
        { Key: 'a', Value: '1' },
      ],
    ])
      expect(await faultOf(tag('refused', wrong))).toEqual(['InvalidTag', 400]);
    expect(await faultOf(put('refused', { Tagging: 'a=1&a=2' }))).toEqual(['InvalidArgument', 400]);
    expect(await tagsOf('refused')).toEqual([{ Key: 'a', Value: '1' }]);
    expect(await faultOf(tag('absent', []))).toEqual(['NoSuchKey', 404]);
    const reader = await program.client({ permissions: ['read'] });
    expect(
      await faultOf(reader.send(new s3.PutObjectTaggingCommand({ Bucket, Key: 'refused', Tagging: { TagSet: [] } }))),
    ).toEqual(['AccessDenied', 403]);
  });
});

describe('the CORS configuration of a bucket', () => {
  const rule = { AllowedMethods: ['GET', 'PUT'], AllowedOrigins: ['https://app.example.com'], MaxAgeSeconds: 60 };
  const configure = (CORSRules: s3.CORSRule[], by = client): Promise<unknown> =>
    by.send(new s3.PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));

  it('is that of its settings', async () => {
    await configure([{ ...rule, ExposeHeaders: ['ETag'], AllowedHeaders: ['*'] }]);
    const { cors } = await program.admin.get<BucketView>(200, 'GET', `${content}/buckets/${bucketId}`);
    expect(cors).toMatchObject({
      ...{ allowedOrigins: ['https://app.example.com'], allowedMethods: ['GET'], allowedHeaders: ['*'] },
      ...{ exposeHeaders: ['etag'], maxAgeSeconds: 60 },
    });
    const { CORSRules } = await client.send(new s3.GetBucketCorsCommand({ Bucket }));
    expect(CORSRules).toEqual([
      expect.objectContaining({ AllowedOrigins: ['https://app.example.com'], MaxAgeSeconds: 60 }),
    ]);
    await client.send(new s3.DeleteBucketCorsCommand({ Bucket }));
    expect((await faultOf(client.send(new s3.GetBucketCorsCommand({ Bucket }))))[0]).toBe('NoSuchCORSConfiguration');
  });

  it('is refused where a bucket cannot have it', async () => {
    expect(await faultOf(configure([rule, rule]))).toEqual(['NotImplemented', 501]);
    expect(await faultOf(configure([{ ...rule, AllowedMethods: ['PATCH'] }]))).toEqual(['InvalidRequest', 400]);
    expect(await faultOf(configure([{ ...rule, AllowedOrigins: ['*.example.com'] }]))).toEqual(['InvalidRequest', 400]);
    expect(await faultOf(configure([{ ...rule, AllowedHeaders: ['not a name'] }]))).toEqual(['InvalidRequest', 400]);
    const writer = await program.client({ permissions: ['read', 'write', 'delete'] });
    expect(await faultOf(configure([rule], writer))).toEqual(['AccessDenied', 403]);
  });
});

describe('requests', () => {
  it('that expect another owner are refused', async () => {
    await put('owned');
    const { Owner } = await client.send(new s3.ListBucketsCommand({}));
    const get = (ExpectedBucketOwner: string): Promise<unknown> =>
      client.send(new s3.GetObjectCommand({ Bucket, Key: 'owned', ExpectedBucketOwner }));
    expect(await faultOf(get('111122223333'))).toEqual(['AccessDenied', 403]);
    expect(await faultOf(get(Owner?.ID ?? ''))).toEqual([null, null]);
    const copy = (ExpectedSourceBucketOwner: string): Promise<unknown> =>
      client.send(
        new s3.CopyObjectCommand({ Bucket, Key: 'copied', CopySource: `${Bucket}/owned`, ExpectedSourceBucketOwner }),
      );
    expect(await faultOf(copy('111122223333'))).toEqual(['AccessDenied', 403]);
    expect(await faultOf(copy(Owner?.ID ?? ''))).toEqual([null, null]);
  });

  it('list buckets in pages', async () => {
    const names = ['page-a', 'page-b', 'page-c'].map((name) => `${name}-${program.organizationId.slice(0, 8)}`);
    for (const name of names) await client.send(new s3.CreateBucketCommand({ Bucket: name }));
    const seen: string[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page: s3.ListBucketsCommandOutput = await client.send(
        new s3.ListBucketsCommand({ Prefix: 'page-', MaxBuckets: 2, ContinuationToken }),
      );
      seen.push(...(page.Buckets ?? []).map(({ Name = '' }) => Name));
      ContinuationToken = page.ContinuationToken;
    } while (ContinuationToken !== undefined);
    expect(seen).toEqual(names);
    expect(await faultOf(client.send(new s3.ListBucketsCommand({ MaxBuckets: 10_001 })))).toEqual([
      'InvalidArgument',
      400,
    ]);
  });

  it('for what is not offered say so for the sub-resource, where there is a bucket', async () => {
    const version = (of: string): Promise<unknown> =>
      client.send(new s3.PutBucketVersioningCommand({ Bucket: of, VersioningConfiguration: { Status: 'Enabled' } }));
    expect(await faultOf(version(Bucket))).toEqual(['NotImplemented', 501]);
    expect(await faultOf(version('no-such-bucket-here'))).toEqual(['NoSuchBucket', 404]);
    expect((await client.send(new s3.GetBucketPolicyStatusCommand({ Bucket }))).PolicyStatus?.IsPublic).toBe(false);
  });

  it('with a name or a header that nobody knows are not taken for reading, writing or deleting an object', async () => {
    const at = { Bucket, Key: 'kept' };
    await put('kept', { Body: 'first' });
    const later = await clientWith({ query: { later: '' } });
    const encrypted = await clientWith({ headers: { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' } });
    const appending = await clientWith({ headers: { 'x-amz-write-offset-bytes': '5' } });
    for (const answer of [
      later.send(new s3.GetObjectCommand(at)),
      later.send(new s3.PutObjectCommand({ ...at, Body: 'second' })),
      later.send(new s3.DeleteObjectCommand(at)),
      encrypted.send(new s3.GetObjectCommand(at)),
      appending.send(new s3.PutObjectCommand({ ...at, Body: 'second' })),
    ])
      expect(await faultOf(answer)).toEqual(['NotImplemented', 501]);
    const versioned = await clientWith({ query: { versionId: 'null' } });
    for (const answer of [
      versioned.send(new s3.PutObjectCommand({ ...at, Body: 'second' })),
      versioned.send(new s3.DeleteBucketCommand({ Bucket })),
    ])
      expect(await faultOf(answer)).toEqual(['InvalidArgument', 400]);
    const usual = await clientWith({ query: { ignored: '1', 'x-id': 'GetObject' } });
    expect(await (await usual.send(new s3.GetObjectCommand(at))).Body?.transformToString()).toBe('first');
  });

  it('of deletions remove nothing where one of them names no key', async () => {
    await put('stays');
    const Objects = [{ Key: 'stays' }, { Key: '' }];
    expect(await faultOf(client.send(new s3.DeleteObjectsCommand({ Bucket, Delete: { Objects } })))).toEqual([
      'MalformedXML',
      400,
    ]);
    expect((await client.send(new s3.HeadObjectCommand({ Bucket, Key: 'stays' }))).ContentLength).toBe(1);
  });
});

describe('checksums', () => {
  it('are refused under names that are none, and beside another algorithm than is announced', async () => {
    const send = async (headers: { [name: string]: string }): Promise<unknown> =>
      (await clientWith({ headers })).send(
        new s3.PutObjectCommand({ Bucket, Key: 'odd', Body: 'x', ChecksumAlgorithm: 'CRC32' }),
      );
    expect(await faultOf(send({ 'x-amz-checksum-crc33': 'AAAAAA==' }))).toEqual(['InvalidRequest', 400]);
    expect(await faultOf(send({ 'x-amz-sdk-checksum-algorithm': 'SHA256' }))).toEqual(['InvalidRequest', 400]);
  });

  it('are computed for copies, whole and in parts, that ask for them', async () => {
    await put('sum', { ChecksumAlgorithm: 'CRC32' });
    const copied = await client.send(
      new s3.CopyObjectCommand({ Bucket, Key: 'sum-2', CopySource: `${Bucket}/sum`, ChecksumAlgorithm: 'SHA256' }),
    );
    expect(copied.CopyObjectResult?.ChecksumSHA256).toBe(createHash('sha256').update('x').digest('base64'));
    const Key = 'sum-parts';
    const { UploadId } = await client.send(
      new s3.CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm: 'CRC64NVME' }),
    );
    const { CopyPartResult: part } = await client.send(
      new s3.UploadPartCopyCommand({ Bucket, Key, UploadId, PartNumber: 1, CopySource: `${Bucket}/sum` }),
    );
    const done = await client.send(
      new s3.CompleteMultipartUploadCommand({
        ...{ Bucket, Key, UploadId },
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag: part?.ETag }] },
      }),
    );
    expect([part?.ChecksumCRC64NVME, done.ChecksumType]).toEqual([done.ChecksumCRC64NVME, 'FULL_OBJECT']);
  });

  it('of parts are kept with an object, and come with a read of a part', async () => {
    const Key = 'composite';
    const algorithm = { ChecksumAlgorithm: 'SHA256' } as const;
    const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key, ...algorithm }));
    const bodies = [Buffer.alloc(5 * 2 ** 20, 'a'), Buffer.from('b')];
    const sums = bodies.map((body) => createHash('sha256').update(body).digest('base64'));
    const Parts: s3.CompletedPart[] = [];
    for (const [at, Body] of bodies.entries()) {
      const PartNumber = at + 1;
      const sent = await client.send(
        new s3.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ...algorithm }),
      );
      expect(sent.ChecksumSHA256).toBe(sums[at]);
      Parts.push({ PartNumber, ETag: sent.ETag, ChecksumSHA256: sent.ChecksumSHA256 });
    }
    await client.send(new s3.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
    for (const [at, sum] of sums.entries()) {
      const read = await client.send(
        new s3.GetObjectCommand({ Bucket, Key, PartNumber: at + 1, ChecksumMode: 'ENABLED' }),
      );
      expect([read.ChecksumSHA256, read.ChecksumType, (await read.Body?.transformToByteArray())?.length]).toEqual([
        sum,
        'COMPOSITE',
        bodies[at]?.length,
      ]);
    }
    const { ObjectParts, Checksum } = await client.send(
      new s3.GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: ['ObjectParts', 'Checksum'] }),
    );
    expect(ObjectParts?.Parts?.map(({ ChecksumSHA256 }) => ChecksumSHA256)).toEqual(sums);
    expect(Checksum?.ChecksumSHA256).toMatch(/=-2$/);
  });
});
