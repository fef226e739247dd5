import { createHmac } from 'node:crypto';
import { presignRead } from '../../adapters/sources/s3/signing.ts';
import { signingKey } from '../../services/s3/auth/canonical.ts';
import type { NewCredentialView } from '../../models/storage-credential.ts';
import { content } from './support/client.ts';
import { startS3Program, type S3Program } from './support/s3.ts';
import { createBucket, putObject } from './support/storage.ts';

const origin = 'https://app.example.com';
let program: S3Program;
let key: NewCredentialView;
let bucket: { id: string; name: string };
beforeAll(async () => {
  program = await startS3Program();
  key = await program.newKey();
  bucket = await createBucket(program.admin, {}, { cors: { allowedOrigins: [origin] } });
});
afterAll(() => program.end());

const base = (): string => `${program.endpoint}/${bucket.name}`;
const codeOf = async (response: Response): Promise<[number, string | undefined]> => [
  response.status,
  /<Code>(\w+)</.exec(await response.text())?.[1],
];

describe('a signed link', () => {
  const link = (at = Date.now(), seconds = 60, secret = key.secret): Promise<string> =>
    presignRead(
      `${base()}/a%20b.txt`,
      { accessKeyId: key.accessKeyId ?? '', secretAccessKey: secret, region: 'auto' },
      at,
      seconds,
    );

  it('reads an object until it expires', async () => {
    await putObject(program.admin, bucket.id, 'a b.txt', Buffer.from('linked'), { contentType: 'text/plain' });
    const response = await fetch(await link(), { headers: { Origin: origin } });
    expect([response.status, await response.text(), response.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'linked',
      origin,
    ]);
    expect(await codeOf(await fetch(await link(Date.now() - 120_000)))).toEqual([403, 'AccessDenied']);
    expect(await codeOf(await fetch(await link(Date.now(), 60, 'x')))).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await codeOf(await fetch(`${await link()}&partNumber=1`))).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await codeOf(await fetch(await link(), { method: 'DELETE' }))).toEqual([403, 'SignatureDoesNotMatch']);
  });
});

describe('a link of Signature Version 2', () => {
  /** @param resource the parameters that are signed @param headers the lines of the signed headers */
  function link(method: string, path: string, { seconds = 60, resource = '', headers = '', query = '' } = {}): string {
    const expires = Math.floor(Date.now() / 1000) + seconds;
    const text = `${method}\n\n\n${expires}\n${headers}/${bucket.name}${path}${resource}`;
    const Signature = createHmac('sha1', key.secret).update(text).digest('base64');
    const sent = new URLSearchParams({ AWSAccessKeyId: key.accessKeyId ?? '', Expires: String(expires), Signature });
    return `${base()}${path}?${sent.toString()}${resource.replace('?', '&')}${query}`;
  }

  it('reads, lists, and writes with metadata, until it expires', async () => {
    const put = link('PUT', '/two%20%C3%BC', { headers: 'x-amz-meta-colour:blue\n', query: '&x-amz-meta-colour=blue' });
    expect((await fetch(put, { method: 'PUT', body: new Uint8Array([104, 105]) })).status).toBe(200);
    const read = await fetch(link('GET', '/two%20%C3%BC', { resource: '?response-content-type=text/x' }));
    expect([read.status, read.headers.get('content-type'), read.headers.get('x-amz-meta-colour')]).toEqual([
      200,
      'text/x',
      'blue',
    ]);
    expect(await read.text()).toBe('hi');
    expect((await fetch(link('GET', '/'))).status).toBe(200);
    expect(await codeOf(await fetch(link('GET', '/two%20%C3%BC', { seconds: -1 })))).toEqual([403, 'AccessDenied']);
  });

  it('allows nothing but what was signed', async () => {
    const refused = [403, 'SignatureDoesNotMatch'];
    const read = link('GET', '/two%20%C3%BC');
    for (const more of ['&acl', '&attributes', '&partNumber=1', '&response-expires=0', '&x-amz-meta-a=b'])
      expect(await codeOf(await fetch(`${read}${more}`))).toEqual(refused);
    expect(await codeOf(await fetch(read, { headers: { 'x-amz-checksum-mode': 'ENABLED' } }))).toEqual(refused);
    expect(await codeOf(await fetch(read, { method: 'DELETE' }))).toEqual(refused);
    expect(await codeOf(await fetch(read.replace('two', 'three')))).toEqual(refused);
    expect(await codeOf(await fetch(read.replace(/Signature=[^&]+/, 'Signature=none')))).toEqual([
      400,
      'InvalidRequest',
    ]);
    expect(await codeOf(await fetch(read.replace(/Expires=\d+/, 'Expires=soon')))).toEqual([403, 'AccessDenied']);
    expect(await codeOf(await fetch(`${read}&X-Amz-Security-Token=a`))).toEqual([400, 'InvalidToken']);
    expect(await codeOf(await fetch(read, { headers: { Authorization: 'AWS a:b' } }))).toEqual([
      400,
      'InvalidArgument',
    ]);
  });
});

