import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import type { BucketView } from '../../models/bucket.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import { content } from '../api/support/client.ts';
import { clientOf, startS3Program, type S3Program } from '../api/support/s3.ts';
import { createBucket } from '../api/support/storage.ts';
import { byteMutations } from './mutations.ts';
import { inBody, insertText, sendRaw, soundAnswers } from './raw-requests.ts';
import { RequestSigner, theBody, theMetadata } from './signed-s3-requests.ts';
import { expectNoFailures, tryMutations } from './trial.ts';

/*
 * Randomly changed requests of S3 clients, with valid signatures of a credential that may do everything: headers, queries,
 * links, forms, XML and the framing of chunks. None ends with an error of the server, none hangs, and nothing is written
 * that was not signed for.
 */

/** Requests of one run; `PLY_TEST_S3_REQUESTS` sets another number. */
const runs = Number(process.env['PLY_TEST_S3_REQUESTS'] ?? 1000);

let program: S3Program;
let bucket: BucketView;
let requests: Buffer[];

const etag = `"${createHash('md5').update(theBody).digest('hex')}"`;
/** What the requests write, as it must look, by key. Of a link, the body is not signed; of a form, its length alone. */
const signedFor: { readonly [key: string]: Partial<ObjectView> } = {
  kept: { size: theBody.length, etag, metadata: theMetadata },
  copy: { size: theBody.length, etag, metadata: theMetadata },
  chunks: { size: theBody.length, etag, metadata: theMetadata },
  trailer: { size: theBody.length, etag, metadata: theMetadata },
  unsigned: { size: theBody.length, etag, metadata: theMetadata },
  parts: { size: theBody.length, metadata: {} },
  link: { metadata: {} },
  form: { size: theBody.length, metadata: {} },
};

async function templates(): Promise<Buffer[]> {
  const key = await program.newKey();
  const client = clientOf(program.endpoint, key);
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket: bucket.name, Key: 'parts' }));
  const part = { Bucket: bucket.name, Key: 'parts', UploadId, PartNumber: 1, Body: theBody };
  await client.send(new UploadPartCommand(part));
  const signer = new RequestSigner(program.endpoint, key);
  const path = `/${bucket.name}`;
  const metadata = Object.entries(theMetadata).map(([name, value]) => [`x-amz-meta-${name}`, value] as const);
  const put = (name: string) => ({ method: 'PUT', path: `${path}/${name}`, headers: metadata });
  const completion = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
  const tags = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
  const [get, post] = ['GET', 'POST'];
  return [
    signer.byHeader({ ...put('kept'), headers: [...metadata, ['content-type', 'text/plain']], body: theBody }),
    signer.byHeader({
      ...{ method: get, path: `${path}/kept`, query: [['response-content-type', 'text/css']] },
      headers: [['range', 'bytes=0-3']],
    }),
    signer.byHeader({
      ...{ method: get, path },
      query: [
        ['list-type', '2'],
        ['max-keys', '5'],
        ['prefix', 'a'],
      ],
    }),
    signer.byHeader({ method: get, path, query: [['uploads', '']] }),
    signer.byHeader({
      ...{ method: post, path, query: [['delete', '']] },
      body: '<Delete><Object><Key>a</Key></Object><Quiet>true</Quiet></Delete>',
    }),
    signer.byHeader({ method: 'PUT', path: `${path}/copy`, headers: [['x-amz-copy-source', `${path}/kept`]] }),
    signer.byHeader({ method: 'PUT', path: `${path}/kept`, query: [['tagging', '']], body: tags }),
    signer.byHeader({
      ...{ method: 'PUT', path: `${path}/parts`, body: theBody },
      query: [
        ['partNumber', '1'],
        ['uploadId', UploadId],
      ],
    }),
    signer.byHeader({ method: post, path: `${path}/parts`, query: [['uploadId', UploadId]], body: completion }),
    signer.inChunks(put('chunks'), 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'),
    signer.inChunks(put('trailer'), 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER'),
    signer.inChunks(put('unsigned'), 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'),
    signer.byLink({ method: 'PUT', path: `${path}/link`, body: theBody }),
    signer.byLink({ method: get, path: `${path}/kept` }),
    signer.byForm(path, bucket.name, 'form'),
  ];
}

beforeAll(async () => {
  program = await startS3Program({ PLY_STORAGE_REQUESTS_PER_MINUTE: '10000000' });
  bucket = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } });
  requests = await templates();
});
afterAll(() => program.end());

const written = async (): Promise<ObjectView[]> =>
  (await program.standard.get<{ items: ObjectView[] }>(200, 'GET', `${content}/buckets/${bucket.id}/objects`)).items;

describe('mutated requests of S3 clients', () => {
  it('are valid before they are mutated', async () => {
    for (const request of requests) expect(await sendRaw(program.endpoint, request, true)).toBe('2xx');
    expect((await written()).map(({ key }) => key).sort()).toEqual(Object.keys(signedFor).sort());
  });

  it(
    `end with an answer of the protocol, and write nothing that was not signed for (${runs} mutations)`,
    async () => {
      const trial = await tryMutations({
        name: 's3-requests',
        originals: () => Promise.resolve(requests),
        mutations: [
          ...byteMutations,
          insertText,
          insertText,
          insertText,
          ...[...byteMutations, insertText].map(inBody),
        ],
        concurrency: 8,
        open: () => ({
          read: (bytes) => sendRaw(program.endpoint, bytes, requests.includes(bytes)),
          close: () => pause(0),
        }),
        codes: soundAnswers,
        count: runs,
      });
      expectNoFailures(trial, runs);
      expect(trial.counts.get('4xx') ?? 0).toBeGreaterThan(runs / 2);
      const objects = await written();
      expect(objects.map(({ key }) => key).sort()).toEqual(Object.keys(signedFor).sort());
      for (const object of objects) expect(object).toMatchObject(signedFor[object.key] ?? {});
    },
    60_000 + runs * 60,
  );
});
