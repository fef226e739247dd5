import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardedClient } from '../guarded-client/client.ts';
import { downloadSource } from './download.ts';
import { openSource } from './open.ts';
import type { SourceRead } from './read.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-sources-'));
const target = join(folder, 'file');
const client = guardedClient({ privateNetworks: 'allow' });
/** A client with short timeouts, for sources that hang. */
const shortTimeoutClient = guardedClient({ privateNetworks: 'allow', limits: { headersMs: 500, idleMs: 500 } });
const seen: { range: string | null; ifMatch: string | null; encoding: string | null }[] = [];
let answer: RequestListener = (_request, response) => response.end();
const server = createServer((request, response) => {
  seen.push({
    range: request.headers.range ?? null,
    ifMatch: request.headers['if-match'] ?? null,
    encoding: String(request.headers['accept-encoding']),
  });
  answer(request, response);
});
let base = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await Promise.all([client.close(), shortTimeoutClient.close()]);
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  seen.length = 0;
});

const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) % 256));
const digest = createHash('sha256').update(content).digest('hex');
const etag = '"v1"';

function read(change: Partial<SourceRead> = {}): SourceRead {
  return { address: `${base}/file`, sourceVersion: etag, maxBytes: 1_000_000, client, ...change };
}

/** Both functions to read: each test applies to both. */
const methods = {
  openSource: async (how: SourceRead) => {
    const source = await openSource(how);
    const parts: Uint8Array[] = [];
    for await (const piece of source.body) parts.push(piece);
    return { ...source.result, content: Buffer.concat(parts) };
  },
  downloadSource: async (how: SourceRead) => {
    const { bytes, sha256 } = await downloadSource(how, target);
    return { bytes, sha256, content: readFileSync(target) };
  },
};

