import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { BucketView } from '../../models/bucket.ts';
import { freePort } from '../servers/ports.ts';
import { commandLine } from '../support/command-line.ts';
import { clip } from './support/clips.ts';
import { content, until, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, createLibrary, createVideo, putObject, sendPart } from './support/storage.ts';

// In a cluster the edges are at ports of their own, which this file does not know.
const inCluster = process.env['PLY_TEST_CLUSTER'] !== undefined;

(inCluster ? describe.skip : describe)('delivery by the running program', () => {
  let program: TestProgram;
  let admin: Client;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    program = await startTestProgram({ PLY_DELIVERY_PORT: String(port), PLY_TRUSTED_PROXIES: '127.0.0.1' });
    ({ admin } = program);
  });
  afterAll(() => program.end());

  /** Sends a request as it is written, and answers the head and the body. */
  function send(bucket: BucketView, target: string, headers = '', method = 'GET'): Promise<[string, string]> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(port, '127.0.0.1');
      let said = '';
      socket.setEncoding('latin1');
      socket.on('data', (text: string) => (said += text));
      socket.once('error', reject);
      socket.once('end', () => {
        const end = said.indexOf('\r\n\r\n');
        resolve([said.slice(0, end), said.slice(end + 4)]);
      });
      const host = bucket.defaultHostname;
      socket.write(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`);
    });
  }
  const answer = async (bucket: BucketView, target: string, headers = '', method = 'GET'): Promise<string> => {
    const [head, body] = await send(bucket, target, headers, method);
    return `${head.split(' ')[1]} ${body}`;
  };
  /** Changes hold at an edge within a second; a busy machine gets some more. */
  const becomes = (bucket: BucketView, target: string, expected: string): Promise<string> =>
    until(
      () => answer(bucket, target),
      (got) => got === expected,
      3000,
    );
  const patch = (bucket: BucketView, body: object): Promise<BucketView> =>
    admin.get(200, 'PATCH', `${content}/buckets/${bucket.id}`, { body });
  const put = (bucket: BucketView, key: string, text: string, fields: object = {}) =>
    putObject(admin, bucket.id, key, Buffer.from(text), fields);

  it('follows uploads, settings, deletion and restore within a second', async () => {
    const bucket = await createBucket(admin, { visibility: 'public' });
    const { id } = await put(bucket, 'docs/a b.txt', 'hello', { contentType: 'text/plain' });
    await put(bucket, 'kept', 'kept');
    expect(await answer(bucket, '/docs/a%20b.txt')).toBe('200 hello');
    expect(await answer(bucket, '/docs/a%20b.txt', 'Range: bytes=1-2\r\n')).toBe('206 el');
    expect(await answer(bucket, '/docs/a%20b.txt', '', 'HEAD')).toBe('200 ');
    await patch(bucket, { visibility: 'private' });
    await becomes(bucket, '/kept', '403 {"code":"link_required"}');
    await patch(bucket, { visibility: 'public' });
    await becomes(bucket, '/kept', '200 kept');
    await admin.ask('DELETE', `${content}/objects/${id}`);
    await becomes(bucket, '/docs/a%20b.txt', '404 {"code":"not_found"}');
    await admin.ask('DELETE', `${content}/buckets/${bucket.id}`);
    await becomes(bucket, '/kept', '404 {"code":"not_found"}');
    await until(
      () => admin.get<BucketView>(200, 'GET', `${content}/buckets/${bucket.id}`),
      ({ state }) => state === 'deleted',
    );
    await admin.get(200, 'POST', `${content}/buckets/${bucket.id}/restore`);
    await becomes(bucket, '/kept', '200 kept');
  });

  it('takes signed links, bound to an address, and no altered ones', async () => {
    const bucket = await createBucket(admin, {}, { delivery: { ipBinding: true } });
    await put(bucket, 'a', 'private');
    const { url } = await admin.get<{ url: string }>(200, 'POST', `${content}/sign`, {
      body: { bucketId: bucket.id, key: 'a', ip: '203.0.113.9' },
    });
    const target = url.slice(bucket.deliveryBaseUrl.length);
    expect(await answer(bucket, target, 'X-Forwarded-For: 198.51.100.1, 203.0.113.9\r\n')).toBe('200 private');
    expect(await answer(bucket, target)).toBe('403 {"code":"ip_mismatch"}');
    expect(await answer(bucket, target, 'X-Forwarded-For: 203.0.113.9, 198.51.100.1\r\n')).toBe(
      '403 {"code":"ip_mismatch"}',
    );
    expect(await answer(bucket, `${target}&x=1`)).toBe('403 {"code":"link_invalid"}');
    await admin.get(200, 'POST', `${content}/buckets/${bucket.id}/signing-key/rotate`);
    expect(await answer(bucket, target, 'X-Forwarded-For: 203.0.113.9\r\n')).toBe('403 {"code":"link_invalid"}');
  });

  it('answers preflights without a link, and names the origin on refusals too', async () => {
    const bucket = await createBucket(
      admin,
      {},
      { cors: { allowedOrigins: ['https://app.example.com'], allowedHeaders: ['range'], exposeHeaders: ['etag'] } },
    );
    const asked = (headers: string): string =>
      `Origin: https://app.example.com\r\nAccess-Control-Request-Method: GET\r\n${headers}`;
    const [head] = await send(bucket, '/a', asked('Access-Control-Request-Headers: Range\r\n'), 'OPTIONS');
    expect(head).toContain('204');
    for (const line of [
      'Access-Control-Allow-Origin: https://app.example.com',
      'Access-Control-Allow-Methods: GET, HEAD',
      'Access-Control-Allow-Headers: range',
      'Access-Control-Max-Age: 600',
    ])
      expect(head).toContain(line);
    const [other] = await send(bucket, '/a', asked('Access-Control-Request-Headers: X-Other\r\n'), 'OPTIONS');
    expect(other).not.toContain('Allow-Origin');
    const [refused, body] = await send(bucket, '/a', 'Origin: https://app.example.com\r\n');
    expect(body).toBe('{"code":"link_required"}');
    expect(refused).toContain('Access-Control-Allow-Origin: https://app.example.com');
    expect(refused).toContain('Access-Control-Expose-Headers: etag');
    expect(refused).toContain('Vary: Origin');
    expect((await send(bucket, '/a', 'Origin: https://evil.example\r\n'))[0]).not.toContain('Allow-Origin');
  });

  it('judges referrers by their host', async () => {
    const bucket = await createBucket(
      admin,
      { visibility: 'public' },
      { delivery: { allowedDomains: ['example.com', '*.example.org'], blockNoReferrer: true } },
    );
    await put(bucket, 'a', 'x');
    const by = (headers: string): Promise<string> => answer(bucket, '/a', headers);
    const blocked = '403 {"code":"referrer_blocked"}';
    expect(await by('')).toBe(blocked);
    expect(await by('Referer: https://example.com/page\r\n')).toBe('200 x');
    expect(await by('Origin: http://a.b.EXAMPLE.org:8080\r\n')).toBe('200 x');
    expect(await by(`Referer: https://${bucket.defaultHostname}/\r\n`)).toBe('200 x');
    for (const foreign of ['https://example.org/', 'https://evilexample.com/', 'https://a.example.com/', 'nonsense'])
      expect(await by(`Referer: ${foreign}\r\n`)).toBe(blocked);
  });

  it('holds a response to the rate of its bucket', async () => {
    const bucket = await createBucket(admin, { visibility: 'public' }, { delivery: { rateLimitKbps: 800 } });
    await put(bucket, 'a', 'x'.repeat(250_000));
    const began = performance.now();
    const [, body] = await send(bucket, '/a');
    const seconds = (performance.now() - began) / 1000;
    expect(body.length).toBe(250_000);
    // 100,000 bytes at once, and then as many a second.
    expect(seconds).toBeGreaterThan(1.3);
    expect(seconds).toBeLessThan(4);
  });

  it('follows the operator, who suspends buckets and takes files down', async () => {
    const ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') });
    const bucket = await createBucket(admin, { visibility: 'public' });
    const { id } = await put(bucket, 'a', 'x');
    expect(await answer(bucket, '/a')).toBe('200 x');
    expect(await ply(['bucket', 'suspend', bucket.id])).toMatchObject({ code: 0 });
    expect(await answer(bucket, '/a')).toBe('403 {"code":"bucket_suspended"}');
    expect(await admin.get(200, 'GET', `${content}/buckets/${bucket.id}`)).toMatchObject({ suspended: true });
    expect(await ply(['bucket', 'unsuspend', bucket.id])).toMatchObject({ code: 0 });
    expect(await ply(['object', 'takedown', id])).toMatchObject({ code: 0 });
    expect(await answer(bucket, '/a')).toBe('404 {"code":"not_found"}');
    expect(await admin.get(200, 'GET', `${content}/objects/${id}`)).toMatchObject({ state: 'disabled' });
    expect(await ply(['object', 'reinstate', id])).toMatchObject({ code: 0 });
    expect(await answer(bucket, '/a')).toBe('200 x');
    expect(await ply(['object', 'takedown', bucket.id])).toMatchObject({ code: 1 });
  }, 60_000);

  it('follows the operator, who takes videos down', async () => {
    const ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') });
    const library = await createLibrary(admin, { processing: { ladder: [240], thumbnails: false } });
    const bytes = await clip({ seconds: 0.2, size: '32x32', sound: false });
    const { id, upload } = await createVideo(admin, library.id, { size: bytes.length });
    await sendPart(upload.parts[0]?.url, bytes);
    await admin.get(200, 'POST', `${content}/uploads/${upload.id}/complete`);
    const video = `${content}/videos/${id}`;
    await until(
      () => admin.get<{ status: string }>(200, 'GET', video),
      ({ status }) => status === 'ready',
    );
    const body = { bucketId: library.id, videoId: id };
    const { nativeUrl } = await admin.get<{ nativeUrl: string }>(200, 'POST', `${content}/sign`, { body });
    const master = async (): Promise<string> => (await answer(library, new URL(nativeUrl).pathname)).slice(0, 11);
    expect(await master()).toBe('200 #EXTM3U');
    expect(await ply(['video', 'takedown', id])).toMatchObject({ code: 0 });
    expect(await master()).toBe('404 {"code"');
    expect(await admin.get(200, 'GET', video)).toMatchObject({ disabled: true });
    expect((await admin.ask('PATCH', video, { body: {} })).body.code).toBe('video_not_found');
    expect((await admin.ask('POST', `${video}/reencode`)).body.code).toBe('video_not_found');
    expect((await admin.ask('POST', `${content}/sign`, { body })).body.code).toBe('video_not_found');
    for (const key of [`videos/${id}/master.m3u8`, `sources/${id}.mp4`]) {
      const ofFile = { body: { bucketId: library.id, key } };
      expect((await admin.ask('POST', `${content}/sign`, ofFile)).body.code).toBe('object_not_found');
    }
    expect(await ply(['video', 'reinstate', id])).toMatchObject({ code: 0 });
    expect(await master()).toBe('200 #EXTM3U');
    await admin.get(202, 'DELETE', video);
    expect(await master()).toBe('404 {"code"');
  }, 60_000);
});
