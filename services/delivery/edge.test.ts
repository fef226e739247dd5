import { createConnection } from 'node:net';
import { buckets, type Bucket } from '../../models/bucket.ts';
import { linkKeyOf, newSigning } from '../../mixins/storage/signing-key.ts';
import { signLink } from '../../models/links/sign.ts';
import { systemScope } from '../../models/scope.ts';
import { startEdges, type TestEdge, type TestEdges } from '../../test/support/edge.ts';

const hostOf = ({ name }: Bucket): string => `${name}.localhost`;

let stage: TestEdges;
let edge: TestEdge;
beforeAll(async () => {
  stage = await startEdges(1);
  [edge] = stage.edges as [TestEdge];
});
afterAll(() => stage.close());

function link(
  bucket: Bucket,
  key: string,
  terms: { expires?: number; ip?: string; tags?: Record<string, string> } = {},
) {
  const signing = linkKeyOf(stage.test.app, bucket);
  if (signing === null) throw new Error('no key');
  const expires = terms.expires ?? Math.floor(Date.now() / 1000) + 600;
  return signLink(bucket.linkScheme, signing, key, { ...terms, expires });
}

describe('a public file', () => {
  it('is delivered with its headers, first from the store and then from memory', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    const object = await stage.put(bucket, 'a b/ü.txt', 'hello');
    const first = await edge.get(hostOf(bucket), '/a%20b/%C3%BC.txt');
    expect([first.status, first.body.toString()]).toEqual([200, 'hello']);
    expect(first.headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '5',
      etag: object.etag,
      'last-modified': new Date(object.updatedAt).toUTCString(),
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
      'x-cache': 'MISS',
    });
    expect(first.headers.age).toBeUndefined();
    const second = await edge.get(`${bucket.name.toUpperCase()}.LOCALHOST.:80`, '/a%20b/%C3%BC.txt?v=1');
    expect(second.headers).toMatchObject({ 'x-cache': 'HIT', age: '0', etag: object.etag });
    expect(second.body.toString()).toBe('hello');
    const head = await edge.get(hostOf(bucket), '/a%20b/%C3%BC.txt', { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '5', 0]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(edge.closed.slice(-3).map(({ bytes, cache, status }) => [bytes, cache, status])).toEqual([
      [5, 'miss', 200],
      [5, 'hit', 200],
      [0, 'hit', 200],
    ]);
  });

  it('is delivered with the headers that it was stored with', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    const headers = {
      cacheControl: 'no-store',
      contentDisposition: 'inline; filename="a.css"',
      contentEncoding: 'gzip',
      contentLanguage: 'de\r\nX: y',
    };
    await stage.put(bucket, 'a.css', 'packed', { contentType: 'text/css', headers });
    const answer = await edge.get(hostOf(bucket), '/a.css');
    expect([answer.status, answer.body.toString()]).toEqual([200, 'packed']);
    expect(answer.headers).toMatchObject({
      'content-disposition': 'inline; filename="a.css"',
      'content-encoding': 'gzip',
      // The bucket's settings say how long copies are kept.
      'cache-control': 'public, max-age=3600',
    });
    expect(answer.headers['content-language']).toBeUndefined();
    await stage.put(bucket, 'a.html', '<p>', { contentType: 'text/html', headers });
    // As the doors read it from a request: the bytes of UTF-8.
    const contentDisposition = Buffer.from('attachment; filename="日本 ü.pdf"').toString('latin1');
    await stage.put(bucket, 'a.pdf', 'named', { contentType: 'application/pdf', headers: { contentDisposition } });
    for (const asked of [{}, { Range: 'bytes=0-1' }]) {
      const named = await edge.get(hostOf(bucket), '/a.pdf', { headers: asked });
      expect(named.headers['content-disposition']).toBe(contentDisposition);
    }
    const page = await edge.get(hostOf(bucket), '/a.html');
    expect(page.headers['content-disposition']).toBe("attachment; filename*=UTF-8''a.html");
  });

  it('is delivered in ranges and on conditions, small and large', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    for (const size of [1000, 3_000_000]) {
      const body = Buffer.alloc(size, 'abcdefghij');
      const { etag, updatedAt } = await stage.put(bucket, `file-${size}`, body);
      const ask = (headers: Record<string, string>, method = 'GET') =>
        edge.get(hostOf(bucket), `/file-${size}`, { headers, method });
      expect((await ask({})).body.equals(body)).toBe(true);
      const part = await ask({ Range: 'bytes=5-14' });
      expect([part.status, part.body.toString(), part.headers['content-range']]).toEqual([
        206,
        'fghijabcde',
        `bytes 5-14/${size}`,
      ]);
      const last = await ask({ Range: 'bytes=-300' });
      expect([last.status, last.body.length]).toEqual([206, 300]);
      const rest = await ask({ Range: `bytes=${size - 1}-` });
      expect([rest.status, rest.body.toString()]).toEqual([206, 'j']);
      const beyond = await ask({ Range: `bytes=${size}-` });
      expect([beyond.status, beyond.headers['content-range'], beyond.body.length]).toEqual([416, `bytes */${size}`, 0]);
      expect((await ask({ Range: 'bytes=0-1,5-6' })).body.length).toBe(size);
      expect((await ask({ Range: 'bytes=0-1', 'If-Range': etag })).status).toBe(206);
      expect((await ask({ Range: 'bytes=0-1', 'If-Range': '"other"' })).status).toBe(200);
      const unchanged = await ask({ 'If-None-Match': etag });
      expect([unchanged.status, unchanged.headers.etag, unchanged.body.length]).toEqual([304, etag, 0]);
      expect((await ask({ 'If-Modified-Since': new Date(updatedAt).toUTCString() })).status).toBe(304);
      expect((await ask({ 'If-Match': '"other"' })).status).toBe(412);
      expect((await ask({ Range: 'bytes=0-1' }, 'HEAD')).headers['content-length']).toBe(String(size));
    }
  });

  it('that can run script is a sandboxed download', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    const types = ['text/html; charset=utf-8', 'image/svg+xml', 'application/xhtml+xml', 'TEXT/XML', 'message/rfc822'];
    for (const [index, contentType] of types.entries()) {
      await stage.put(bucket, `p/ü'${index}.html`, '<script>', { contentType });
      const { headers } = await edge.get(hostOf(bucket), `/p/%C3%BC%27${index}.html`);
      expect(headers).toMatchObject({
        'content-type': contentType,
        'content-security-policy': "sandbox; default-src 'none'",
        'content-disposition': `attachment; filename*=UTF-8''%C3%BC%27${index}.html`,
      });
    }
    await stage.put(bucket, 'script.js', '1', { contentType: 'text/javascript' });
    const { headers } = await edge.get(hostOf(bucket), '/script.js');
    expect(headers['content-disposition']).toBeUndefined();
  });

  it('of no bytes is delivered', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    await stage.put(bucket, 'empty', '');
    const got = await edge.get(hostOf(bucket), '/empty');
    expect([got.status, got.headers['content-length'], got.body.length]).toEqual([200, '0', 0]);
    expect((await edge.get(hostOf(bucket), '/empty', { headers: { Range: 'bytes=0-' } })).status).toBe(416);
  });

  it('is missing where there is none, or it is disabled, for five seconds', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    await stage.put(bucket, 'disabled', 'x', { state: 'disabled' });
    for (const path of ['/none', '/disabled', '/']) {
      const got = await edge.get(hostOf(bucket), path);
      expect([got.status, got.code, got.headers['cache-control']]).toEqual([404, 'not_found', 'no-store']);
      expect(got.headers['x-content-type-options']).toBe('nosniff');
    }
    await stage.put(bucket, 'none', 'now');
    expect((await edge.get(hostOf(bucket), '/none')).status).toBe(404);
    stage.test.ahead.local += 5001;
    expect((await edge.get(hostOf(bucket), '/none')).body.toString()).toBe('now');
  });
});

