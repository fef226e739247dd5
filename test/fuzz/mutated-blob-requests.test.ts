import { setTimeout as pause } from 'node:timers/promises';
import { BlobServiceClient, type StorageSharedKeyCredential } from '@azure/storage-blob';
import type { BucketView } from '../../models/bucket.ts';
import { textsToSign } from '../../services/blob/auth/shared-key.ts';
import { readAddress } from '../../services/blob/protocol/address.ts';
import { startBlobProgram, type BlobProgram } from '../api/support/blob.ts';
import { createBucket, putObject } from '../api/support/storage.ts';
import { byteMutations } from './mutations.ts';
import { inBody, insertText, sendRaw, soundAnswers } from './raw-requests.ts';
import { expectNoFailures, mutations, timeoutMs, tryMutations } from './trial.ts';

/*
 * Randomly changed requests of Blob clients, signed with a key that may only read. None ends with an error of the server,
 * none hangs, and nothing is written.
 */

let program: BlobProgram;
let bucket: BucketView;
let key: StorageSharedKeyCredential;
beforeAll(async () => {
  program = await startBlobProgram();
  bucket = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } });
  await putObject(program.admin, bucket.id, 'present', Buffer.from('the bytes'));
  key = await program.newKey({ permissions: ['read'] });
});
afterAll(() => program.end());

/** A signed request as it is sent. */
function signed(method: string, target: string, headers: { [name: string]: string } = {}, body = ''): Buffer {
  const all: { [name: string]: string } = {
    'x-ms-date': new Date().toUTCString(),
    'x-ms-version': '2026-04-06',
    ...(method === 'PUT' || method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}),
    ...headers,
  };
  const address = readAddress({ url: target, headers: {} }, () => null);
  const shared = { form: 'SharedKey', account: key.accountName, signature: '' } as const;
  const [text = ''] = textsToSign(shared, { method, headers: all, rawHeaders: [] }, address);
  const lines = Object.entries({
    host: new URL(program.endpoint).host,
    connection: 'close',
    authorization: `SharedKey ${key.accountName}:${key.computeHMACSHA256(text)}`,
    ...all,
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${target} HTTP/1.1`, ...lines, '', body].join('\r\n'));
}

function requests(): Buffer[] {
  const container = `/acme/${bucket.name}`;
  const blob = `${container}/present`;
  const block = Buffer.from('block').toString('base64');
  const list = `<?xml version="1.0"?><BlockList><Latest>${block}</Latest></BlockList>`;
  const put = { 'x-ms-blob-type': 'BlockBlob', 'x-ms-meta-a': 'b', 'content-type': 'text/plain' };
  return [
    signed('GET', '/acme/?comp=list&maxresults=5&prefix=b'),
    signed('GET', `${container}?restype=container&comp=list&delimiter=%2F&include=metadata&maxresults=2`),
    signed('GET', blob, {
      'x-ms-range': 'bytes=1-4',
      'x-ms-range-get-content-md5': 'true',
      'if-none-match': '"0x8D1"',
    }),
    signed('HEAD', blob),
    signed('GET', `${blob}?comp=blocklist&blocklisttype=all`),
    signed('PUT', `${container}/written`, put, 'bytes'),
    signed('PUT', `${container}/written?comp=block&blockid=${encodeURIComponent(block)}`, {}, 'bytes'),
    signed('PUT', `${container}/written?comp=blocklist`, {}, list),
    signed('PUT', `${blob}?comp=metadata`, { 'x-ms-meta-a': 'b' }),
    signed('PUT', `${container}/copied`, { 'x-ms-copy-source': `${program.endpoint}/${bucket.name}/present` }),
    signed('DELETE', blob),
    signed('OPTIONS', blob, { origin: 'https://example.com', 'access-control-request-method': 'PUT' }),
    signed(
      'POST',
      '/acme/?comp=batch',
      { 'content-type': 'multipart/mixed; boundary=b' },
      '--b\r\n\r\nDELETE / HTTP/1.1\r\n\r\n--b--',
    ),
  ];
}

async function present(): Promise<(readonly [string, string])[]> {
  const client = new BlobServiceClient(program.endpoint, key).getContainerClient(bucket.name);
  return Array.fromAsync(client.listBlobsFlat(), ({ name, properties }) => [name, properties.etag] as const);
}

describe('mutated requests of Blob clients', () => {
  it('are valid before they are mutated: reads are answered, and what they may not do is refused', async () => {
    const originals = requests();
    const isRead = (request: Buffer): boolean => /^(GET|HEAD) /.test(request.toString('latin1'));
    const answers = await Promise.all(
      originals.map(async (request) => [isRead(request), await sendRaw(program.endpoint, request, true)] as const),
    );
    expect(answers.filter(([isOfRead, answer]) => answer !== (isOfRead ? '2xx' : '4xx'))).toEqual([]);
  });

  it(
    `end with an answer of the protocol, and write nothing (${mutations} mutations)`,
    async () => {
      const before = await present();
      const originals = requests();
      const trial = await tryMutations({
        name: 'blob-requests',
        originals: () => Promise.resolve(originals),
        mutations: [...byteMutations, insertText, insertText, inBody(insertText)],
        concurrency: 4,
        open: () => ({
          read: (bytes) => sendRaw(program.endpoint, bytes, originals.includes(bytes)),
          close: () => pause(0),
        }),
        codes: soundAnswers,
      });
      expectNoFailures(trial);
      expect(await present()).toEqual(before);
      expect(before.map(([name]) => name)).toEqual(['present']);
    },
    timeoutMs,
  );
});
