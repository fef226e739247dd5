import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { guardedClient } from '../../../mixins/guarded-client/client.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { s3TestKey, startS3Gateway, startS3TestServer, type S3TestServer } from '../../../test/servers/s3.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { addressReader, listAll, sourcesConformance } from '../conformance.ts';
import { openConnectorSource } from '../open.ts';
import type { Source } from '../port.ts';

const client = guardedClient({ privateNetworks: 'allow' });
afterAll(() => client.close());

function sdkOf(server: S3TestServer): S3Client {
  return new S3Client({
    endpoint: `http://${server.host}`,
    region: 'us-east-1',
    credentials: s3TestKey,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
}

function open(
  server: S3TestServer,
  bucket: string,
  change: { host?: string; secret?: string; prefix?: string; region?: string } = {},
): Promise<Source> {
  const config = {
    endpoint: `http://${change.host ?? server.host}`,
    bucket,
    region: change.region ?? 'us-east-1',
    prefix: change.prefix ?? '',
    accessKeyId: s3TestKey.accessKeyId,
  };
  return openConnectorSource({
    source: { kind: 's3', config },
    credential: change.secret ?? s3TestKey.secretAccessKey,
    client,
    runtime: systemRuntime,
  });
}

const gateway = await startS3Gateway();
if (typeof gateway === 'string') {
  skipWithReason('a bucket behind a gateway that checks signatures', gateway);
} else {
  const sdk = sdkOf(gateway);
  afterAll(async () => {
    sdk.destroy();
    await gateway.stop();
  });

  sourcesConformance('an S3-compatible store', async () => {
    await sdk.send(new CreateBucketCommand({ Bucket: 'suite' }));
    const put = async (name: string, content: string): Promise<void> => {
      await sdk.send(new PutObjectCommand({ Bucket: 'suite', Key: name, Body: content }));
    };
    return {
      open: (fault) =>
        open(gateway, fault === 'absent' ? 'no-such-bucket' : 'suite', {
          ...(fault === 'temporary' && { host: '127.0.0.1:1' }),
          ...(fault === 'credential' && { secret: 'another' }),
        }),
      put,
      putMany: async (names) => {
        for (let at = 0; at < names.length; at += 50)
          await Promise.all(names.slice(at, at + 50).map((name) => put(name, name)));
      },
      remove: async (name) => {
        await sdk.send(new DeleteObjectCommand({ Bucket: 'suite', Key: name }));
      },
      read: addressReader(client),
      secrets: [s3TestKey.secretAccessKey, 'another'],
      stop: async () => undefined,
    };
  });

  describe('a bucket', () => {
    it('is listed below its prefix in byte order, with temporary addresses', async () => {
      await sdk.send(new CreateBucketCommand({ Bucket: 'prefixed' }));
      for (const Key of [
        'in/a.txt',
        'in/a/b.txt',
        'in/a-b.txt',
        'in/é.txt',
        'in/\u{1f600}.txt',
        'in/\uff5e.txt',
        'inside.txt',
        'out/a.txt',
      ])
        await sdk.send(new PutObjectCommand({ Bucket: 'prefixed', Key, Body: 'x' }));
      const source = await open(gateway, 'prefixed', { prefix: 'in/', region: '' });
      const entries = await listAll(source);
      expect(entries.map(({ externalId }) => externalId.replace(`s3:${gateway.host}/prefixed/`, ''))).toEqual([
        'in/a-b.txt',
        'in/a.txt',
        'in/a/b.txt',
        'in/é.txt',
        'in/\uff5e.txt',
        'in/\u{1f600}.txt',
      ]);
      const { address, redirects, verified } = await source.addressOf(
        entries[3] ?? { externalId: '', sourceUrl: '', sourceVersion: '' },
        new AbortController().signal,
      );
      expect([redirects, verified, new URL(address).searchParams.get('X-Amz-Expires')]).toEqual([false, false, '900']);
      expect((await addressReader(client)({ address, redirects, verified })).content).toBe('x');
    });
  });
}

const moto = await startS3TestServer();
if (typeof moto === 'string') {
  skipWithReason('a bucket with keys of all kinds', moto);
} else {
  describe('a bucket with keys of all kinds', () => {
    const sdk = sdkOf(moto);
    afterAll(async () => {
      sdk.destroy();
      await moto.stop();
    });

    it('reads each of them, and no other', async () => {
      const readable = [
        'plus+plus.txt',
        'a b.txt',
        ' lead.txt',
        'a//b.txt',
        'a/b.txt',
        '/slash.txt',
        "q'(!)*~&=?#;:@$,%41.txt",
        'back\\slash.txt',
        '<&>".txt',
        'ctl\u0001\t.txt',
        'ünï/日本 語.txt',
        '\u{1f600}.txt',
        '...txt',
        'a/.../b.txt',
        '%2e%2e/c.txt',
      ];
      const unreadable = ['x/../y.txt', './z.txt', `long/${'l'.repeat(252)}.txt`];
      // Their kind is not indexed, so they are no gaps.
      const passedOver = ['x/.', '..', 'x/../y.png', 'folder with bytes/', 'folder/'];
      await sdk.send(new CreateBucketCommand({ Bucket: 'odd' }));
      for (const Key of [...readable, ...unreadable, ...passedOver, 'y.txt', 'z.txt'])
        await sdk.send(
          new PutObjectCommand({ Bucket: 'odd', Key, Body: Buffer.from(Key === 'folder/' ? '' : `content of ${Key}`) }),
        );
      const source = await open(moto, 'odd');
      const { entries, gaps, next } = await source.list(null, new AbortController().signal);
      const prefix = `s3:${moto.host}/odd/`;
      expect(next).toBeNull();
      expect(entries.map(({ externalId }) => externalId.slice(prefix.length)).sort()).toEqual(
        [...readable, 'y.txt', 'z.txt'].sort(),
      );
      expect(gaps.map((gap) => [gap.prefix.slice(prefix.length), gap.errorCode]).sort()).toEqual(
        unreadable.map((key) => [key, 'validation_error']).sort(),
      );
      for (const entry of entries) {
        const { content, etag } = await addressReader(client)(
          await source.addressOf(entry, new AbortController().signal),
        );
        expect([content, etag]).toEqual([`content of ${entry.externalId.slice(prefix.length)}`, entry.sourceVersion]);
      }
      for (const key of ['x/../y.txt', '..', ''])
        await expect(
          source.addressOf(
            { externalId: prefix + key, sourceUrl: '', sourceVersion: '' },
            new AbortController().signal,
          ),
        ).rejects.toMatchObject({ reason: 'refused' });
    });
  });
}

describe('a bucket without a key', () => {
  it.each([
    ['', 'secret'],
    ['key', ''],
  ])('of %j and %j is not opened', async (accessKeyId, credential) => {
    const config = { endpoint: 'https://s3.example', bucket: 'bucket', region: '', prefix: '', accessKeyId };
    await expect(
      openConnectorSource({ source: { kind: 's3', config }, credential, client, runtime: systemRuntime }),
    ).rejects.toMatchObject({ name: 'SourceError', reason: 'credential' });
  });
});
