import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type ChecksumAlgorithm,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { startS3Program, type S3Program } from '../api/support/s3.ts';
import { createBucket } from '../api/support/storage.ts';

const MiB = 2 ** 20;

describe('the SDK for JavaScript', () => {
  let program: S3Program;
  let client: S3Client;
  let Bucket: string;

  beforeAll(async () => {
    program = await startS3Program();
    client = await program.client();
    ({ name: Bucket } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } }));
  }, 60_000);
  afterAll(() => program.end());

  /** The bytes of an object, whose checksum the client compares. */
  async function read(Key: string): Promise<Buffer> {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  it.each<ChecksumAlgorithm>(['CRC32', 'CRC32C', 'SHA1', 'SHA256'])(
    'uploads a stream of unknown length in parts, with %s',
    async (algorithm) => {
      const bytes = randomBytes(11 * MiB + 7);
      const pieces = async function* (): AsyncGenerator<Buffer> {
        for (let from = 0; from < bytes.length; from += 300_000) yield bytes.subarray(from, from + 300_000);
      };
      const Key = `parts/${algorithm}`;
      const upload = new Upload({
        client,
        partSize: 5 * MiB,
        queueSize: 2,
        params: { Bucket, Key, Body: Readable.from(pieces()), ChecksumAlgorithm: algorithm, Metadata: { by: 'parts' } },
      });
      const { ETag } = await upload.done();
      expect(ETag).toMatch(/-3"$/);
      expect((await read(Key)).equals(bytes)).toBe(true);
      const shown = await client.send(
        new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: ['Checksum', 'ObjectParts', 'ObjectSize'] }),
      );
      expect([shown.ObjectSize, shown.ObjectParts?.TotalPartsCount]).toEqual([bytes.length, 3]);
      expect(shown.Checksum?.[`Checksum${algorithm}`]).toMatch(/-3$/);
    },
    60_000,
  );

  it('uploads what is small in one piece', async () => {
    const { ETag } = await new Upload({ client, params: { Bucket, Key: 'small', Body: 'a text' } }).done();
    expect(ETag).toBe(`"${createHash('md5').update('a text').digest('hex')}"`);
    expect((await read('small')).toString()).toBe('a text');
  });

  it('leaves nothing of an upload that is aborted', async () => {
    const upload = new Upload({
      client,
      partSize: 5 * MiB,
      params: { Bucket, Key: 'aborted', Body: Readable.from([randomBytes(6 * MiB), randomBytes(6 * MiB)]) },
    });
    upload.on('httpUploadProgress', () => void upload.abort());
    await expect(upload.done()).rejects.toThrow();
    await expect(client.send(new HeadObjectCommand({ Bucket, Key: 'aborted' }))).rejects.toMatchObject({
      name: 'NotFound',
    });
  });

  it('makes links that anybody may write and read with', async () => {
    // The presigner puts metadata and tags into the query of the link.
    const details = { ContentType: 'text/plain', Metadata: { colour: 'bleu', place: 'Île' }, Tagging: 'a=b%20c' };
    const put = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: 'linked', ...details }), {
      expiresIn: 60,
    });
    const written = await fetch(put, { method: 'PUT', body: 'by a link', headers: { 'Content-Type': 'text/plain' } });
    expect(written.status).toBe(200);
    expect(await client.send(new HeadObjectCommand({ Bucket, Key: 'linked' }))).toMatchObject({
      Metadata: { colour: 'bleu' },
    });
    expect(await client.send(new GetObjectTaggingCommand({ Bucket, Key: 'linked' }))).toMatchObject({
      TagSet: [{ Key: 'a', Value: 'b c' }],
    });
    const open = new PutObjectCommand({ Bucket, Key: 'linked', ACL: 'public-read' });
    const refused = await fetch(await getSignedUrl(client, open, { expiresIn: 60 }), { method: 'PUT', body: 'a' });
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('AccessControlListNotSupported'),
    ]);
    const get = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'linked' }), { expiresIn: 60 });
    const answer = await fetch(get);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'text/plain',
      'by a link',
    ]);
    const other = await fetch(get.replace('linked', 'small'));
    expect([other.status, await other.text()]).toEqual([403, expect.stringContaining('SignatureDoesNotMatch')]);
  });

  it.each([
    // Known answers for "dummy data".
    ['ChecksumXXHASH64', 'vYOmFpsGXtY='],
    ['ChecksumXXHASH3', '9J6xx21X+f8='],
    ['ChecksumXXHASH128', 'menoCZOCZ2Acv4XMxaUR9w=='],
    ['ChecksumMD5', createHash('md5').update('dummy data').digest('base64')],
    ['ChecksumSHA512', createHash('sha512').update('dummy data').digest('base64')],
  ] as const)('stores and shows %s, and refuses another', async (field, value) => {
    const Key = `checksums/${field}`;
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'dummy data', [field]: value }));
    const head = await client.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
    expect([head[field], head.ChecksumType]).toEqual([value, 'FULL_OBJECT']);
    await expect(
      client.send(new PutObjectCommand({ Bucket, Key, Body: 'other data', [field]: value })),
    ).rejects.toMatchObject({ name: 'BadDigest' });
  });
});