describe.each(['openSource', 'downloadSource'] as const)('%s', (way) => {
  const run = methods[way];

  it('reads the file, counts and digests it', async () => {
    answer = (_request, response) =>
      void response.writeHead(200, { etag, 'content-length': content.length }).end(content);
    expect(await run(read())).toEqual({ bytes: content.length, sha256: digest, content });
    expect(seen).toEqual([{ range: null, ifMatch: null, encoding: 'identity' }]);
  });

  it('reads an empty file, and one of unknown length', async () => {
    answer = (_request, response) => void response.writeHead(200, { etag }).end();
    expect(await run(read())).toMatchObject({ bytes: 0, sha256: createHash('sha256').digest('hex') });
    answer = (_request, response) => {
      response.writeHead(200, { etag });
      response.write(content.subarray(0, 1000));
      response.end(content.subarray(1000));
    };
    expect(await run(read())).toMatchObject({ bytes: content.length, sha256: digest });
  });

  it.each([
    [401, 'source_access_denied', 'access'],
    [403, 'source_access_denied', 'access'],
    [404, 'source_access_denied', 'access'],
    [410, 'source_access_denied', 'access'],
    [400, 'source_access_denied', 'access'],
    [301, 'source_access_denied', 'access'],
    [302, 'source_access_denied', 'access'],
    [307, 'source_access_denied', 'access'],
    [304, 'source_access_denied', 'access'],
    [500, 'source_unreachable', 'temporary'],
    [502, 'source_unreachable', 'temporary'],
    [503, 'source_unreachable', 'temporary'],
    [429, 'source_unreachable', 'temporary'],
    [408, 'source_unreachable', 'temporary'],
    [204, 'source_unreachable', 'temporary'],
    [206, 'source_unreachable', 'temporary'],
    [412, 'source_version_changed', 'definite'],
  ])('reports status %i as %s', async (status, code, outcome) => {
    answer = (_request, response) => void response.writeHead(status, { etag, location: '/elsewhere' }).end();
    await expect(run(read())).rejects.toMatchObject({ name: 'SourceFailure', code, outcome });
    expect(seen).toHaveLength(1);
  });

  it('compares the ETag exactly', async () => {
    const answers =
      (value: string | null): RequestListener =>
      (_request, response) =>
        void response.writeHead(200, value === null ? {} : { etag: value }).end('x');
    for (const [sent, version] of [
      ['"v1"', '"v1"'],
      ['W/"v1"', 'W/"v1"'],
      ['v1', 'v1'],
    ] as const) {
      answer = answers(sent);
      expect(await run(read({ sourceVersion: version }))).toMatchObject({ bytes: 1 });
    }
    for (const [sent, version] of [
      ['"v2"', '"v1"'],
      ['W/"v1"', '"v1"'],
      ['"v1"', 'W/"v1"'],
      ['v1', '"v1"'],
      [null, '"v1"'],
      ['"V1"', '"v1"'],
    ] as const) {
      answer = answers(sent);
      await expect(run(read({ sourceVersion: version }))).rejects.toMatchObject({
        code: 'source_version_changed',
        outcome: 'definite',
      });
    }
  });

  it('compares the digest, and no ETag, if the version is a digest', async () => {
    answer = (_request, response) => void response.writeHead(200, { etag: '"whatever"' }).end(content);
    expect(await run(read({ sourceVersion: `sha256:${digest}` }))).toMatchObject({ sha256: digest });
    expect(await run(read({ sourceVersion: `sha256:${digest.toUpperCase()}` }))).toMatchObject({ sha256: digest });
    await expect(run(read({ sourceVersion: `sha256:${'0'.repeat(64)}` }))).rejects.toMatchObject({
      code: 'source_version_changed',
    });
    await expect(run(read({ sourceVersion: 'sha256:' }))).rejects.toMatchObject({ code: 'source_version_changed' });
  });

  it('refuses a file that is too large, by its header or by its bytes', async () => {
    let sent = 0;
    answer = (_request, response) => {
      response.writeHead(200, { etag, 'content-length': content.length });
      response.write(content.subarray(0, 10), () => (sent += 10));
    };
    await expect(run(read({ maxBytes: content.length - 1 }))).rejects.toMatchObject({
      code: 'source_too_large',
      outcome: 'definite',
    });
    answer = (_request, response) => {
      response.writeHead(200, { etag });
      response.write(content.subarray(0, 1000));
      response.end(content.subarray(1000));
    };
    await expect(run(read({ maxBytes: content.length - 1 }))).rejects.toMatchObject({
      code: 'source_too_large',
      outcome: 'definite',
    });
    expect(await run(read({ maxBytes: content.length }))).toMatchObject({ bytes: content.length });
    expect(sent).toBeLessThanOrEqual(10);
  });

  it('reports a connection that ends early or hangs as temporary', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { etag, 'content-length': content.length });
      response.write(content.subarray(0, 1000), () => response.destroy());
    };
    await expect(run(read())).rejects.toMatchObject({ code: 'source_unreachable', outcome: 'temporary' });
    answer = (_request, response) => {
      response.writeHead(200, { etag });
      response.write(content.subarray(0, 1000), () => response.destroy());
    };
    await expect(run(read())).rejects.toMatchObject({ code: 'source_unreachable', outcome: 'temporary' });
    answer = (_request, response) => void response.writeHead(200, { etag }).write('x');
    await expect(run(read({ client: shortTimeoutClient }))).rejects.toMatchObject({
      code: 'source_unreachable',
      outcome: 'temporary',
    });
    answer = () => {};
    await expect(run(read({ client: shortTimeoutClient }))).rejects.toMatchObject({
      code: 'source_unreachable',
      outcome: 'temporary',
    });
    await expect(run(read({ address: 'http://127.0.0.1:1/' }))).rejects.toMatchObject({
      code: 'source_unreachable',
      outcome: 'temporary',
    });
  });

  it('refuses a forbidden host', async () => {
    const guarded = guardedClient({ privateNetworks: 'deny', resolve: async () => ['10.0.0.1'] });
    await expect(run(read({ client: guarded, address: 'https://inside.example/file' }))).rejects.toMatchObject({
      code: 'source_host_not_allowed',
      outcome: 'definite',
    });
    await guarded.close();
  });

  it('stops when its signal is aborted', async () => {
    const control = new AbortController();
    answer = (_request, response) => {
      response.writeHead(200, { etag }).write(content.subarray(0, 1000));
      setTimeout(() => control.abort(), 50);
    };
    await expect(run(read({ signal: control.signal }))).rejects.toMatchObject({
      name: 'RequestFailure',
      reason: 'aborted',
    });
  });
});

