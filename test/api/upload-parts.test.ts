import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BucketView } from '../../models/bucket.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import type { FreshUploadView, UploadView } from '../../models/upload.ts';
import { content, expectRefused, until, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, etagOf, putObject, sendPart, startUpload } from './support/storage.ts';

const mebibyte = 2 ** 20;

let program: TestProgram;
let admin: Client;
let client: Client;
let bucket: BucketView;
beforeAll(async () => {
  program = await startTestProgram({ PLY_STORAGE_REQUESTS_PER_MINUTE: '1000000' });
  ({ admin, standard: client } = program);
  bucket = await createBucket(admin, {}, { uploadRules: { allowOverwrite: true } });
});
afterAll(() => program.end());

const start = (size: number): Promise<FreshUploadView> => startUpload(client, bucket.id, { key: 'k', size });
const read = (id: string): Promise<UploadView> => client.get(200, 'GET', `${content}/uploads/${id}`);
const urlOf = (upload: FreshUploadView, number = 1): string => upload.parts[number - 1]?.url ?? '';

/** Sends raw bytes to the host of an address, and returns all that is answered until the connection closes. */
function sendRaw(url: string, text: string, then: (end: () => void) => void = () => undefined): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(text, () => then(() => socket.destroy()));
    });
    let answer = '';
    socket.on('data', (data) => (answer += data.toString())).on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}
const head = (url: string, headers: readonly string[]): string =>
  [`PUT ${new URL(url).pathname} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n');

describe('a part', () => {
  it('is refused with a ticket that was altered in any character', async () => {
    const url = urlOf(await start(1));
    const at = url.lastIndexOf('/v1/') + 4;
    const ticket = url.slice(at, at + 64);
    const codes = new Set<string | undefined>();
    for (let index = 0; index < ticket.length; index += 1) {
      const other = ticket[index] === 'A' ? 'B' : 'A';
      const altered = ticket.slice(0, index) + other + ticket.slice(index + 1);
      const { status, body } = await sendPart(url.replace(ticket, altered), Buffer.from('x'));
      codes.add(`${status} ${body.code}`);
    }
    for (const altered of [ticket.slice(1), `${ticket}A`, ticket.toLowerCase(), `${ticket.slice(0, 63)}=`, '%00', 'a'])
      codes.add((await sendPart(url.replace(ticket, altered), Buffer.from('x'))).body.code);
    expect([...codes]).toEqual(['401 ticket_invalid', 'ticket_invalid']);
    expect((await sendPart(url, Buffer.from('x'))).status).toBe(200);
  });

  it.each(['0', '4', '-1', '01', '1.0', '1e0', '%31%30', 'abc', '99999999999999999999', '%D9%A1'])(
    'is refused with the number %s',
    async (number) => {
      const { status, headers, body } = await sendPart(
        urlOf(await start(17 * mebibyte)).replace(/1$/, number),
        Buffer.from('x'),
      );
      expect([status, body.code]).toEqual([400, 'part_out_of_range']);
      expect([headers.get('content-type'), body.requestId]).toEqual([
        'application/json; charset=utf-8',
        headers.get('x-request-id'),
      ]);
    },
  );

  it('needs exactly its length', async () => {
    const upload = await start(10);
    const url = urlOf(upload);
    for (const bytes of [9, 11, 0]) {
      const { status, body } = await sendPart(url, Buffer.alloc(bytes));
      expect([status, body.code]).toEqual([400, 'part_size_mismatch']);
    }
    for (const headers of [
      ['Transfer-Encoding: chunked'],
      ['Content-Length: abc'],
      ['Content-Length: -1'],
      ['Content-Length: 1 0'],
      ['Content-Length: 0x0a'],
      ['Content-Length: 10', 'Content-Length: 11'],
      ['Content-Length: 10', 'Transfer-Encoding: chunked'],
    ]) {
      const answer = await sendRaw(url, `${head(url, headers)}a\r\n0123456789\r\n0\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toMatch(/access-control-allow-origin: \*/i);
      expect(answer).toContain('"code":"invalid_content_length"');
    }
    expect(await sendRaw(url, head(url, []))).toContain('"code":"invalid_content_length"');
    expect((await read(upload.id)).received).toEqual([]);
  });

  it('is checked against Content-MD5, and kept only if it matches', async () => {
    const upload = await start(3);
    const md5 = (text: string): string => createHash('md5').update(text).digest('base64');
    expect((await sendPart(urlOf(upload), Buffer.from('abc'), { 'Content-MD5': md5('abc') })).status).toBe(200);
    const wrong = await sendPart(urlOf(upload), Buffer.from('xyz'), { 'Content-MD5': md5('abc') });
    expect([wrong.status, wrong.body.code]).toEqual([422, 'checksum_mismatch']);
    for (const malformed of ['abc', md5('abc').slice(1), `${md5('abc')}=`, createHash('md5').digest('hex')]) {
      const { status, body } = await sendPart(urlOf(upload), Buffer.from('abc'), { 'Content-MD5': malformed });
      expect([status, body.code]).toEqual([422, 'validation_error']);
    }
    expect((await read(upload.id)).received).toEqual([{ number: 1, size: 3, etag: etagOf(Buffer.from('abc')) }]);
  });

  it('that breaks off leaves nothing behind', async () => {
    const upload = await start(mebibyte);
    const url = urlOf(upload);
    const begun = head(url, [`Content-Length: ${mebibyte}`]) + 'x'.repeat(300_000);
    await sendRaw(url, begun, (end) => setTimeout(end, 100));
    expect((await read(upload.id)).received).toEqual([]);
    await until(
      () => Promise.resolve(readdirSync(join(program.folder, 'data', 'objects', 'incoming'))),
      (names) => names.length === 0,
    );
  });

  it('waits for 100 Continue only where it is taken', async () => {
    const url = urlOf(await start(3));
    const asked = ['Content-Length: 3', 'Expect: 100-continue'];
    expect(await sendRaw(url, `${head(url, asked)}abc`)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    expect(await sendRaw(url, head(url, ['Content-Length: 4', 'Expect: 100-continue']))).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('may be sent by pages of any origin with any header', async () => {
    const url = urlOf(await start(1));
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://example.com',
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'authorization, content-md5, x-anything',
      },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'PUT',
      'access-control-allow-headers': 'authorization, content-md5, x-anything',
    });
    for (const bytes of ['x', 'xx']) {
      const { headers } = await sendPart(url, Buffer.from(bytes), { Origin: 'https://example.com' });
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
    for (const [method, path, status] of [
      ['GET', url, 405],
      ['PUT', new URL('/', url), 404],
      ['PUT', url.replace('/v1/', '/v2/'), 404],
    ] as const)
      expect((await fetch(path, { method })).status).toBe(status);
  });
});

