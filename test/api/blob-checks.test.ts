import { createHash } from 'node:crypto';
import {
  AccountSASPermissions,
  BlobSASPermissions,
  generateAccountSASQueryParameters,
  generateBlobSASQueryParameters,
  type BlobServiceClient,
  type StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { Crc64Nvme } from '../../mixins/storage/crc.ts';
import { startBlobProgram, type BlobProgram } from './support/blob.ts';

let program: BlobProgram;
let client: BlobServiceClient;
let key: StorageSharedKeyCredential;
/** Address of the account with a signature that permits everything. */
let signature: string;
const container = 'checked-blobs';
const expiresOn = new Date(Date.now() + 3_600_000);
beforeAll(async () => {
  program = await startBlobProgram();
  client = await program.client();
  key = await program.newKey();
  signature = generateAccountSASQueryParameters(
    { expiresOn, permissions: AccountSASPermissions.parse('rwdlacup'), services: 'b', resourceTypes: 'sco' },
    key,
  ).toString();
  await client.getContainerClient(container).create();
});
afterAll(() => program.end());

const blob = (name: string) => client.getContainerClient(container).getBlockBlobClient(name);
/** Status and error code of a request with the signature. */
const ask = async (
  name: string,
  { more = '', ...init }: RequestInit & { more?: string } = {},
): Promise<[status: number, code: string | null]> => {
  const response = await fetch(`${program.endpoint}/${container}/${name}?${signature}${more}`, init);
  await response.arrayBuffer();
  return [response.status, response.headers.get('x-ms-error-code')];
};
const put = (name: string, body: string, headers: { [name: string]: string } = {}, more = '') =>
  ask(name, { method: 'PUT', body, headers: { 'x-ms-blob-type': 'BlockBlob', ...headers }, more });
const crc64 = (text: string): string => {
  const running = new Crc64Nvme();
  running.update(Buffer.from(text));
  return running.digest().reverse().toString('base64');
};
const md5 = (text: string): string => createHash('md5').update(text).digest('base64');

describe('a blob that a client writes', () => {
  it('may be written over in a container that a client has made', async () => {
    await blob('twice').upload('one', 3);
    await blob('twice').upload('two', 3);
    expect((await blob('twice').downloadToBuffer()).toString()).toBe('two');
  });

  it('is checked by the CRC64 that is declared, whole and in blocks', async () => {
    const block = `&comp=block&blockid=${encodeURIComponent(Buffer.from('a').toString('base64'))}`;
    for (const more of ['', block]) {
      expect(await put('crc', 'text', { 'x-ms-content-crc64': crc64('text') }, more)).toEqual([201, null]);
      expect(await put('crc', 'text', { 'x-ms-content-crc64': crc64('other') }, more)).toEqual([400, 'Crc64Mismatch']);
      expect(await put('crc', 'text', { 'x-ms-content-crc64': 'AAAA' }, more)).toEqual([400, 'InvalidHeaderValue']);
      expect(
        await put('crc', 'text', { 'x-ms-content-crc64': crc64('text'), 'content-md5': md5('text') }, more),
      ).toEqual([400, 'BothCrc64AndMd5HeaderPresent']);
    }
    expect((await blob('crc').downloadToBuffer()).toString()).toBe('text');
  });

  it('is judged by the MD5 that it is to have before that of its way', async () => {
    const wrong = md5('other');
    expect(await put('md5', 'text', { 'content-md5': wrong, 'x-ms-blob-content-md5': md5('text') })).toEqual([
      201,
      null,
    ]);
    expect(await put('md5', 'text', { 'content-md5': md5('text'), 'x-ms-blob-content-md5': wrong })).toEqual([
      400,
      'Md5Mismatch',
    ]);
  });

  it('has metadata under names that are identifiers', async () => {
    for (const name of ['with-hyphen', '1st', 'with.dot'])
      expect(await put('names', 'x', { [`x-ms-meta-${name}`]: 'a' })).toEqual([400, 'InvalidMetadata']);
    expect(await put('names', 'x', { 'x-ms-meta-_ok1': 'a' })).toEqual([201, null]);
  });
});

describe('requests', () => {
  it('whose condition no read can meet are refused', async () => {
    await blob('read').upload('one', 3);
    const { etag = '' } = await blob('read').getProperties();
    const read = (headers: { [name: string]: string }) => ask('read', { headers });
    expect(await read({ 'if-none-match': '*' })).toEqual([400, 'UnsatisfiableCondition']);
    expect(await read({ 'if-match': `${etag}more` })).toEqual([412, 'ConditionNotMet']);
    expect(await read({ 'if-match': etag.replaceAll('"', '') })).toEqual([200, null]);
    expect(await read({ 'if-match': `"other", ${etag}` })).toEqual([200, null]);
  });

  it('with a repeated part of a signature are refused', async () => {
    expect(await ask('read', { more: '&sig=other' })).toEqual([403, 'AuthenticationFailed']);
  });

  it('for the head of what is not there have no type in their answer', async () => {
    const response = await fetch(`${program.endpoint}/${container}/none?${signature}`, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type')]).toEqual([404, null]);
  });

  it('that copy from an address that does not permit to read are refused', async () => {
    await blob('source').upload('one', 3);
    const sas = (permissions: string): string =>
      generateBlobSASQueryParameters(
        { containerName: container, blobName: 'source', permissions: BlobSASPermissions.parse(permissions), expiresOn },
        key,
      ).toString();
    const copy = (from: string) =>
      ask('copy', {
        method: 'PUT',
        headers: {
          'x-ms-copy-source': `${program.endpoint}/${container}/source?${from}`,
          'x-ms-requires-sync': 'true',
        },
      });
    expect(await copy(sas('w'))).toEqual([403, 'CannotVerifyCopySource']);
    expect(await copy(sas('r'))).toEqual([202, null]);
  });
});
