import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { Readable } from 'node:stream';
import {
  AccountSASPermissions,
  BlobSASPermissions,
  BlockBlobClient,
  ContainerSASPermissions,
  type BlobServiceClient,
  type ContainerClient,
} from '@azure/storage-blob';
import type { BucketView } from '../../models/bucket.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import { faultOf, startBlobProgram, type BlobProgram } from './support/blob.ts';
import { content } from './support/client.ts';
import { createBucket, putObject } from './support/storage.ts';

let program: BlobProgram;
let service: BlobServiceClient;
let bucket: BucketView;
let container: ContainerClient;

beforeAll(async () => {
  program = await startBlobProgram();
  service = await program.client();
  bucket = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } });
  container = service.getContainerClient(bucket.name);
});
afterAll(() => program.end());

const soon = (): Date => new Date(Date.now() + 3_600_000);
const id = (text: string): string => Buffer.from(text).toString('base64');
const md5 = (bytes: Buffer): Buffer => createHash('md5').update(bytes).digest();
const read = (name: string): Promise<Buffer> => container.getBlobClient(name).downloadToBuffer();
/** The object of a name, as the API shows it. */
async function objectOf(name: string): Promise<ObjectView | undefined> {
  const { items } = await program.admin.get<{ items: ObjectView[] }>(
    200,
    'GET',
    `${content}/buckets/${bucket.id}/objects?prefix=${encodeURIComponent(name)}`,
  );
  return items.find(({ key }) => key === name);
}

describe('Put Blob', () => {
  it('stores bytes, type, headers and metadata, which the API shows', async () => {
    const blob = container.getBlockBlobClient('dir/hello ü.txt');
    const text = Buffer.from('hello');
    const written = await blob.upload(text, text.length, {
      blobHTTPHeaders: {
        blobContentType: 'Text/Plain',
        blobCacheControl: 'max-age=5',
        blobContentDisposition: 'inline',
        blobContentLanguage: 'en',
        blobContentEncoding: 'identity',
      },
      metadata: { Colour: 'blue', a_1: 'x' },
    });
    expect(Buffer.from(written.contentMD5 ?? []).equals(md5(text))).toBe(true);
    expect(await blob.getProperties()).toMatchObject({
      etag: written.etag,
      contentType: 'text/Plain'.toLowerCase(),
      cacheControl: 'max-age=5',
      contentDisposition: 'inline',
      contentLanguage: 'en',
      contentEncoding: 'identity',
      metadata: { colour: 'blue', a_1: 'x' },
    });
    expect(await objectOf('dir/hello ü.txt')).toMatchObject({
      size: 5,
      contentType: 'text/plain',
      etag: `"${md5(text).toString('hex')}"`,
      checksumState: 'not_requested',
      createdVia: 'azure',
      metadata: { colour: 'blue', a_1: 'x' },
    });
    const again = await blob.upload('other', 5);
    expect(again.etag).not.toBe(written.etag);
    const properties = await blob.getProperties();
    expect([properties.contentType, properties.metadata, properties.cacheControl]).toEqual([
      'application/octet-stream',
      {},
      undefined,
    ]);
  });

  it('takes an empty blob, and checks the MD5 of the body', async () => {
    await container.getBlockBlobClient('empty').upload('', 0);
    expect((await read('empty')).length).toBe(0);
    const wrong = container.getBlockBlobClient('wrong');
    const refused = wrong.upload('hello', 5, { blobHTTPHeaders: { blobContentMD5: md5(Buffer.from('x')) } });
    expect(await faultOf(refused)).toEqual({ code: 'Md5Mismatch', status: 400 });
    expect(await wrong.exists()).toBe(false);
  });

  it('honours conditions', async () => {
    const blob = container.getBlockBlobClient('conditional');
    const put = (conditions: object): Promise<unknown> => blob.upload('x', 1, { conditions });
    expect(await faultOf(put({ ifMatch: '"0x8D1"' }))).toEqual({ code: 'ConditionNotMet', status: 412 });
    expect(await faultOf(put({ ifNoneMatch: '*' }))).toEqual({ code: null, status: null });
    expect(await faultOf(put({ ifNoneMatch: '*' }))).toEqual({ code: 'BlobAlreadyExists', status: 409 });
    const { etag } = await blob.getProperties();
    expect(await faultOf(put({ ifMatch: etag }))).toEqual({ code: null, status: null });
    expect(await faultOf(put({ ifMatch: etag }))).toEqual({ code: 'ConditionNotMet', status: 412 });
    const racers = Array.from({ length: 8 }, () =>
      faultOf(container.getBlockBlobClient('race').upload('x', 1, { conditions: { ifNoneMatch: '*' } })),
    );
    const won = (await Promise.all(racers)).filter(({ status }) => status === null);
    expect(won).toHaveLength(1);
  });

  it.each(['a//b', 'a/../b', './a', 'a/', '.plycdn-x', 'a'.repeat(1025), 'back\\slash'])(
    'refuses the name %s',
    async (name) => {
      // The SDK would resolve dots in an address.
      const sas = service.generateAccountSasUrl(soon(), AccountSASPermissions.parse('rwdlc'), 'sco').split('?')[1];
      const { hostname, port } = new URL(program.endpoint);
      const path = `/acme/${bucket.name}/${name.split('/').map(encodeURIComponent).join('/')}?${sas}`;
      const answer = await new Promise<[number | undefined, unknown]>((resolve, reject) => {
        const sent = request(
          { hostname, port, path, method: 'PUT', headers: { 'x-ms-blob-type': 'BlockBlob', 'Content-Length': 1 } },
          (response) => {
            response.resume();
            resolve([response.statusCode, response.headers['x-ms-error-code']]);
          },
        );
        sent.on('error', reject);
        sent.end('x');
      });
      expect(answer).toEqual([400, 'InvalidResourceName']);
    },
  );

  it('keeps the rules of a bucket', async () => {
    const strict = await createBucket(
      program.admin,
      {},
      {
        uploadRules: { maxObjectBytes: 4, allowedTypes: ['text/plain'], allowOverwrite: false },
      },
    );
    const put = (name: string, text: string, blobContentType = 'text/plain'): Promise<unknown> =>
      service
        .getContainerClient(strict.name)
        .getBlockBlobClient(name)
        .upload(text, text.length, { blobHTTPHeaders: { blobContentType } });
    expect(await faultOf(put('a', '12345'))).toEqual({ code: 'RequestBodyTooLarge', status: 413 });
    expect(await faultOf(put('a', '1', 'image/png'))).toEqual({ code: 'InvalidHeaderValue', status: 400 });
    expect(await faultOf(put('a', '1'))).toEqual({ code: null, status: null });
    expect(await faultOf(put('a', '2'))).toEqual({ code: 'BlobAlreadyExists', status: 409 });
  });
});