describe('open uploads', () => {
  it('are at most 1,000 of an organization, however many ask at once', async () => {
    const own = admin.as((await admin.createOrganization('Many')).id);
    const { id } = await createBucket(own);
    const ask = (): Promise<number> =>
      own
        .ask('POST', `${content}/buckets/${id}/uploads`, { body: { key: 'k', size: 1, contentType: 'a/b' } })
        .then(({ status }) => status);
    const statuses: number[] = [];
    for (let round = 0; round < 25; round += 1) statuses.push(...(await Promise.all(Array.from({ length: 50 }, ask))));
    const started = statuses.filter((status) => status === 201).length;
    expect(started).toBeLessThanOrEqual(1000);
    expect(started).toBeGreaterThan(950);
    while ((await ask()) === 201);
    const refused = await own.ask('POST', `${content}/buckets/${id}/uploads`, {
      body: { key: 'k', size: 1, contentType: 'a/b' },
    });
    expectRefused(refused, [403, 'plan_limit_reached']);
    expect((await start(1)).state).toBe('open');
  });
});

describe('a program that is killed while uploads complete', () => {
  it('keeps every acknowledged object whole', async () => {
    const known = new Map<string, Buffer>();
    const { id } = await createBucket(admin);
    for (let round = 0; round < 4; round += 1) {
      const uploading = Array.from({ length: 12 }, async (_, index) => {
        const bytes = Buffer.from(randomBytes(10_000 + index));
        const key = `${round}/${index}`;
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        await putObject(client, id, key, bytes, { sha256 });
        known.set(key, bytes);
      });
      const all = Promise.allSettled(uploading);
      await pause(30 + 40 * round);
      await program.process.kill();
      await all;
      await program.start();
    }
    const { items } = await client.get<{ items: ObjectView[] }>(200, 'GET', `${content}/buckets/${id}/objects`);
    const checked = await Promise.all(
      items.map((object) =>
        until(
          () => client.get<ObjectView>(200, 'GET', `${content}/objects/${object.id}`),
          ({ checksumState }) => checksumState !== 'unverified',
        ),
      ),
    );
    expect(checked.map(({ checksumState }) => checksumState)).toEqual(checked.map(() => 'verified'));
    for (const [key, bytes] of known) expect(checked.find((object) => object.key === key)?.etag).toBe(etagOf(bytes));
    const bytes = items.reduce((sum, { size }) => sum + size, 0);
    const totals = await until(
      () => client.get<BucketView>(200, 'GET', `${content}/buckets/${id}`),
      ({ storedBytes, objectCount }) => storedBytes === bytes && objectCount === items.length,
    );
    expect(totals.objectCount).toBe(items.length);
  }, 120_000);
});
