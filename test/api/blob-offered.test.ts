import { createHash } from 'node:crypto';
import { AccountSASPermissions, ContainerSASPermissions, type BlobServiceClient } from '@azure/storage-blob';
import type { AuditLogView } from '../../models/audit-log.ts';
import { Crc64Nvme } from '../../mixins/storage/crc.ts';
import { faultOf, startBlobProgram, type BlobProgram } from './support/blob.ts';
import { content } from './support/client.ts';

let program: BlobProgram;
let client: BlobServiceClient;
/** Parameters of a signature that permits everything. */
let signature: string;
const name = 'offered-blobs';
const soon = (): Date => new Date(Date.now() + 3_600_000);
beforeAll(async () => {
  program = await startBlobProgram();
  client = await program.client();
  const url = client.generateAccountSasUrl(soon(), AccountSASPermissions.parse('rwdlacupt'), 'sco');
  signature = url.split('?')[1] ?? '';
  await client.getContainerClient(name).create();
  await client.getContainerClient(name).getBlockBlobClient('z').upload('text', 4);
});
afterAll(() => program.end());

const container = () => client.getContainerClient(name);
/** A request with the signature, to a path that may have parameters. */
const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${program.endpoint}${path}${path.includes('?') ? '&' : '?'}${signature}`, init);
const codeOf = ({ status, headers }: Response): [number, string | null] => [status, headers.get('x-ms-error-code')];

describe('what is not offered', () => {
  const headers = { 'x-ms-blob-type': 'BlockBlob' };
  it.each<[method: string, path: string, what: string, headers?: { [name: string]: string }]>([
    ['PUT', `/${name}/z?comp=lease`, 'Leases', { 'x-ms-lease-action': 'acquire' }],
    ['GET', `/${name}/z?comp=lease`, 'Leases'],
    ['PUT', `/${name}?restype=container&comp=lease`, 'Leases'],
    ['PUT', `/${name}/z`, 'Leases', { ...headers, 'x-ms-lease-id': 'a' }],
    ['PUT', `/${name}/z?comp=snapshot`, 'Snapshots'],
    ['GET', `/${name}/z?snapshot=2030-01-01T00:00:00.0000000Z`, 'Snapshots'],
    ['GET', `/${name}/z?versionid=2030-01-01T00:00:00.0000000Z`, 'Versions'],
    ['GET', `/${name}/z?comp=tags`, 'Tags'],
    ['PUT', `/${name}/z?comp=tags`, 'Tags'],
    ['GET', `?comp=blobs&where=a%3D'b'`, 'Tags'],
    ['GET', `/${name}?restype=container&comp=blobs&where=a%3D'b'`, 'Tags'],
    ['PUT', `/${name}/z`, 'Tags', { ...headers, 'x-ms-tags': 'a=b' }],
    ['GET', `/${name}/z`, 'Tags', { 'x-ms-if-tags': `"a"='b'` }],
    ['PUT', `/${name}/z?comp=tier`, 'Access tiers', { 'x-ms-access-tier': 'Cool' }],
    ['PUT', `/${name}/z`, 'Access tiers', { ...headers, 'x-ms-access-tier': 'Cool' }],
    ['PUT', `/${name}/z`, 'Append blobs', { 'x-ms-blob-type': 'AppendBlob' }],
    ['PUT', `/${name}/z?comp=appendblock`, 'Append blobs'],
    ['PUT', `/${name}/z?comp=seal`, 'Append blobs'],
    ['PUT', `/${name}/z`, 'Page blobs', { 'x-ms-blob-type': 'PageBlob', 'x-ms-blob-content-length': '512' }],
    ['PUT', `/${name}/z?comp=page`, 'Page blobs'],
    ['GET', `/${name}/z?comp=pagelist`, 'Page blobs'],
    ['PUT', `/${name}/z?comp=undelete`, 'Deleted blobs and containers'],
    ['PUT', `/${name}/z?comp=immutabilityPolicies`, 'Immutability policies'],
    ['PUT', `/${name}/z?comp=legalhold`, 'Legal holds'],
    ['PUT', `/${name}/z?comp=expiry`, 'Expiry times of blobs'],
    ['POST', `/${name}/z?comp=query`, 'Queries of the content of blobs'],
    ['PUT', `/${name}/z`, 'Encryption keys of clients', { ...headers, 'x-ms-encryption-key': 'a' }],
    ['PUT', `/${name}/z`, 'Encryption scopes', { ...headers, 'x-ms-encryption-scope': 'a' }],
    ['PUT', `/${name}/z`, 'Immutability policies', { ...headers, 'x-ms-immutability-policy-mode': 'Locked' }],
    ['PUT', `/${name}/z`, 'Expiry times of blobs', { ...headers, 'x-ms-expiry-option': 'NeverExpire' }],
    ['PUT', `/${name}/z`, 'Structured bodies', { ...headers, 'x-ms-structured-body': 'XSM/1.0; properties=crc64' }],
    ['GET', `/${name}/z`, 'Structured bodies', { 'x-ms-structured-body': 'XSM/1.0; properties=crc64' }],
    ['DELETE', `/${name}/z?deletetype=permanent`, 'Permanent deletions'],
    ['PUT', `/public-blobs?restype=container`, 'Public containers', { 'x-ms-blob-public-access': 'blob' }],
    ['PUT', `/${name}?restype=container&comp=acl`, 'Public containers', { 'x-ms-blob-public-access': 'container' }],
    ['PUT', `?restype=service&comp=properties`, 'Settings of the service'],
    ['GET', `?restype=service&comp=stats`, 'Statistics of replication'],
    ['POST', `?restype=service&comp=userdelegationkey`, 'User delegation keys'],
  ])('%s %s: %s', async (method, path, what, more = {}) => {
    const response = await ask(path, { method, headers: { 'x-ms-version': '2015-02-21', ...more } });
    expect(codeOf(response)).toEqual([501, 'NotImplemented']);
    expect(response.headers.get('x-ms-version')).toBe('2015-02-21');
    expect(await response.text()).toMatch(
      new RegExp(
        `^<\\?xml version="1.0" encoding="utf-8"\\?><Error><Code>NotImplemented</Code><Message>${what} are not offered.\n`,
      ),
    );
  });

  it('changes nothing', async () => {
    const { lastModified, contentLength } = await container().getBlobClient('z').getProperties();
    expect([contentLength, lastModified instanceof Date]).toEqual([4, true]);
    expect((await container().getBlobClient('z').downloadToBuffer()).toString()).toBe('text');
    const names: string[] = [];
    for await (const each of client.listContainers()) names.push(each.name);
    expect(names).not.toContain('public-blobs');
  });

  it.each([
    ['GET', `/${name}/z?comp=nothing`, 400, 'InvalidQueryParameterValue'],
    ['GET', `/${name}?restype=nothing`, 400, 'InvalidQueryParameterValue'],
    ['DELETE', `/${name}/z?comp=block`, 405, 'UnsupportedHttpVerb'],
    ['HEAD', `/${name}/?action=getAccessControl`, 400, 'HierarchicalNamespaceNotEnabled'],
    ['GET', `/${name}?resource=filesystem&recursive=true`, 400, 'HierarchicalNamespaceNotEnabled'],
    ['PATCH', `/${name}/z?action=append&position=0`, 400, 'HierarchicalNamespaceNotEnabled'],
    ['POST', `/${name}/z`, 405, 'UnsupportedHttpVerb'],
  ])('is not what the protocol does not have: %s %s', async (method, path, status, code) => {
    expect(codeOf(await ask(path, { method }))).toEqual([status, code]);
  });

  it('is no copy that can be aborted: each is complete with its answer', async () => {
    const abort = (blob: string) =>
      ask(`/${name}/${blob}?comp=copy&copyid=1`, { method: 'PUT', headers: { 'x-ms-copy-action': 'abort' } });
    expect(codeOf(await abort('z'))).toEqual([409, 'NoPendingCopyOperation']);
    expect(codeOf(await abort('none'))).toEqual([404, 'BlobNotFound']);
  });
});

describe('a container', () => {
  it('has metadata, which listings show', async () => {
    const made = client.getContainerClient('with-metadata');
    const created = await made.create({ metadata: { colour: 'blue' } });
    const first = await made.getProperties();
    expect([first.metadata, first.etag]).toEqual([{ colour: 'blue' }, created.etag]);
    const changed = await made.setMetadata({ size: '5', colour: 'red' });
    const second = await made.getProperties();
    expect(second.metadata).toEqual({ size: '5', colour: 'red' });
    expect([second.etag, second.etag === first.etag]).toEqual([changed.etag, false]);
    const listed: unknown[] = [];
    for await (const { name: each, metadata } of client.listContainers({ includeMetadata: true, prefix: 'with-' }))
      listed.push([each, metadata]);
    expect(listed).toEqual([['with-metadata', { size: '5', colour: 'red' }]]);
    const ifModifiedSince = new Date(Date.now() + 86_400_000);
    expect(await faultOf(made.setMetadata({}, { conditions: { ifModifiedSince } }))).toMatchObject({
      code: 'ConditionNotMet',
      status: 412,
    });
    await made.setMetadata({}, { conditions: { ifModifiedSince: new Date(0) } });
    expect((await made.getProperties()).metadata).toEqual({});
    const { items } = await program.admin.get<AuditLogView>(200, 'GET', `${content}/audit`);
    expect(items[0]).toMatchObject({ action: 'bucket.updated', detail: { fields: ['containerMetadata'] } });
  });

  it('is refused with bad metadata before anything else', async () => {
    const headers = { 'x-ms-meta-1a': 'x', 'x-ms-blob-public-access': 'container' };
    expect(codeOf(await ask('/bad-metadata?restype=container', { method: 'PUT', headers }))).toEqual([
      400,
      'InvalidMetadata',
    ]);
  });

  it('stays private and without stored access policies', async () => {
    await container().setAccessPolicy();
    const { blobPublicAccess, signedIdentifiers } = await container().getAccessPolicy();
    expect([blobPublicAccess, signedIdentifiers]).toEqual([undefined, []]);
    const accessPolicy = { expiresOn: soon(), permissions: 'r' };
    expect(await faultOf(container().setAccessPolicy(undefined, [{ id: 'one', accessPolicy }]))).toEqual({
      code: 'NotImplemented',
      status: 501,
    });
  });

  it('is listed from markers that are names', async () => {
    const odd = client.getContainerClient('odd-names');
    await odd.create();
    const names = ['a b ', 'a%2Fb', 'a/b', 'ü'];
    for (const each of names) await odd.getBlockBlobClient(each).upload('', 0);
    const pages: string[][] = [];
    const markers: unknown[] = [];
    for await (const { segment, continuationToken } of odd.listBlobsFlat().byPage({ maxPageSize: 1 })) {
      pages.push(segment.blobItems.map((each) => each.name));
      markers.push(continuationToken);
    }
    expect(pages).toEqual(names.map((each) => [each]));
    expect(markers).toEqual(['a%20b%20', 'a%252Fb', 'a/b', '']);
    expect(codeOf(await ask('/odd-names?restype=container&comp=list&marker=%25'))).toEqual([
      400,
      'InvalidQueryParameterValue',
    ]);
  });
});

describe('a block', () => {
  it('without a checksum is answered with its CRC64, in old versions with its MD5', async () => {
    const put = (more: { [name: string]: string }) =>
      ask(`/${name}/block?comp=block&blockid=YQ%3D%3D`, { method: 'PUT', body: 'text', headers: more });
    const running = new Crc64Nvme();
    running.update(Buffer.from('text'));
    const crc64 = running.digest().reverse().toString('base64');
    const recent = await put({ 'x-ms-version': '2019-02-02' });
    expect([recent.headers.get('x-ms-content-crc64'), recent.headers.get('content-md5')]).toEqual([crc64, null]);
    const md5 = createHash('md5').update('text').digest('base64');
    for (const more of [{ 'x-ms-version': '2018-11-09' }, { 'x-ms-version': '2026-02-06', 'content-md5': md5 }]) {
      const response = await put(more);
      expect(response.status).toBe(201);
      expect([response.headers.get('content-md5'), response.headers.get('x-ms-content-crc64')]).toEqual([md5, null]);
    }
  });
});

describe('a copy', () => {
  const copy = (target: string, source: string, sas: string): Promise<Response> =>
    fetch(`${program.endpoint}/${name}/${target}?${sas}`, {
      method: 'PUT',
      headers: { 'x-ms-copy-source': source, 'x-ms-requires-sync': 'true' },
    });
  const sasOf = async (permissions: string): Promise<string> => {
    const url = await container().generateSasUrl({
      permissions: ContainerSASPermissions.parse(permissions),
      expiresOn: soon(),
    });
    return url.split('?')[1] ?? '';
  };

  it('by a signature reads what the signature reaches, and nothing else', async () => {
    const other = client.getContainerClient('other-blobs');
    await other.create();
    await other.getBlockBlobClient('secret').upload('secret', 6);
    const source = `${program.endpoint}/${name}/z`;
    const refused = [403, 'CannotVerifyCopySource'];
    expect(codeOf(await copy('by-signature', source, await sasOf('rw')))).toEqual([202, null]);
    expect(codeOf(await copy('by-signature', source, await sasOf('cw')))).toEqual(refused);
    expect(codeOf(await copy('stolen', `${program.endpoint}/other-blobs/secret`, await sasOf('rw')))).toEqual(refused);
    expect(codeOf(await copy('stolen', `${source}?sv=2020-12-06&sig=a`, await sasOf('rw')))).toEqual(refused);
    expect(codeOf(await copy('stolen', source.replace('/acme/', '/acme2/'), await sasOf('rw')))).toEqual(refused);
    expect(await container().getBlobClient('stolen').exists()).toBe(false);
    expect((await container().getBlobClient('by-signature').downloadToBuffer()).toString()).toBe('text');
  });

  it('into a block reads the same way, and checks the CRC64 of its source', async () => {
    const put = async (more: { [name: string]: string }) =>
      fetch(`${program.endpoint}/${name}/from-url?comp=block&blockid=YQ%3D%3D&${await sasOf('rw')}`, {
        method: 'PUT',
        headers: { 'x-ms-copy-source': `${program.endpoint}/${name}/z`, 'x-ms-version': '2026-02-06', ...more },
      });
    const stored = await put({});
    expect(stored.status).toBe(201);
    const crc64 = stored.headers.get('x-ms-content-crc64') ?? '';
    expect((await put({ 'x-ms-source-content-crc64': crc64 })).status).toBe(201);
    const wrong = await put({ 'x-ms-source-content-crc64': 'AAAAAAAAAAA=' });
    expect(codeOf(wrong)).toEqual([400, 'Crc64Mismatch']);
  });
});

describe('blobs of which there are blocks alone', () => {
  it('are listed where they are asked for, in their order, beside those that are stored', async () => {
    const fresh = client.getContainerClient('uncommitted-blobs');
    await fresh.create();
    for (const key of ['a', 'folder/c', 'z']) await fresh.getBlockBlobClient(key).upload('text', 4);
    const block = Buffer.from('1').toString('base64');
    for (const key of ['b', 'folder/a', 'other/a', 'z'])
      await fresh.getBlockBlobClient(key).stageBlock(block, 'text', 4);
    const names = async (includeUncommitedBlobs: boolean, maxPageSize = 100): Promise<string[]> => {
      const pages = fresh.listBlobsFlat({ includeUncommitedBlobs }).byPage({ maxPageSize });
      const found = await Array.fromAsync(pages, ({ segment }) => segment.blobItems.map((item) => item.name));
      return found.flat();
    };
    const all = ['a', 'b', 'folder/a', 'folder/c', 'other/a', 'z'];
    expect(await names(false)).toEqual(['a', 'folder/c', 'z']);
    for (const size of [1, 2, 3, 100]) expect(await names(true, size)).toEqual(all);
    const folders = await Array.fromAsync(
      fresh.listBlobsByHierarchy('/', { includeUncommitedBlobs: true }).byPage({ maxPageSize: 2 }),
      ({ segment }) => [
        ...(segment.blobPrefixes ?? []).map((prefix) => prefix.name),
        ...segment.blobItems.map((item) => `${item.name} ${item.properties.contentLength}`),
      ],
    );
    expect(folders.flat().sort()).toEqual(['a 4', 'b 0', 'folder/', 'other/', 'z 4']);
  });
});

describe('the MD5 of a blob', () => {
  it('comes with every read, and is the one that a client sets', async () => {
    const blob = container().getBlockBlobClient('hashed');
    await blob.upload('text', 4);
    const own = createHash('md5').update('text').digest();
    const whole = await blob.download();
    expect([whole.contentMD5, whole.blobContentMD5].map((md5) => Buffer.from(md5 ?? []).equals(own))).toEqual([
      true,
      true,
    ]);
    const part = await blob.download(0, 2);
    expect(part.contentMD5).toBeUndefined();
    expect(Buffer.from(part.blobContentMD5 ?? []).equals(own)).toBe(true);
    const set = createHash('md5').update('another').digest();
    await blob.setHTTPHeaders({ blobContentMD5: set });
    expect(Buffer.from((await blob.getProperties()).contentMD5 ?? []).equals(set)).toBe(true);
    const sent = { method: 'PUT', headers: { 'x-ms-blob-content-md5': 'AQID' } };
    expect(codeOf(await ask(`/${name}/hashed?comp=properties`, sent))).toEqual([400, 'InvalidMd5']);
  });
});
