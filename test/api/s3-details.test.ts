import { randomBytes } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketTaggingCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketTaggingCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutBucketAclCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketTaggingCommand,
  PutObjectCommand,
  UploadPartCommand,
  type ListMultipartUploadsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { versionTwoSignature } from '../../services/s3/auth/version-two.ts';
import { faultOf, startS3Program, type S3Program } from './support/s3.ts';
import { createBucket } from './support/storage.ts';

describe('details of S3', () => {
  let program: S3Program;
  let client: S3Client;
  let Bucket: string;

  beforeAll(async () => {
    program = await startS3Program();
    client = await program.client();
    ({ name: Bucket } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } }));
  }, 60_000);
  afterAll(() => program.end());

  const put = (Key: string, more: object = {}) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body: 'ten bytes.', ...more }));

  it('keeps the tags of a bucket, also those it is made with', async () => {
    expect(await faultOf(client.send(new GetBucketTaggingCommand({ Bucket })))).toEqual(['NoSuchTagSet', 404]);
    const TagSet = [{ Key: 'team', Value: 'films' }];
    await client.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }));
    expect((await client.send(new GetBucketTaggingCommand({ Bucket }))).TagSet).toEqual(TagSet);
    const made = `tagged-${randomBytes(4).toString('hex')}`;
    await client.send(new CreateBucketCommand({ Bucket: made, CreateBucketConfiguration: { Tags: TagSet } }));
    expect((await client.send(new GetBucketTaggingCommand({ Bucket: made }))).TagSet).toEqual(TagSet);
    const twice = { TagSet: [...TagSet, ...TagSet] };
    expect(await faultOf(client.send(new PutBucketTaggingCommand({ Bucket, Tagging: twice })))).toEqual([
      'InvalidTag',
      400,
    ]);
    await client.send(new DeleteBucketTaggingCommand({ Bucket }));
    expect(await faultOf(client.send(new GetBucketTaggingCommand({ Bucket })))).toEqual(['NoSuchTagSet', 404]);
    const writer = await program.client({ permissions: ['read', 'write', 'delete'] });
    expect(await faultOf(writer.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } })))).toEqual([
      'AccessDenied',
      403,
    ]);
  });

  it('has the owner of a bucket own its objects', async () => {
    const { OwnershipControls } = await client.send(new GetBucketOwnershipControlsCommand({ Bucket }));
    expect(OwnershipControls?.Rules).toEqual([{ ObjectOwnership: 'BucketOwnerEnforced' }]);
    const change = (ObjectOwnership: 'BucketOwnerEnforced' | 'ObjectWriter') =>
      client.send(
        new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls: { Rules: [{ ObjectOwnership }] } }),
      );
    await change('BucketOwnerEnforced');
    expect(await faultOf(change('ObjectWriter'))).toEqual(['NotImplemented', 501]);
  });

  it('reads ACLs for their form before it refuses them', async () => {
    const Grants = [{ Grantee: { Type: 'CanonicalUser' as const, ID: 'somebody' }, Permission: 'READ' as const }];
    const acl = (more: object) => faultOf(client.send(new PutBucketAclCommand({ Bucket, ...more })));
    expect(await acl({ AccessControlPolicy: { Grants } })).toEqual(['MalformedACLError', 400]);
    expect(await acl({ AccessControlPolicy: { Grants, Owner: { ID: 'me' } } })).toEqual([
      'AccessControlListNotSupported',
      400,
    ]);
    expect(await acl({ ACL: 'private', GrantRead: 'id=somebody' })).toEqual(['InvalidRequest', 400]);
    expect(await acl({})).toEqual(['MissingSecurityHeader', 404]);
  });

  it('keeps the redirect of an object, and does not copy it', async () => {
    await put('redirected', { WebsiteRedirectLocation: '/elsewhere' });
    const redirectOf = async (Key: string) =>
      (await client.send(new HeadObjectCommand({ Bucket, Key }))).WebsiteRedirectLocation;
    expect(await redirectOf('redirected')).toBe('/elsewhere');
    await client.send(new CopyObjectCommand({ Bucket, Key: 'copied', CopySource: `${Bucket}/redirected` }));
    expect(await redirectOf('copied')).toBeUndefined();
    expect(await faultOf(put('other', { WebsiteRedirectLocation: 'ftp://x' }))).toEqual([
      'InvalidRedirectLocation',
      400,
    ]);
  });

  it('deletes under conditions of size and time', async () => {
    await put('conditional');
    const remove = (more: object) => client.send(new DeleteObjectCommand({ Bucket, Key: 'conditional', ...more }));
    expect(await faultOf(remove({ IfMatchSize: 9 }))).toEqual(['PreconditionFailed', 412]);
    expect(await faultOf(remove({ IfMatchLastModifiedTime: new Date(1e12) }))).toEqual(['PreconditionFailed', 412]);
    await remove({ IfMatchSize: 10 });
    expect(await faultOf(client.send(new HeadObjectCommand({ Bucket, Key: 'conditional' })))).toEqual([
      'NotFound',
      404,
    ]);
  });

  it('heeds size and time in lists of deletions', async () => {
    await put('listed');
    const removed = async (condition: object) => {
      const Objects = [{ Key: 'listed', ...condition }];
      const { Deleted, Errors } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
      return [Deleted?.map(({ Key }) => Key), Errors?.map(({ Code }) => Code)];
    };
    expect(await removed({ Size: 9 })).toEqual([undefined, ['PreconditionFailed']]);
    expect(await removed({ LastModifiedTime: new Date(1e12) })).toEqual([undefined, ['PreconditionFailed']]);
    expect(await removed({ Size: 10 })).toEqual([['listed'], undefined]);
  });

  it('takes links of Signature Version 2 with any text, and none that divides a header into others', async () => {
    const { accessKeyId, secret } = await program.newKey();
    const Expires = String(Math.floor(Date.now() / 1000) + 600);
    const resource = `/${Bucket}/linked`;
    const written = async (signed: string, query: object, headers: Record<string, string> = {}) => {
      const Signature = versionTwoSignature(secret, `PUT\n\n\n${Expires}\n${signed}${resource}`);
      const search = new URLSearchParams({ AWSAccessKeyId: accessKeyId ?? '', Expires, Signature, ...query });
      const address = `${program.endpoint}${resource}?${String(search)}`;
      return (await fetch(address, { method: 'PUT', headers, body: Buffer.from('linked') })).status;
    };
    expect(await written('x-amz-meta-a:1\n', { 'x-amz-meta-a': '1' })).toBe(200);
    expect(await written('x-amz-meta-a:ü\n', { 'x-amz-meta-a': 'ü' })).toBe(200);
    const inUtf8 = Buffer.from('ü').toString('latin1');
    expect(await written('x-amz-meta-a:ü\n', {}, { 'x-amz-meta-a': inUtf8 })).toBe(200);
    const divided = 'x-amz-meta-a:1\nx-amz-tagging:evil=1\n';
    expect(await written(divided, { 'x-amz-meta-a': '1\nx-amz-tagging:evil=1' })).toBe(400);
    expect(await written(divided, { 'x-amz-meta-a:1\nx-amz-tagging': 'evil=1' })).toBe(400);
  });

  it('refuses storage classes that are not offered, and names that are none', async () => {
    const writtenAs = (name: string) => faultOf(put('classes', { StorageClass: name }));
    expect(await writtenAs('STANDARD')).toEqual([null, null]);
    expect(await writtenAs('REDUCED_REDUNDANCY')).toEqual(['NotImplemented', 501]);
    expect(await writtenAs('FAST')).toEqual(['InvalidStorageClass', 400]);
  });

  it('takes a range with a space for none', async () => {
    await put('ranged');
    const answer = await client.send(new GetObjectCommand({ Bucket, Key: 'ranged', Range: 'bytes= -1' }));
    expect([answer.ContentLength, answer.ContentRange]).toEqual([10, undefined]);
  });

  it('copies an object of many pieces, and reads both afterwards', async () => {
    const bytes = randomBytes(3 * 2 ** 20);
    await put('pieces', { Body: bytes });
    await client.send(new CopyObjectCommand({ Bucket, Key: 'pieces-copy', CopySource: `${Bucket}/pieces` }));
    for (const Key of ['pieces', 'pieces-copy', 'pieces']) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      expect(bytes.equals((await Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);
    }
  });

  it('copies over an object with another checksum', async () => {
    await put('summed', { ChecksumAlgorithm: 'SHA256' });
    const { CopyObjectResult } = await client.send(
      new CopyObjectCommand({
        ...{ Bucket, Key: 'summed', CopySource: `${Bucket}/summed`, ChecksumAlgorithm: 'CRC32' },
        MetadataDirective: 'REPLACE',
      }),
    );
    expect([CopyObjectResult?.ChecksumSHA256, CopyObjectResult?.ChecksumCRC32]).toEqual([undefined, 'w3s3fw==']);
  });

  it('answers completions that come at the same time alike, and wants the checksum of each part', async () => {
    const Key = 'completed';
    const begin = async (more: object = {}) => {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }));
      const part = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'a part' }));
      return { UploadId, ETag: part.ETag };
    };
    const complete = ({ UploadId, ETag }: Awaited<ReturnType<typeof begin>>) =>
      client.send(
        new CompleteMultipartUploadCommand({
          ...{ Bucket, Key, UploadId },
          MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
        }),
      );
    const one = await begin();
    const answers = await Promise.all(Array.from({ length: 5 }, () => complete(one)));
    expect(new Set(answers.map(({ ETag }) => ETag)).size).toBe(1);
    const composite = await begin({ ChecksumAlgorithm: 'CRC32' });
    expect(await faultOf(complete(composite))).toEqual(['InvalidRequest', 400]);
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: composite.UploadId }));
  });

  it('refuses a marker of an upload that is none of its key', async () => {
    const list = (KeyMarker: string, UploadIdMarker: string) =>
      client.send(new ListMultipartUploadsCommand({ Bucket, KeyMarker, UploadIdMarker }));
    const ids = new Map<string, string>();
    for (const Key of ['one', 'two']) {
      const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      ids.set(Key, UploadId);
    }
    expect(await faultOf(list('one', 'nothing'))).toEqual(['InvalidArgument', 400]);
    expect(await faultOf(list('one', ids.get('two') ?? ''))).toEqual(['InvalidArgument', 400]);
    expect((await list('one', ids.get('one') ?? '')).Uploads?.map(({ Key }) => Key)).toEqual(['two']);
  });

  it('lists uploads in pages of prefixes, which go on behind the first upload of a prefix', async () => {
    const ids: string[] = [];
    for (const Key of ['pages/a/1', 'pages/a/2', 'pages/b/1']) {
      const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      ids.push(UploadId);
    }
    const asked = { Bucket, Prefix: 'pages/', Delimiter: '/' };
    const prefixesOf = ({ CommonPrefixes = [] }: ListMultipartUploadsCommandOutput) =>
      CommonPrefixes.map(({ Prefix }) => Prefix);
    const first = await client.send(new ListMultipartUploadsCommand({ ...asked, MaxUploads: 1 }));
    expect([prefixesOf(first), first.NextKeyMarker, first.NextUploadIdMarker]).toEqual([
      ['pages/a/'],
      'pages/a/',
      ids[0],
    ]);
    const KeyMarker = 'pages/a/';
    const behindId = await client.send(
      new ListMultipartUploadsCommand({ ...asked, KeyMarker, UploadIdMarker: ids[0] }),
    );
    expect(prefixesOf(behindId)).toEqual(['pages/a/', 'pages/b/']);
    const behindPrefix = await client.send(new ListMultipartUploadsCommand({ ...asked, KeyMarker }));
    expect(prefixesOf(behindPrefix)).toEqual(['pages/b/']);
    const parts = await client.send(new ListPartsCommand({ Bucket, Key: 'pages/b/1', UploadId: ids[2] }));
    expect([parts.ChecksumAlgorithm, parts.ChecksumType]).toEqual(['null', 'null']);
  });

  it('answers preflights with what is wrong with them', async () => {
    const preflight = async (name: string, headers: Record<string, string>): Promise<string> => {
      const answer = await fetch(`${program.endpoint}/${name}`, { method: 'OPTIONS', headers });
      return /<Code>(\w+)</.exec(await answer.text())?.[1] ?? String(answer.status);
    };
    const asked = { Origin: 'https://example.com', 'Access-Control-Request-Method': 'GET' };
    expect(await preflight('nobodys-bucket', asked)).toBe('NoSuchBucket');
    expect(await preflight(Bucket, asked)).toBe('AccessForbidden');
    expect(await preflight(Bucket, { ...asked, 'Access-Control-Request-Method': 'PATCH' })).toBe('BadRequest');
    expect(await preflight(Bucket, { ...asked, 'Access-Control-Request-Headers': 'a(b)' })).toBe('BadRequest');
  });
});