describe('slow readers', () => {
  it('hold one piece of a large file each, and no other request back', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    await stage.put(bucket, 'large', Buffer.alloc(20_000_000));
    await stage.put(bucket, 'small', 'x');
    await edge.get(hostOf(bucket), '/large', { method: 'HEAD' });
    const { objects } = stage.test.app;
    const read = objects.read.bind(objects);
    let bytesRead = 0;
    objects.read = async function* (content, range) {
      for await (const piece of read(content, range)) {
        if (range.to > 0) bytesRead += piece.byteLength;
        yield piece;
      }
    };
    const readers = Array.from({ length: 40 }, () => {
      const socket = createConnection(edge.port, '127.0.0.1');
      socket.pause();
      socket.write(`GET /large HTTP/1.1\r\nHost: ${hostOf(bucket)}\r\n\r\n`);
      return socket;
    });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await edge.get(hostOf(bucket), '/small')).body.toString()).toBe('x');
    for (const socket of readers) socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const broken = edge.closed.filter(({ target, method }) => target === '/large' && method === 'GET');
    expect(broken).toHaveLength(40);
    for (const { bytes, status, request } of broken) {
      expect(status).toBe(200);
      // They have longer than the thirty seconds of other connections.
      expect(request.socket.timeout).toBe(300_000);
      expect(bytes).toBeLessThan(20_000_000);
    }
    const bytesTaken = broken.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(bytesTaken).toBeGreaterThan(0);
    expect(bytesRead - bytesTaken).toBeLessThanOrEqual(40 * 2 ** 18);
    objects.read = read;
  });
});

