import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { guardedClient } from '../guarded-client/client.ts';
import { downloadSource } from './download.ts';
import type { SourceRead } from './read.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-unpacked-'));
const target = join(folder, 'file');
const client = guardedClient({ privateNetworks: 'allow' });
let answer: RequestListener = (_request, response) => response.end();
const server = createServer((request, response) => answer(request, response));
let address = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
});
afterAll(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const etag = '"v1"';
const page = Buffer.from('<p>The bell rings in fog.</p>'.repeat(20_000));
const packed = gzipSync(page);
const sha256 = createHash('sha256').update(packed).digest('hex');
const read = (change: Partial<SourceRead> = {}): SourceRead => ({
  address,
  sourceVersion: etag,
  maxBytes: 1_000_000,
  client,
  ...change,
});

/** A source with these bytes and this `Content-Encoding`. */
function keeps(bytes: Buffer, coding: string, pieces = 1): void {
  answer = (_request, response) => {
    response.writeHead(200, { etag, 'content-length': bytes.length, 'content-encoding': coding });
    const length = Math.ceil(bytes.length / pieces);
    for (let at = 0; at < bytes.length; at += length) response.write(bytes.subarray(at, at + length));
    response.end();
  };
}

describe('a file that its storage keeps compressed', () => {
  it.each(['gzip', 'GZIP', 'x-gzip'])('is unpacked (%s), but counted and compared as stored', async (coding) => {
    keeps(packed, coding, 7);
    expect(await downloadSource(read(), target)).toMatchObject({ bytes: packed.length, sha256, content: null });
    expect(readFileSync(target).equals(page)).toBe(true);
    expect(
      (await downloadSource(read({ sourceVersion: `sha256:${sha256}` }), target, 2_000_000)).content?.equals(page),
    ).toBe(true);
  });

  it('is unpacked completely if it has several members or trailing bytes', async () => {
    keeps(Buffer.concat([gzipSync(page.subarray(0, 1000)), gzipSync(page.subarray(1000))]), 'gzip', 3);
    expect((await downloadSource(read(), target, 2_000_000)).content?.equals(page)).toBe(true);
    keeps(Buffer.concat([packed, Buffer.alloc(100_000)]), 'gzip', 9);
    expect((await downloadSource(read(), target, 2_000_000)).content?.equals(page)).toBe(true);
  });

  it('may not exceed the maximum size when it is unpacked', async () => {
    keeps(gzipSync(Buffer.alloc(2_000_000)), 'gzip');
    await expect(downloadSource(read(), target)).rejects.toMatchObject({ code: 'source_too_large' });
  });

  it.each([
    ['cut off', packed.subarray(0, 1000)],
    ['broken', Buffer.concat([packed.subarray(0, 10), randomBytes(2000)])],
  ])('is tried again where it is %s', async (_, bytes) => {
    keeps(bytes, 'gzip');
    await expect(downloadSource(read(), target)).rejects.toMatchObject({
      name: 'SourceFailure',
      code: 'source_unreachable',
    });
  });

  it('fails temporarily if the connection breaks, and reports another version', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { etag, 'content-length': packed.length, 'content-encoding': 'gzip' });
      response.write(packed.subarray(0, 500), () => response.destroy());
    };
    await expect(downloadSource(read(), target)).rejects.toMatchObject({ code: 'source_unreachable' });
    keeps(packed, 'gzip');
    await expect(downloadSource(read({ sourceVersion: `sha256:${'0'.repeat(64)}` }), target)).rejects.toMatchObject({
      code: 'source_version_changed',
    });
  });
});

describe('a file that is only declared as compressed', () => {
  it.each(['', 'a', '\u001f', 'plain text'])('is read unchanged: %j', async (content) => {
    keeps(Buffer.from(content), 'gzip');
    expect((await downloadSource(read(), target, 100)).content?.toString()).toBe(content);
  });

  it('in an unsupported coding is read unchanged, and so is undeclared gzip', async () => {
    for (const coding of ['aws-chunked', 'identity', 'br', '']) {
      keeps(packed, coding);
      expect((await downloadSource(read(), target, 2_000_000)).content?.equals(packed)).toBe(true);
    }
  });
});