describe('blocks', () => {
  it('make a blob, in the order of the list', async () => {
    const blob = container.getBlockBlobClient('blocks');
    const pieces = ['one-', 'two-', 'three'];
    for (const [index, piece] of [...pieces.entries()].reverse())
      await blob.stageBlock(id(`b${index}`), piece, piece.length);
    expect(await blob.exists()).toBe(false);
    const waiting = await blob.getBlockList('uncommitted');
    expect(waiting.uncommittedBlocks).toEqual([
      { name: id('b0'), size: 4 },
      { name: id('b1'), size: 4 },
      { name: id('b2'), size: 5 },
    ]);
    const declared = md5(Buffer.from('one-two-three'));
    await blob.commitBlockList([id('b0'), id('b1'), id('b2')], {
      blobHTTPHeaders: { blobContentType: 'text/plain', blobContentMD5: declared },
      metadata: { part: 'yes' },
    });
    expect((await read('blocks')).toString()).toBe('one-two-three');
    const properties = await blob.getProperties();
    expect(properties).toMatchObject({ contentType: 'text/plain', metadata: { part: 'yes' }, contentLength: 13 });
    expect(Buffer.from(properties.contentMD5 ?? []).equals(declared)).toBe(true);
    expect(await objectOf('blocks')).toMatchObject({
      etag: expect.stringMatching(/^"[0-9a-f]{32}-3"$/),
      createdVia: 'azure',
    });
    const list = await blob.getBlockList('all');
    expect(list.committedBlocks).toEqual(waiting.uncommittedBlocks);
    expect(list.uncommittedBlocks ?? []).toEqual([]);
    // A new list may take blocks of the blob itself, and new ones.
    await blob.stageBlock(id('b9'), '!', 1);
    await blob.commitBlockList([id('b2'), id('b9'), id('b0'), id('b9')]);
    expect((await read('blocks')).toString()).toBe('three!one-!');
    expect((await blob.getBlockList('committed')).committedBlocks?.map(({ name }) => name)).toEqual(
      ['b2', 'b9', 'b0', 'b9'].map(id),
    );
    expect(await faultOf(blob.commitBlockList([id('b1')]))).toEqual({ code: 'InvalidBlockList', status: 400 });
  });

  it('are refused with bad ids, lists and bytes', async () => {
    const blob = container.getBlockBlobClient('bad blocks');
    expect((await faultOf(blob.stageBlock('not base64', 'x', 1))).code).toBe('InvalidQueryParameterValue');
    expect((await faultOf(blob.stageBlock(id('x'.repeat(65)), 'x', 1))).code).toBe('InvalidQueryParameterValue');
    await blob.stageBlock(id('aa'), 'x', 1);
    expect((await faultOf(blob.stageBlock(id('b'), 'x', 1))).code).toBe('InvalidBlobOrBlock');
    const wrong = blob.stageBlock(id('bb'), 'x', 1, { transactionalContentMD5: md5(Buffer.from('y')) });
    expect((await faultOf(wrong)).code).toBe('Md5Mismatch');
    expect((await faultOf(blob.commitBlockList([id('bb')]))).code).toBe('InvalidBlockList');
    expect(await faultOf(container.getBlockBlobClient('nowhere').getBlockList('all'))).toEqual({
      code: 'BlobNotFound',
      status: 404,
    });
  });

  it('are replaced by a later one of the same id, and dropped by Put Blob', async () => {
    const blob = container.getBlockBlobClient('replaced');
    await blob.stageBlock(id('a'), 'old', 3);
    await blob.stageBlock(id('a'), 'newer', 5);
    expect((await blob.getBlockList('uncommitted')).uncommittedBlocks).toEqual([{ name: id('a'), size: 5 }]);
    await blob.upload('whole', 5);
    expect((await blob.getBlockList('uncommitted')).uncommittedBlocks ?? []).toEqual([]);
    expect((await faultOf(blob.commitBlockList([id('a')]))).code).toBe('InvalidBlockList');
    await blob.commitBlockList([]);
    expect((await read('replaced')).length).toBe(0);
  });

  it('are committed by each of several clients as it asks, or not at all', async () => {
    const blob = container.getBlockBlobClient('contended');
    for (let round = 0; round < 5; round += 1) {
      const lists = ['a', 'b', 'c', 'd'];
      for (const name of lists) await blob.stageBlock(id(name), name, 1);
      const commits = await Promise.allSettled(lists.map((name) => blob.commitBlockList([id(name)])));
      const etags = commits.flatMap((each) => (each.status === 'fulfilled' ? [each.value.etag] : []));
      expect(etags.length).toBeGreaterThan(0);
      expect(new Set(etags).size).toBe(etags.length);
      const { etag } = await blob.getProperties();
      const winner = commits.findIndex((each) => each.status === 'fulfilled' && each.value.etag === etag);
      expect((await read('contended')).toString()).toBe(lists[winner]);
    }
  });

  it('of a stream of many MiB are whole', async () => {
    const bytes = randomBytes(11 * 2 ** 20 + 3);
    const blob = container.getBlockBlobClient('streamed');
    await blob.uploadStream(Readable.from([bytes]), 2 ** 20, 4);
    expect((await read('streamed')).equals(bytes)).toBe(true);
    const file = container.getBlockBlobClient('in parallel');
    await file.uploadData(bytes, { blockSize: 2 ** 20, concurrency: 5, maxSingleShotSize: 1 });
    expect((await read('in parallel')).equals(bytes)).toBe(true);
    expect((await file.download(2 ** 20 - 2, 5)).contentLength).toBe(5);
  });
});