describe('requests that are refused', () => {
  it('are those of unknown hosts and of buckets that are not active', async () => {
    expect((await edge.get('nobody.localhost', '/a')).code).toBe('not_found');
    expect((await edge.get('example.com', '/a')).code).toBe('not_found');
    for (const state of ['creating', 'failed', 'deleting', 'deleted'] as const) {
      const bucket = await stage.addBucket({ visibility: 'public', state });
      await stage.put(bucket, 'a', 'x');
      expect((await edge.get(hostOf(bucket), '/a')).status).toBe(404);
    }
  });

  it('are those that ask for what a storage API does', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    await stage.put(bucket, 'a', 'x');
    for (const query of [
      'response-content-type=text/html',
      'x=1&Response-Cache-Control=x',
      'PARTNUMBER=1',
      'versionId=1',
      'uploadid',
      'X-Amz-Signature=1',
      'x%2damz-date=1',
      '%72%65sponse-expires=1',
      'part%4Eumber=1',
    ]) {
      const got = await edge.get(hostOf(bucket), `/a?${query}`);
      expect([query, got.status, got.code]).toEqual([query, 403, 'request_not_allowed']);
    }
    expect((await edge.get(hostOf(bucket), '/a?v=2&tag.kind=response')).status).toBe(200);
    expect((await edge.get(hostOf(bucket), '/a', { method: 'POST' })).status).toBe(405);
    expect((await edge.get(hostOf(bucket), '/a', { headers: { 'Service-Worker': 'script' } })).status).toBe(403);
  });

  it('come in the documented order', async () => {
    let bucket = await stage.addBucket({ suspendedAt: 1 });
    bucket = await stage.change(bucket, {
      settings: {
        ...bucket.settings,
        delivery: { ...bucket.settings.delivery, countriesAllow: ['IN'], blockNoReferrer: true, ipBinding: true },
      },
    });
    const path = link(bucket, 'none', { ip: '203.0.113.9' });
    const ask = async (target: string): Promise<string | undefined> => (await edge.get(hostOf(bucket), target)).code;
    const set = async (fields: Partial<Bucket['settings']['delivery']>): Promise<void> => {
      const settings = { ...bucket.settings, delivery: { ...bucket.settings.delivery, ...fields } };
      bucket = await stage.change(bucket, { settings, suspendedAt: null });
    };
    expect(await ask('/none?partNumber=1')).toBe('request_not_allowed');
    expect(await ask('/none')).toBe('bucket_suspended');
    await set({});
    expect(await ask('/none')).toBe('country_blocked');
    await set({ countriesAllow: [], countriesBlock: ['IN'] });
    expect(await ask('/none')).toBe('referrer_blocked');
    await set({ blockNoReferrer: false });
    expect(await ask('/none')).toBe('link_required');
    expect(await ask(`${path}x`)).toBe('link_invalid');
    expect(await ask(link(bucket, 'none', { ip: '203.0.113.9', expires: 1000 }))).toBe('link_expired');
    expect(await ask(path)).toBe('ip_mismatch');
    expect(await ask(link(bucket, 'none', { ip: '127.0.0.1' }))).toBe('not_found');
  });

  it('are all tricks with paths', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    await stage.put(bucket, 'secret/x', 'x');
    await stage.put(bucket, 'a/b', 'ab');
    const raw = (target: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = createConnection(edge.port, '127.0.0.1');
        let said = '';
        socket.setEncoding('latin1');
        socket.on('data', (text: string) => (said += text));
        socket.once('end', () => resolve(said.split('\r\n', 1)[0]?.split(' ')[1] ?? ''));
        socket.once('error', reject);
        socket.write(`GET ${target} HTTP/1.1\r\nHost: ${hostOf(bucket)}\r\nConnection: close\r\n\r\n`);
      });
    for (const target of [
      '/a/%2e%2e/secret/x',
      '/a/../secret/x',
      '/../secret/x',
      '/%2e%2e/secret/x',
      '/..%2fsecret/x',
      '/..%5csecret/x',
      '/..\\secret\\x',
      '//secret/x',
      '//evil.com/x',
      '/secret//x',
      '/a%2Fb',
      '/a%00b',
      '/%zz',
      '/a%3Fb',
      '/secret/x/',
      '/./secret/x',
      'http://other/secret/x',
      '*',
    ])
      expect([target, await raw(target)]).toEqual([target, '404']);
    expect(await raw('/secret/x')).toBe('200');
    expect(await raw(`http://${hostOf(bucket)}/a/b`)).toBe('200');
  });
});