describe('a preflight', () => {
  const ask = (from: string, method: string): Promise<Response> =>
    fetch(`${base()}/a`, {
      method: 'OPTIONS',
      headers: {
        Origin: from,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'content-type,x-amz-meta-a',
      },
    });

  it('is answered without a signature, for the origins of the bucket', async () => {
    const allowed = await ask(origin, 'PUT');
    expect([allowed.status, allowed.headers.get('access-control-allow-headers')]).toEqual([
      200,
      'content-type,x-amz-meta-a',
    ]);
    expect(allowed.headers.get('access-control-allow-methods')).toBe('GET, HEAD, PUT, POST, DELETE');
    expect(await codeOf(await ask('https://evil.example', 'PUT'))).toEqual([403, 'AccessForbidden']);
    expect(await codeOf(await ask(origin, 'PATCH'))).toEqual([400, 'BadRequest']);
  });
});

describe('a form', () => {
  function form(conditions: unknown[], fields: { [name: string]: string }, file = 'the file'): FormData {
    const date = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = date.slice(0, 8);
    const expiration = new Date(Date.now() + 60_000).toISOString();
    const signed = {
      'x-amz-algorithm': 'AWS4-HMAC-SHA256',
      'x-amz-credential': `${key.accessKeyId}/${day}/auto/s3/aws4_request`,
      'x-amz-date': date,
    };
    const all = [
      ...conditions,
      { bucket: bucket.name },
      ...Object.entries(signed).map(([name, value]) => ({ [name]: value })),
    ];
    const policy = Buffer.from(JSON.stringify({ expiration, conditions: all })).toString('base64');
    const signature = createHmac('sha256', signingKey(key.secret, { day, region: 'auto' }))
      .update(policy)
      .digest('hex');
    const data = new FormData();
    for (const [name, value] of Object.entries({ ...signed, policy, 'x-amz-signature': signature, ...fields }))
      data.set(name, value);
    data.set('file', new Blob([file], { type: 'text/plain' }), 'note.txt');
    return data;
  }
  const send = (data: FormData): Promise<Response> =>
    fetch(base(), { method: 'POST', body: data, headers: { Origin: origin } });

  it('writes an object that its policy allows', async () => {
    const conditions = [
      ['starts-with', '$key', 'forms/'],
      ['content-length-range', 1, 100],
      { 'x-amz-meta-a': 'b' },
      { success_action_status: '201' },
    ];
    const fields = { key: 'forms/${filename}', 'x-amz-meta-a': 'b', success_action_status: '201' };
    const response = await send(form(conditions, fields));
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([201, origin]);
    expect(await response.text()).toContain('<Key>forms/note.txt</Key>');
    const { items } = await program.standard.get<{ items: object[] }>(
      200,
      'GET',
      `${content}/buckets/${bucket.id}/objects?prefix=forms/`,
    );
    expect(items).toMatchObject([
      { key: 'forms/note.txt', size: 8, contentType: 'binary/octet-stream', createdVia: 's3', metadata: { a: 'b' } },
    ]);
    expect(await codeOf(await send(form(conditions, { ...fields, key: 'other' })))).toEqual([403, 'AccessDenied']);
    expect(await codeOf(await send(form(conditions, { ...fields, acl: 'private' })))).toEqual([403, 'AccessDenied']);
    expect(await codeOf(await send(form(conditions, fields, 'x'.repeat(101))))).toEqual([400, 'EntityTooLarge']);
    const named = 'attachment; filename="日本 ü.txt"';
    const withName = (value: string): FormData =>
      form([...conditions, ['starts-with', '$Content-Disposition', '']], {
        ...fields,
        ...{ key: 'forms/named.txt', 'Content-Disposition': value },
      });
    expect((await send(withName(named))).status).toBe(201);
    const answer = await fetch(
      await presignRead(
        `${base()}/forms/named.txt`,
        { accessKeyId: key.accessKeyId ?? '', secretAccessKey: key.secret, region: 'auto' },
        Date.now(),
        60,
      ),
    );
    const shown = Buffer.from(answer.headers.get('content-disposition') ?? '', 'latin1').toString();
    expect([answer.status, shown]).toEqual([200, named]);
    expect(await codeOf(await send(withName('a\u0001b')))).toEqual([400, 'InvalidArgument']);
    const forged = form(conditions, fields);
    forged.set('x-amz-signature', '0'.repeat(64));
    expect(await codeOf(await send(forged))).toEqual([403, 'SignatureDoesNotMatch']);
    const unsigned = new FormData();
    unsigned.set('key', 'a');
    unsigned.set('file', new Blob(['x']));
    expect(await codeOf(await send(unsigned))).toEqual([403, 'AccessDenied']);
  });
});