describe('properties and deletion', () => {
  it('are replaced as a whole', async () => {
    const blob = container.getBlockBlobClient('properties');
    const { etag } = await blob.upload('x', 1, { metadata: { one: '1' } });
    const set = await blob.setMetadata({ two: '2' });
    expect(set.etag).not.toBe(etag);
    expect((await blob.getProperties()).metadata).toEqual({ two: '2' });
    await blob.setHTTPHeaders({ blobContentType: 'image/png', blobCacheControl: 'no-store' });
    expect(await blob.getProperties()).toMatchObject({
      contentType: 'image/png',
      cacheControl: 'no-store',
      metadata: { two: '2' },
    });
    const stale = blob.setMetadata({}, { conditions: { ifMatch: etag ?? '' } });
    expect(await faultOf(stale)).toEqual({ code: 'ConditionNotMet', status: 412 });
    expect(await faultOf(container.getBlobClient('nowhere').setMetadata({ a: 'b' }))).toEqual({
      code: 'BlobNotFound',
      status: 404,
    });
    const large = blob.setMetadata({ a: 'x'.repeat(8200) });
    expect(await faultOf(large)).toEqual({ code: 'MetadataTooLarge', status: 400 });
  });

  it('deletes a blob once, with a row in the audit log', async () => {
    const blob = container.getBlockBlobClient('deleted');
    await blob.upload('x', 1);
    expect((await blob.delete())._response.status).toBe(202);
    expect(await faultOf(blob.delete())).toEqual({ code: 'BlobNotFound', status: 404 });
    const { items } = await program.admin.get<{ items: { action: string; actor: string }[] }>(
      200,
      'GET',
      `${content}/audit?limit=1`,
    );
    expect(items[0]).toMatchObject({ action: 'object.deleted', actor: expect.stringMatching(/^user:[0-9a-f-]+$/) });
  });
});