describe('a private file', () => {
  it.each(['pl1', 'ps2'] as const)(
    'is delivered with a %s link as it was issued, and with no other',
    async (scheme) => {
      const bucket = await stage.addBucket({ linkScheme: scheme });
      await stage.put(bucket, 'a b.txt', 'private');
      const path = link(bucket, 'a b.txt', { tags: { customer: 'c-42' } });
      const got = await edge.get(hostOf(bucket), path);
      expect([got.status, got.body.toString(), got.headers['cache-control']]).toEqual([
        200,
        'private',
        'private, max-age=0',
      ]);
      expect((await edge.get(hostOf(bucket), path)).headers['x-cache']).toBe('HIT');
      for (let index = 1; index < path.length; index += 1) {
        const other = path[index] === 'x' ? 'y' : 'x';
        const altered = await edge.get(hostOf(bucket), `${path.slice(0, index)}${other}${path.slice(index + 1)}`);
        expect([index, altered.status]).toEqual([index, 403]);
      }
    },
  );

  it('of a bucket with ps2 is refused from the next request on when the key was rotated', async () => {
    const bucket = await stage.addBucket({ linkScheme: 'ps2' });
    await stage.put(bucket, 'a', 'x');
    const path = link(bucket, 'a');
    expect((await edge.get(hostOf(bucket), path)).status).toBe(200);
    const signing = newSigning(stage.test.app, bucket._id);
    // The edge is not told.
    await stage.test.app.records
      .collection(buckets, systemScope)
      .update(bucket._id, {}, { set: { signing }, increment: { settingsVersion: 1 } });
    expect((await edge.get(hostOf(bucket), path)).code).toBe('link_invalid');
  });
});
