import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { signatureOf, signingKey, stringToSign } from '../../services/s3/auth/canonical.ts';
import type { NewCredentialView } from '../../models/storage-credential.ts';
import { content } from '../api/support/client.ts';
import { startS3Program, type S3Program } from '../api/support/s3.ts';
import { createBucket } from '../api/support/storage.ts';

/** Requests of one run; `PLY_TEST_S3_REQUESTS` sets another number. */
const runs = Number(process.env['PLY_TEST_S3_REQUESTS'] ?? 1000);
let program: S3Program;
let key: NewCredentialView;
let bucket: { id: string; name: string };
beforeAll(async () => {
  program = await startS3Program();
  key = await program.newKey();
  bucket = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } });
});
afterAll(() => program.end());

/** A request as bytes, signed by header. */
function signed(
  method: string,
  path: string,
  search: [string, string][],
  body: string,
  more: [string, string][],
): Buffer {
  const host = new URL(program.endpoint).host;
  const time = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = { day: time.slice(0, 8), region: 'auto' };
  const payload = createHash('sha256').update(body).digest('hex');
  const headers: [string, string][] = [
    ['host', host],
    ['x-amz-content-sha256', payload],
    ['x-amz-date', time],
    ...more,
  ];
  headers.sort(([one], [other]) => (one < other ? -1 : 1));
  const text = stringToSign(time, scope, { method, path, query: search, headers, payload });
  const signature = signatureOf(signingKey(key.secret, scope), text);
  const names = headers.map(([name]) => name).join(';');
  const query = search.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  const lines = [
    `${method} ${path}${query === '' ? '' : `?${query}`} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `authorization: AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope.day}/auto/s3/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** The status that bytes are answered with; null where the connection is closed without an answer. */
function statusOf(bytes: Buffer): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(program.endpoint);
    const socket = connect(Number(port), hostname);
    let answer = '';
    // A request whose length was mutated waits for more bytes: it is ended here.
    const timer = setTimeout(() => socket.end(), 500);
    const over = (): void => {
      clearTimeout(timer);
      resolve(/^HTTP\/1\.1 (\d{3})/.exec(answer) === null ? null : Number(answer.slice(9, 12)));
      socket.destroy();
    };
    socket.on('data', (piece) => {
      answer += piece.toString('latin1');
      if (answer.includes('\r\n\r\n')) over();
    });
    socket.on('close', over);
    socket.on('error', (error) => ('code' in error && error.code === 'ECONNREFUSED' ? reject(error) : over()));
    socket.write(bytes);
  });
}

const deletion = '<Delete><Object><Key>a</Key></Object><Quiet>true</Quiet></Delete>';
const completion =
  '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"a"</ETag></Part></CompleteMultipartUpload>';
const templates: (() => Buffer)[] = [
  () =>
    signed('PUT', `/${bucket.name}/kept`, [], 'the body', [
      ['x-amz-meta-a', 'b'],
      ['content-type', 'text/plain'],
    ]),
  () => signed('GET', `/${bucket.name}/kept`, [['response-content-type', 'text/css']], '', [['range', 'bytes=0-3']]),
  () =>
    signed(
      'GET',
      `/${bucket.name}`,
      [
        ['list-type', '2'],
        ['max-keys', '5'],
        ['prefix', 'a'],
      ],
      '',
      [],
    ),
  () => signed('POST', `/${bucket.name}`, [['delete', '']], deletion, []),
  () => signed('POST', `/${bucket.name}/parts`, [['uploadId', 'a']], completion, []),
  () => signed('PUT', `/${bucket.name}/copy`, [], '', [['x-amz-copy-source', `/${bucket.name}/kept`]]),
];

it('mutated requests are answered without a failure of the service, and write nothing that was not signed for', async () => {
  const put = templates[0];
  if (put === undefined || (await statusOf(put())) !== 200) throw new Error('the request is not valid by itself');
  const seen = new Map<number | null, number>();
  const mutation = fc.record({
    template: fc.integer({ min: 0, max: templates.length - 1 }),
    at: fc.integer({ min: 0, max: 9999 }),
    removed: fc.integer({ min: 0, max: 3 }),
    inserted: fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc
        .constantFrom('%', '%00', '\r\n', ':', '&acl', '?', '/../', '<', '&#0;', '\u0000')
        .map((text) => Buffer.from(text)),
    ),
  });
  await fc.assert(
    fc.asyncProperty(mutation, async ({ template, at, removed, inserted }) => {
      const bytes = templates[template]?.() ?? Buffer.alloc(0);
      const place = at % bytes.length;
      const mutated = Buffer.concat([bytes.subarray(0, place), inserted, bytes.subarray(place + removed)]);
      const status = await statusOf(mutated);
      seen.set(status, (seen.get(status) ?? 0) + 1);
      expect(status === null || status < 500 || status === 501).toBe(true);
    }),
    { numRuns: runs, seed: 20_261 },
  );
  expect(seen.get(403) ?? 0).toBeGreaterThan(runs / 10);
  const { items } = await program.standard.get<{ items: { key: string; size: number; metadata: object }[] }>(
    200,
    'GET',
    `${content}/buckets/${bucket.id}/objects`,
  );
  for (const { key: name, size, metadata } of items) {
    expect(['kept', 'copy']).toContain(name);
    expect([size, metadata]).toEqual([8, { a: 'b' }]);
  }
}, 400_000);
