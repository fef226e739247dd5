import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import type { AddressTools } from '../../mixins/sources/address-of.ts';
import { openSource } from '../../mixins/sources/open.ts';
import { accessContext, type Asset } from '../../models/asset.ts';
import { scopeOf } from '../../models/scope.ts';
import { emptySettings, settingsRows } from '../../models/settings.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { recordingTools } from './tools.ts';
import { SourceThrottle, sourceThrottle } from './source-throttle.ts';
import { readingOf } from './reading.ts';
import { slideToolbox } from './slides/toolbox.ts';
import { WorkFolder } from '../../mixins/work-folder.ts';

type ConnectorAnswer = Awaited<ReturnType<AddressTools['readAddress']>>;

/** A throttle that lets the large file pass in three seconds. */
const slowThrottle = new SourceThrottle({ bytesPerSecond: 2 ** 20, burstBytes: 2 ** 16 }, () => true);
const largeBytes = 3 * 2 ** 20 + 2 ** 16;

let test: TestApp;
const client = guardedClient({ privateNetworks: 'allow' });
const seen: { host: string; url: string; headers: IncomingMessage['headers'] }[] = [];
/**
 * A learning platform: what is asked with its ticket is sent on to where the files lie, under another name of the host.
 */
const server = createServer((request, response) => {
  const { host = '' } = request.headers;
  seen.push({ host: host.split(':', 1)[0] ?? '', url: request.url ?? '', headers: request.headers });
  if (request.url === '/download?ticket=1')
    response.writeHead(302, { location: `http://localhost:${port()}/file?sig=2` }).end();
  else if (request.url === '/away?ticket=1')
    response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
  else if (request.url === '/file?sig=2' || request.url === '/open')
    response.writeHead(200, { etag: '"of the store"', 'set-cookie': 'a=b' }).end('words');
  else if (request.url === '/large') response.writeHead(200, { etag: '"large"' }).end(Buffer.alloc(largeBytes, 'w'));
  else response.writeHead(403).end();
});
const port = (): number => (server.address() as AddressInfo).port;
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  test = await testApp({ PLY_PRIVATE_NETWORKS: 'allow' });
});
afterAll(async () => {
  await client.close();
  await test.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen.length = 0;
});

/** Reads an asset whose connector answers so, up to so many bytes; an error is thrown. */
async function read(
  fields: Partial<Asset>,
  answer: ConnectorAnswer | Error,
  { app }: TestApp = test,
  maxBytes = 100,
  throttle = sourceThrottle,
): Promise<string> {
  const tools = {
    app,
    client,
    trustingClient: client,
    ...recordingTools(app.configuration),
    slides: slideToolbox(app.configuration),
    folder: new WorkFolder('/nowhere', 'node'),
    pool: {
      extract: () => {
        throw new Error('nothing is extracted');
      },
      confinement: () => Promise.resolve({ prefix: [], used: [], network: 'none' as const }),
      close: () => Promise.resolve(),
    },
    readAddress: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)),
  };
  const asset = testAsset({
    connectorId: 'connector',
    sourceUrl: `http://127.0.0.1:${port()}/closed`,
    sourceVersion: 'canvas:1',
    ...fields,
  });
  return readingOf(
    tools,
    { asset, signal: new AbortController().signal, progress: () => undefined, setFailureOutbox: () => undefined },
    maxBytes,
    async (how) => {
      const source = await openSource(how);
      let text = '';
      for await (const piece of source.body) text += Buffer.from(piece).toString('utf8');
      return text;
    },
    throttle,
  );
}

async function allow(sourceHosts: string[]): Promise<void> {
  const { organizationId } = testAsset();
  await test.app.records.collection(settingsRows, scopeOf(organizationId)).put({
    ...emptySettings(organizationId, 0),
    sourceHosts,
  });
}

const grant = (path: string, more: object = {}): ConnectorAnswer => ({
  address: `http://127.0.0.1:${port()}${path}`,
  redirects: true,
  verified: true,
  ...more,
});

