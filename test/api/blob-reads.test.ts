import { createHash, randomUUID } from 'node:crypto';
import {
  AccountSASPermissions,
  BlobSASPermissions,
  BlobServiceClient,
  ContainerClient,
  ContainerSASPermissions,
  type StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { BucketView } from '../../models/bucket.ts';
import { Crc64Nvme } from '../../mixins/storage/crc.ts';
import { faultOf, startBlobProgram, type BlobProgram } from './support/blob.ts';
import { content } from './support/client.ts';
import { createBucket, putObject } from './support/storage.ts';

let program: BlobProgram;
let key: StorageSharedKeyCredential;
let service: BlobServiceClient;
let bucket: BucketView;
let container: ContainerClient;
const text = Buffer.from('the five boxing wizards jump quickly');

beforeAll(async () => {
  program = await startBlobProgram();
  key = await program.newKey();
  service = new BlobServiceClient(program.endpoint, key, { retryOptions: { maxTries: 1 } });
  bucket = await createBucket(program.admin);
  container = service.getContainerClient(bucket.name);
  for (const name of ['a/1.txt', 'a/2.txt', 'a b/ü.txt', 'z', 'b/c/d', '\u{10000}', '\uffee'])
    await putObject(program.admin, bucket.id, name, text, { contentType: 'text/plain' });
});
afterAll(() => program.end());

const soon = (): Date => new Date(Date.now() + 3_600_000);
/** A request of our own. */
const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${program.endpoint}${path}`, init);
const codeOf = (response: Response): [number, string | null] => [
  response.status,
  response.headers.get('x-ms-error-code'),
];

describe('reads of Blob clients', () => {
  it('list containers, page by page', async () => {
    const second = await createBucket(program.admin);
    const names: string[] = [];
    for await (const page of service.listContainers().byPage({ maxPageSize: 1 })) {
      expect(page.containerItems.length).toBeLessThanOrEqual(1);
      names.push(...page.containerItems.map(({ name }) => name));
    }
    expect(names).toEqual([bucket.name, second.name].sort());
    const found: string[] = [];
    for await (const { name } of service.listContainers({ prefix: bucket.name.slice(0, 12) })) found.push(name);
    expect(found).toContain(bucket.name);
  });

  it('list blobs flat, in byte order, and page by page', async () => {
    const names: string[] = [];
    for await (const page of container.listBlobsFlat().byPage({ maxPageSize: 2 }))
      names.push(...page.segment.blobItems.map(({ name }) => name));
    expect(names).toEqual(['a b/ü.txt', 'a/1.txt', 'a/2.txt', 'b/c/d', 'z', '\uffee', '\u{10000}']);
  });

  it('list blobs by hierarchy, a prefix at a time', async () => {
    const listed: string[] = [];
    for await (const page of container.listBlobsByHierarchy('/').byPage({ maxPageSize: 1 }))
      listed.push(
        ...(page.segment.blobPrefixes ?? []).map(({ name }) => `${name}*`),
        ...page.segment.blobItems.map(({ name }) => name),
      );
    expect(listed).toEqual(['a b/*', 'a/*', 'b/*', 'z', '\uffee', '\u{10000}']);
    const inner: string[] = [];
    for await (const item of container.listBlobsByHierarchy('/', { prefix: 'a/' })) inner.push(item.name);
    expect(inner).toEqual(['a/1.txt', 'a/2.txt']);
  });

  it('show properties and metadata of a blob', async () => {
    const { id } = await putObject(program.admin, bucket.id, 'with metadata', text);
    await program.admin.get(200, 'PATCH', `${content}/objects/${id}`, {
      body: { metadata: { colour: 'blue', count: 3, umlaut: 'ü', 'no token': 'x' } },
    });
    const blob = container.getBlobClient('with metadata');
    const properties = await blob.getProperties();
    expect(properties).toMatchObject({
      contentLength: text.length,
      contentType: 'application/octet-stream',
      blobType: 'BlockBlob',
      leaseState: 'available',
      metadata: { colour: 'blue' },
    });
    expect(Buffer.from(properties.contentMD5 ?? []).toString('hex')).toBe(createHash('md5').update(text).digest('hex'));
    expect(properties.etag).toMatch(/^"0x[0-9A-F]+"$/);
    const items = [];
    for await (const item of container.listBlobsFlat({ prefix: 'with', includeMetadata: true })) items.push(item);
    expect(items).toMatchObject([{ name: 'with metadata', metadata: { colour: 'blue' } }]);
    await program.admin.get(200, 'PATCH', `${content}/objects/${id}`, { body: { metadata: {} } });
    const changed = await blob.getProperties();
    expect(changed.etag).not.toBe(properties.etag);
    expect(changed.metadata).toEqual({});
  });

  it('read a blob and its parts', async () => {
    const blob = container.getBlobClient('a b/ü.txt');
    expect((await blob.downloadToBuffer()).equals(text)).toBe(true);
    const part = await blob.download(4, 5, { rangeGetContentMD5: true });
    const bytes = Buffer.concat(await Array.fromAsync(part.readableStreamBody as AsyncIterable<Buffer>));
    expect(bytes.toString()).toBe('five ');
    expect(part).toMatchObject({ contentRange: `bytes 4-8/${text.length}`, contentLength: 5 });
    expect(Buffer.from(part.contentMD5 ?? []).equals(createHash('md5').update('five ').digest())).toBe(true);
    const crc64 = new Crc64Nvme();
    crc64.update(Buffer.from('five '));
    const { contentCrc64 } = await blob.download(4, 5, { rangeGetContentCrc64: true });
    expect(Buffer.from(contentCrc64 ?? []).equals(crc64.digest().reverse())).toBe(true);
    expect(await faultOf(blob.download(1000))).toEqual({ code: 'InvalidRange', status: 416 });
    expect(await faultOf(container.getBlobClient('nowhere').download())).toEqual({ code: 'BlobNotFound', status: 404 });
    expect(await container.getBlobClient('nowhere').exists()).toBe(false);
  });

  it('read a blob of several parts and of many pieces', async () => {
    const large = Buffer.alloc(9 * 2 ** 20, 'abcdefghij');
    await putObject(program.admin, bucket.id, 'large', large);
    const blob = container.getBlobClient('large');
    expect((await blob.downloadToBuffer()).equals(large)).toBe(true);
    expect((await blob.getProperties()).contentMD5).toBeUndefined();
  });

  it('honour conditions', async () => {
    const blob = container.getBlobClient('z');
    const { etag, lastModified } = await blob.getProperties();
    const read = (conditions: object): Promise<unknown> => blob.download(0, undefined, { conditions });
    expect(await faultOf(read({ ifMatch: etag }))).toEqual({ code: null, status: null });
    expect(await faultOf(read({ ifMatch: '"0x8D1"' }))).toEqual({ code: 'ConditionNotMet', status: 412 });
    expect((await faultOf(read({ ifNoneMatch: etag }))).status).toBe(304);
    expect((await faultOf(read({ ifModifiedSince: lastModified }))).status).toBe(304);
    expect((await faultOf(read({ ifUnmodifiedSince: new Date(0) }))).status).toBe(412);
  });

  it('read what a signature permits, and nothing else', async () => {
    const blob = container.getBlobClient('z');
    const url = await blob.generateSasUrl({
      expiresOn: soon(),
      permissions: BlobSASPermissions.parse('r'),
      contentType: 'text/x',
    });
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/x',
      text.toString(),
    ]);
    expect(codeOf(await fetch(url.replace('/z?', '/a/1.txt?')))).toEqual([403, 'AuthenticationFailed']);
    const writing = await blob.generateSasUrl({ expiresOn: soon(), permissions: BlobSASPermissions.parse('w') });
    expect(codeOf(await fetch(writing))).toEqual([403, 'AuthorizationPermissionMismatch']);
    const listing = await container.generateSasUrl({
      expiresOn: soon(),
      permissions: ContainerSASPermissions.parse('l'),
    });
    const names: string[] = [];
    for await (const { name } of new ContainerClient(listing).listBlobsFlat({ prefix: 'a/' })) names.push(name);
    expect(names).toEqual(['a/1.txt', 'a/2.txt']);
    expect(await faultOf(new ContainerClient(listing).getBlobClient('z').download())).toMatchObject({ status: 403 });
    const account = service.generateAccountSasUrl(soon(), AccountSASPermissions.parse('rl'), 'co');
    const bearer = new BlobServiceClient(account).getContainerClient(bucket.name);
    expect((await bearer.getBlobClient('z').downloadToBuffer()).equals(text)).toBe(true);
    expect(await faultOf(new BlobServiceClient(account).listContainers().next())).toEqual({
      code: 'AuthorizationResourceTypeMismatch',
      status: 403,
    });
  });

  it('answer account information and settings', async () => {
    expect(await service.getAccountInfo()).toMatchObject({ skuName: 'Standard_LRS', accountKind: 'StorageV2' });
    expect((await service.getProperties()).cors ?? []).toEqual([]);
    expect(await container.getProperties()).toMatchObject({ leaseState: 'available' });
    expect((await container.getAccessPolicy()).signedIdentifiers).toEqual([]);
    expect(await container.exists()).toBe(true);
  });
});

describe('the door of Blob clients', () => {
  it('refuses what has no signature, or a wrong one', async () => {
    expect(codeOf(await ask(`/${bucket.name}/z`))).toEqual([401, 'NoAuthenticationInformation']);
    const response = await ask(`/${bucket.name}?restype=container&comp=list`);
    expect(await response.text()).toMatch(/^<\?xml[^>]*\?><Error><Code>NoAuthenticationInformation<\/Code><Message>/);
    const wrong = new BlobServiceClient(
      program.endpoint,
      Object.assign(Object.create(Object.getPrototypeOf(key)), key, { accountKey: Buffer.alloc(64) }),
      { retryOptions: { maxTries: 1 } },
    );
    expect(await faultOf(wrong.listContainers().next())).toEqual({ code: 'AuthenticationFailed', status: 403 });
    const elsewhere = await fetch(`${program.endpoint.replace('acme', 'nobody')}/x/y`, {
      headers: { Authorization: 'SharedKey nobody:AAAA', 'x-ms-date': new Date().toUTCString() },
    });
    expect(codeOf(elsewhere)).toEqual([403, 'AuthenticationFailed']);
  });

  it('echoes versions and ids of requests', async () => {
    for (const version of ['2015-02-21', '2026-04-06', '2031-01-01']) {
      const response = await ask('/x/y', { headers: { 'x-ms-version': version, 'x-ms-client-request-id': 'mine' } });
      expect(response.headers.get('x-ms-version')).toBe(version);
      expect(response.headers.get('x-ms-client-request-id')).toBe('mine');
      expect(response.headers.get('x-ms-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect(codeOf(await ask('/x/y', { headers: { 'x-ms-version': '2009-09-19' } }))).toEqual([
      400,
      'InvalidHeaderValue',
    ]);
  });

  it('shows a key only what it reaches', async () => {
    const other = await createBucket(program.admin);
    const narrow = await program.client({ permissions: ['read'], bucketIds: [other.id] });
    const names: string[] = [];
    for await (const { name } of narrow.listContainers()) names.push(name);
    expect(names).toEqual([other.name]);
    const refused = narrow.getContainerClient(bucket.name);
    expect(await faultOf(refused.getBlobClient('z').download())).toEqual({
      code: 'AuthorizationPermissionMismatch',
      status: 403,
    });
    const branch = program.admin.as((await program.admin.createOrganization('Branch')).id);
    const foreign = await createBucket(branch);
    for (const name of [foreign.name, `b-${randomUUID()}`])
      expect(await faultOf(narrow.getContainerClient(name).getBlobClient('z').download())).toEqual({
        code: 'ContainerNotFound',
        status: 404,
      });
    const writer = await program.client({ permissions: ['write'] });
    expect(await faultOf(writer.getContainerClient(bucket.name).getBlobClient('z').download())).toMatchObject({
      code: 'AuthorizationPermissionMismatch',
    });
  });

  it('forgets a revoked key at once', async () => {
    const client = await program.client();
    expect(await client.getContainerClient(bucket.name).exists()).toBe(true);
    const { items } = await program.session.get<{ items: { id: string; state: string }[] }>(
      200,
      'GET',
      `${content}/storage-credentials`,
    );
    for (const { id, state } of items)
      if (state === 'active') await program.session.get(200, 'DELETE', `${content}/storage-credentials/${id}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await faultOf(client.getContainerClient(bucket.name).exists())).toEqual({
      code: 'AuthenticationFailed',
      status: 403,
    });
  });

  it('lets pages of allowed origins read, and no others', async () => {
    const open = await createBucket(program.admin, {}, { cors: { allowedOrigins: ['https://app.example.com'] } });
    const preflight = (origin: string, name = open.name): Promise<Response> =>
      ask(`/${name}/x`, {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'PUT',
          'Access-Control-Request-Headers': 'x-ms-blob-type,content-type',
        },
      });
    const allowed = await preflight('https://app.example.com');
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://app.example.com',
    ]);
    expect(allowed.headers.get('access-control-allow-methods')).toBe('GET,HEAD,PUT,POST,DELETE');
    expect(allowed.headers.get('access-control-allow-headers')).toBe('x-ms-blob-type,content-type');
    expect(codeOf(await preflight('https://evil.example.com'))).toEqual([403, 'CorsPreflightFailure']);
    expect(codeOf(await preflight('https://app.example.com', 'nowhere'))).toEqual([403, 'CorsPreflightFailure']);
    const refused = await ask(`/${open.name}/x`, { headers: { Origin: 'https://app.example.com' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(refused.headers.get('access-control-expose-headers')).toContain('x-ms-error-code');
  });
});
