import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startS3TestServer } from '../../../test/servers/s3.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { blobsConformance } from '../conformance.ts';
import { openBlobs } from '../open.ts';
import { parseS3Address } from '../../s3/address.ts';
import { openS3Blobs } from './s3.ts';
import { inParts } from './upload.ts';

describe('the address of S3-compatible blobs', () => {
  it('is read', () => {
    expect(parseS3Address('s3://key%2F1:se%2Bcret%40@store.example:9000/bucket-1/some/where?region=eu-1')).toEqual({
      endpoint: 'https://store.example:9000',
      region: 'eu-1',
      bucket: 'bucket-1',
      prefix: 'some/where/',
      accessKeyId: 'key/1',
      secretAccessKey: 'se+cret@',
    });
    expect(parseS3Address('s3+http://k:s@127.0.0.1:9000/bucket')).toMatchObject({
      endpoint: 'http://127.0.0.1:9000',
      region: 'us-east-1',
      prefix: '',
    });
  });

  it.each([
    's3://host/bucket',
    's3://key@host/bucket',
    's3://key:secret@host',
    's3://key:secret@host/B',
    'https://key:secret@host/bucket',
    's3:///bucket',
  ])('is not %s', (text) => {
    expect(() => parseS3Address(text)).toThrow(/the address of the blobs/);
  });
});

describe('a body in parts', () => {
  async function partsOf(pieces: string[], size: number): Promise<string[]> {
    const source = (async function* () {
      for (const piece of pieces) yield Buffer.from(piece);
    })();
    const parts: string[] = [];
    for await (const part of inParts(source, size)) parts.push(Buffer.from(part).toString());
    return parts;
  }

  it('has parts of one size and a smaller last one', async () => {
    expect(await partsOf(['ab', 'cdefg', '', 'h'], 3)).toEqual(['abc', 'def', 'gh']);
    expect(await partsOf(['abcdef'], 3)).toEqual(['abc', 'def']);
    expect(await partsOf(['abcdefg'], 10)).toEqual(['abcdefg']);
    expect(await partsOf([], 3)).toEqual(['']);
  });
});

describe('S3-compatible blobs', () => {
  it('name a bucket that does not answer, without the secret', async () => {
    const server = createServer((_request, response) => void response.writeHead(403).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const opening = openS3Blobs({ url: `s3+http://key:verysecret@127.0.0.1:${port}/bucket` });
    await expect(opening).rejects.toThrow(`the bucket bucket at http://127.0.0.1:${port} does not answer`);
    await expect(opening).rejects.not.toThrow('verysecret');
    server.closeAllConnections();
    server.close();
  });
});

const server = await startS3TestServer();
if (typeof server === 'string') {
  skipWithReason('blobs in an S3-compatible store', server);
} else {
  const client = new S3Client({
    endpoint: `http://${server.host}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    forcePathStyle: true,
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });

  blobsConformance('an S3-compatible store', async () => ({
    blobs: await openS3Blobs({ url: `s3+http://key:secret@${server.host}/suite`, pageNames: 50 }),
  }));

  describe('a bucket', () => {
    it('can hold several stores under prefixes, and may already exist', async () => {
      await client.send(new CreateBucketCommand({ Bucket: 'shared' }));
      const one = await openBlobs(`s3+http://key:secret@${server.host}/shared/one?region=us-east-1`, '', systemRuntime);
      const two = await openBlobs(`s3+http://key:secret@${server.host}/shared/two/deep`, '', systemRuntime);
      await one.write('a', Buffer.from('1'));
      await two.write('a', Buffer.from('2'));
      await two.write('b', Buffer.from('2'));
      const names = [];
      for await (const { key } of two.list('')) names.push(key);
      expect(names).toEqual(['a', 'b']);
      await two.remove('a');
      expect(await one.exists('a')).toBe(true);
      await Promise.all([one.close(), two.close()]);
    });

    it('keeps no part of a failed upload', async () => {
      const blobs = await openS3Blobs({ url: `s3+http://key:secret@${server.host}/failed` });
      async function* broken(): AsyncGenerator<Uint8Array, void, undefined> {
        for (let i = 0; i < 20; i += 1) yield Buffer.alloc(2 ** 20);
        throw new Error('the source broke');
      }
      await expect(blobs.write('long', broken())).rejects.toThrow('the source broke');
      const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'failed' }));
      expect(Uploads ?? []).toEqual([]);
      await blobs.close();
    });
  });
}