it('does not count throttled time towards its time limit', async () => {
  const limited = await testApp({ PLY_PRIVATE_NETWORKS: 'allow', PLY_SOURCE_SECONDS: '2' });
  try {
    const before = performance.now();
    const text = await read(
      { connectorId: null, sourceUrl: `http://127.0.0.1:${port()}/large`, sourceVersion: '"large"' },
      new Error('not asked'),
      limited,
      largeBytes,
      slowThrottle,
    );
    expect([text.length, performance.now() - before > 2500]).toEqual([largeBytes, true]);
  } finally {
    await limited.close();
  }
});

describe("reading a connector's file", () => {
  afterEach(() => allow([]));

  it("uses the connector's address and follows redirects, without sending one host's credentials to another", async () => {
    expect(await read({}, grant('/download?ticket=1'))).toBe('words');
    expect(seen.map(({ host, url }) => [host, url])).toEqual([
      ['127.0.0.1', '/download?ticket=1'],
      ['localhost', '/file?sig=2'],
    ]);
    for (const { headers } of seen)
      expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
  });

  it('compares the ETag unless the connector has checked the version', async () => {
    await expect(read({}, grant('/download?ticket=1', { verified: false }))).rejects.toMatchObject({
      code: 'source_version_changed',
      outcome: 'definite',
    });
    expect(await read({ sourceVersion: '"of the store"' }, grant('/download?ticket=1', { verified: false }))).toBe(
      'words',
    );
    await expect(
      read({ sourceVersion: `sha256:${'0'.repeat(64)}` }, grant('/download?ticket=1')),
    ).rejects.toMatchObject({ code: 'source_version_changed' });
  });

  it('checks the host of each redirect like the first', async () => {
    await allow(['127.0.0.1']);
    await expect(read({}, grant('/download?ticket=1'))).rejects.toMatchObject({
      code: 'source_host_not_allowed',
      outcome: 'definite',
    });
    expect(seen).toHaveLength(1);
    await allow(['localhost']);
    await expect(read({}, grant('/download?ticket=1'))).rejects.toMatchObject({ code: 'source_host_not_allowed' });
    expect(seen).toHaveLength(1);
    await allow(['127.0.0.1', 'localhost']);
    expect(await read({}, grant('/download?ticket=1'))).toBe('words');
    await allow([]);
    await expect(read({}, grant('/away?ticket=1'))).rejects.toMatchObject({ code: 'source_host_not_allowed' });
  });

  it('waits for access if redirects are not allowed', async () => {
    await expect(read({}, grant('/download?ticket=1', { redirects: false }))).rejects.toMatchObject({
      code: 'source_access_denied',
      outcome: 'access',
    });
  });

  it("has the connector's failure", async () => {
    await expect(read({}, { failure: 'source_version_changed', detail: 'another etag' })).rejects.toMatchObject({
      code: 'source_version_changed',
      outcome: 'definite',
    });
    await expect(read({}, { failure: 'source_unreachable', detail: 'throttled' })).rejects.toMatchObject({
      code: 'source_unreachable',
      outcome: 'temporary',
    });
    const nobody = Object.assign(new Error('nobody'), { name: 'ServiceNotFoundError' });
    await expect(read({}, nobody)).rejects.toMatchObject({ code: 'source_unreachable', outcome: 'temporary' });
    const bug = new Error('a bug');
    await expect(read({}, bug)).rejects.toBe(bug);
    expect(seen).toEqual([]);
  });

  it('waits for access without the connector, unless the source is public', async () => {
    const gone: ConnectorAnswer = { failure: 'source_access_denied', detail: 'the connector is gone' };
    await expect(read({}, gone)).rejects.toMatchObject({ code: 'source_access_denied', outcome: 'access' });
    expect(await read({ sourceUrl: `http://127.0.0.1:${port()}/open`, sourceVersion: '"of the store"' }, gone)).toBe(
      'words',
    );
  });

  it('prefers a given address, and falls back to the connector', async () => {
    const given = (path: string): string =>
      test.app.sealer.seal(`http://127.0.0.1:${port()}${path}`, accessContext(testAsset()._id));
    expect(
      await read({ sealedAccess: given('/file?sig=2'), sourceVersion: '"of the store"' }, new Error('not asked')),
    ).toBe('words');
    expect(await read({ sealedAccess: given('/closed?sig=old') }, grant('/download?ticket=1'))).toBe('words');
  });
});