describe('a download that breaks', () => {
  /** Serves parts, and breaks each answer after `bytes`. */
  function breakingAfter(
    bytes: number,
    change: (request: IncomingMessage, response: ServerResponse, from: number) => boolean = () => false,
  ): RequestListener {
    return (request, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      if (change(request, response, from)) return;
      const rest = content.subarray(from);
      const headers = { etag, 'accept-ranges': 'bytes', 'content-length': rest.length };
      if (request.headers.range === undefined) response.writeHead(200, headers);
      else
        response.writeHead(206, {
          ...headers,
          'content-range': `bytes ${from}-${content.length - 1}/${content.length}`,
        });
      if (rest.length <= bytes) response.end(rest);
      else response.write(rest.subarray(0, bytes), () => setTimeout(() => response.destroy(), 30));
    };
  }

  it('is resumed at the same position for the same version', async () => {
    answer = breakingAfter(100_000);
    expect(await downloadSource(read({ sourceVersion: `sha256:${digest}` }), target)).toMatchObject({
      bytes: content.length,
      sha256: digest,
    });
    expect(readFileSync(target).equals(content)).toBe(true);
    expect(seen.map(({ range, ifMatch }) => [range, ifMatch])).toEqual([
      [null, null],
      ['bytes=100000-', etag],
      ['bytes=200000-', etag],
    ]);
  });

  it('returns the content of a small file, and writes a larger one to disk', async () => {
    answer = (_request, response) => response.writeHead(200, { etag }).end(content);
    rmSync(target, { force: true });
    const held = await downloadSource(read(), target, content.length);
    expect(held).toMatchObject({ bytes: content.length, sha256: digest });
    expect(held.content?.equals(content)).toBe(true);
    expect(existsSync(target)).toBe(false);
    const filed = await downloadSource(read(), target, content.length - 1);
    expect(filed).toEqual({ bytes: content.length, sha256: digest, contentType: null, content: null });
    expect(readFileSync(target).equals(content)).toBe(true);
  });

  it('fails after some resumptions', async () => {
    answer = breakingAfter(10_000);
    await expect(downloadSource(read(), target)).rejects.toMatchObject({ code: 'source_unreachable' });
    expect(seen).toHaveLength(6);
  });

  it('is not resumed if the version has changed', async () => {
    answer = breakingAfter(100_000, (_request, response, from) => {
      if (from > 0) response.writeHead(412).end();
      return from > 0;
    });
    await expect(downloadSource(read(), target)).rejects.toMatchObject({ code: 'source_version_changed' });
    for (const range of [
      `bytes 0-${content.length - 1}/${content.length}`,
      `bytes 100000-${content.length - 1}/${content.length + 1}`,
      'nonsense',
    ]) {
      answer = breakingAfter(100_000, (_request, response, from) => {
        if (from > 0) response.writeHead(206, { etag, 'content-range': range }).end(content.subarray(from));
        return from > 0;
      });
      await expect(downloadSource(read(), target)).rejects.toMatchObject({ code: 'source_unreachable' });
    }
    answer = breakingAfter(100_000, (_request, response, from) => {
      if (from > 0)
        response
          .writeHead(206, { etag: '"v2"', 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` })
          .end(content.subarray(from));
      return from > 0;
    });
    await expect(downloadSource(read(), target)).rejects.toMatchObject({ code: 'source_version_changed' });
  });

  it('is not resumed from a source without ranges or with a weak ETag', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { etag, 'content-length': content.length });
      response.write(content.subarray(0, 100_000), () => setTimeout(() => response.destroy(), 30));
    };
    await expect(downloadSource(read(), target)).rejects.toMatchObject({ code: 'source_unreachable' });
    expect(seen).toHaveLength(1);
    answer = (_request, response) => {
      response.writeHead(200, { etag: 'W/"v1"', 'accept-ranges': 'bytes', 'content-length': content.length });
      response.write(content.subarray(0, 100_000), () => setTimeout(() => response.destroy(), 30));
    };
    await expect(downloadSource(read({ sourceVersion: 'W/"v1"' }), target)).rejects.toMatchObject({
      code: 'source_unreachable',
    });
    expect(seen).toHaveLength(2);
  });

  it('counts all parts against the maximum size', async () => {
    answer = (request, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      response.writeHead(from === 0 ? 200 : 206, {
        etag,
        'accept-ranges': 'bytes',
        ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${content.length - 1}/*` }),
      });
      response.write(content.subarray(from, from + 100_000), () => setTimeout(() => response.destroy(), 30));
    };
    await expect(downloadSource(read({ maxBytes: 150_000 }), target)).rejects.toMatchObject({
      code: 'source_too_large',
    });
  });
});