describe('a batch', () => {
  it('deletes blobs, and answers each request by itself', async () => {
    const names = ['batch/1', 'batch/2 ü'];
    for (const name of names) await container.getBlockBlobClient(name).upload('x', 1);
    const blobs = [...names, 'batch/nowhere'].map((name) => container.getBlobClient(name));
    const { subResponses, subResponsesFailedCount } = await service.getBlobBatchClient().deleteBlobs(blobs);
    expect(subResponses.map(({ status, errorCode }) => [status, errorCode])).toEqual([
      [202, undefined],
      [202, undefined],
      [404, 'BlobNotFound'],
    ]);
    expect(subResponsesFailedCount).toBe(1);
    await container.getBlockBlobClient('batch/3').upload('x', 1);
    const ofContainer = container.getBlobBatchClient();
    expect((await ofContainer.deleteBlobs([container.getBlobClient('batch/3')])).subResponsesFailedCount).toBe(0);
    const elsewhere = service.getContainerClient((await createBucket(program.admin)).name).getBlobClient('x');
    const [refused] = (await ofContainer.deleteBlobs([elsewhere])).subResponses;
    expect([refused?.status, refused?.errorCode]).toEqual([403, 'AuthorizationFailure']);
  });
});

describe('copies', () => {
  it('have bytes, type, headers and metadata of their source', async () => {
    const source = container.getBlockBlobClient('source of copies');
    await source.upload('copied', 6, {
      blobHTTPHeaders: { blobContentType: 'text/css', blobCacheControl: 'no-store' },
      metadata: { from: 'source' },
    });
    const copy = container.getBlobClient('copy');
    const poller = await copy.beginCopyFromURL(source.url);
    expect((await poller.pollUntilDone()).copyStatus).toBe('success');
    expect((await read('copy')).toString()).toBe('copied');
    expect(await copy.getProperties()).toMatchObject({
      contentType: 'text/css',
      cacheControl: 'no-store',
      metadata: { from: 'source' },
    });
    const sas = await source.generateSasUrl({ expiresOn: soon(), permissions: BlobSASPermissions.parse('r') });
    await container.getBlobClient('sync copy').syncCopyFromURL(sas, { metadata: { own: 'yes' } });
    expect((await container.getBlobClient('sync copy').getProperties()).metadata).toEqual({ own: 'yes' });
    const put = container.getBlockBlobClient('put from url');
    await put.syncUploadFromURL(sas, { blobHTTPHeaders: { blobContentType: 'text/plain' } });
    expect(await put.getProperties()).toMatchObject({ contentType: 'text/plain', contentLength: 6 });
    const blocks = container.getBlockBlobClient('blocks from url');
    await blocks.stageBlockFromURL(id('1'), sas, 0, 3);
    await blocks.stageBlockFromURL(id('2'), sas, 3);
    await blocks.commitBlockList([id('2'), id('1')]);
    expect((await read('blocks from url')).toString()).toBe('iedcop');
  });

  it('need to read their source', async () => {
    const secret = await createBucket(program.admin);
    await putObject(program.admin, secret.id, 'secret', Buffer.from('secret'));
    const narrow = await program.client({ permissions: ['read', 'write'], bucketIds: [bucket.id] });
    const target = narrow.getContainerClient(bucket.name).getBlobClient('stolen');
    const from = `${program.endpoint}/${secret.name}/secret`;
    expect(await faultOf(target.syncCopyFromURL(from))).toEqual({
      code: 'AuthorizationPermissionMismatch',
      status: 403,
    });
    const bearer = await target.generateSasUrl({ expiresOn: soon(), permissions: BlobSASPermissions.parse('cw') });
    const own = `${program.endpoint}/${bucket.name}/source of copies`;
    expect(await faultOf(new BlockBlobClient(bearer).syncCopyFromURL(encodeURI(own)))).toMatchObject({
      code: 'CannotVerifyCopySource',
    });
    const absent = `${program.endpoint}/${bucket.name}/nowhere`;
    expect((await faultOf(target.syncCopyFromURL(absent))).code).toBe('BlobNotFound');
  });

  it('come from other servers', async () => {
    const server = createServer((asked, response) => {
      const body = 'from elsewhere';
      const [, from = '0'] = /^bytes=(\d+)-$/.exec(asked.headers.range ?? '') ?? [];
      const part = body.slice(Number(from));
      const status = asked.url !== '/file' ? 404 : asked.headers.range === undefined ? 200 : 206;
      response.writeHead(status, { 'Content-Length': part.length, 'Content-Type': 'text/plain; charset=utf-8' });
      response.end(part);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/file`;
    try {
      await container.getBlobClient('fetched').syncCopyFromURL(url);
      expect((await read('fetched')).toString()).toBe('from elsewhere');
      const block = container.getBlockBlobClient('fetched block');
      await block.stageBlockFromURL(id('a'), url, 5);
      await block.commitBlockList([id('a')]);
      expect((await read('fetched block')).toString()).toBe('elsewhere');
      const missing = container.getBlobClient('fetched').syncCopyFromURL(`${url}x`);
      expect(await faultOf(missing)).toMatchObject({ code: 'CannotVerifyCopySource' });
    } finally {
      server.close();
    }
  });
});

describe('containers', () => {
  it('are made and deleted by a key that may', async () => {
    const fresh = service.getContainerClient(`made-${randomBytes(6).toString('hex')}`);
    expect((await fresh.create())._response.status).toBe(201);
    expect(await faultOf(fresh.create())).toEqual({ code: 'ContainerAlreadyExists', status: 409 });
    await fresh.getBlockBlobClient('first').upload('x', 1);
    expect((await fresh.delete())._response.status).toBe(202);
    expect(await fresh.exists()).toBe(false);
    expect(await faultOf(fresh.create())).toEqual({ code: 'ContainerBeingDeleted', status: 409 });
    for (const bad of ['no_name', 'two--hyphens'])
      expect(await faultOf(service.getContainerClient(bad).create())).toEqual({
        code: 'InvalidResourceName',
        status: 400,
      });
    for (const short of ['a', 'ab'])
      expect(await faultOf(service.getContainerClient(short).create())).toEqual({
        code: 'OutOfRangeInput',
        status: 400,
      });
    const reader = await program.client({ permissions: ['read', 'write', 'delete'] });
    expect(await faultOf(reader.getContainerClient('another-one').create())).toMatchObject({
      code: 'AuthorizationPermissionMismatch',
    });
    expect(await faultOf(reader.getContainerClient(bucket.name).create())).toMatchObject({
      code: 'ContainerAlreadyExists',
    });
    expect(await faultOf(reader.getContainerClient(bucket.name).delete())).toMatchObject({
      code: 'AuthorizationPermissionMismatch',
    });
  });
});

describe('signatures of writes', () => {
  it('write what they permit: a creator does not overwrite', async () => {
    const client = (await program.client()).getContainerClient(bucket.name);
    const make = async (letters: string): Promise<BlockBlobClient> =>
      new BlockBlobClient(
        await client
          .getBlobClient('by signature')
          .generateSasUrl({ expiresOn: soon(), permissions: BlobSASPermissions.parse(letters) }),
      );
    expect(await faultOf((await make('r')).upload('x', 1))).toMatchObject({ code: 'AuthorizationPermissionMismatch' });
    await (await make('c')).upload('one', 3);
    expect(await faultOf((await make('c')).upload('two', 3))).toMatchObject({
      code: 'AuthorizationPermissionMismatch',
    });
    await (await make('w')).upload('two', 3);
    expect(await faultOf((await make('w')).delete())).toMatchObject({ code: 'AuthorizationPermissionMismatch' });
    const inContainer = await client.generateSasUrl({
      expiresOn: soon(),
      permissions: ContainerSASPermissions.parse('d'),
    });
    const deleter = new URL(inContainer);
    deleter.pathname += '/by signature';
    expect((await new BlockBlobClient(deleter.href).delete())._response.status).toBe(202);
  });
});
