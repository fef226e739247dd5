import type { BucketView } from '../../models/bucket.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import { encodeKey } from '../../models/storage-key.ts';
import { freePort } from '../servers/ports.ts';
import { get } from '../support/edge.ts';
import { content, until, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, putObject } from './support/storage.ts';

/** Keys of every kind that the rules admit. Each is a file of its own, however alike they look. */
const keys = [
  // Composed and decomposed letters, compatibility forms, and letters that differ in case alone in some languages.
  ...['\u00e9', 'e\u0301', '\u212b', '\u00c5', '\ufb01', 'fi', 'I', '\u0130', '\u0131', '\u00df', 'ss', 'SS'],
  // Right to left, invisible characters, a byte order mark, line and paragraph separators, unusual spaces.
  ...['\u05d0\u05d1', '\u202egpj.exe', 'a\u200bb', 'a\u00adb', '\ufeffa', 'a\u2028b', 'a\u00a0b', ' a', 'a ', '\u3000'],
  // Beyond the basic plane, joined symbols, the ends of planes and ranges, noncharacters, private use.
  ...['\u{1f600}', '\u{1f468}\u200d\u{1f469}', '\u{10ffff}', '\ud7ff', '\ue000', '\ufffd', '\uffff', '\u{10000}'],
  // What addresses, shells, links and tables use for themselves.
  ...['a?b', 'a#b', 'a%2Fb', 'a%00b', 'a+b', "a'b", 'a"b', 'a&b=c', 'a;b', 'a:b', '~a', '~a~b~c', '*', '<a>', '=1'],
  ...['%', '%zz', '$a', '{a}', '[a]', '.a', '..a', 'a..', '...', 'a/.b/..c', '__proto__', 'constructor', 'CON'],
  // Names that other parts of the service use.
  ...['api/content/v1', '.well-known/x', 'robots.txt', '.plycdn', 'a/.plycdn-x', 'videos/x/master.m3u8'],
  // The longest: 1,024 bytes.
  ...['\u00e9'.repeat(512), '\u{1f600}'.repeat(256), `${'a/'.repeat(511)}ab`],
];

describe('keys of every kind', () => {
  let program: TestProgram;
  let admin: Client;
  let port: number;
  let open: BucketView;
  let closed: BucketView;
  beforeAll(async () => {
    port = await freePort();
    program = await startTestProgram({ PLY_DELIVERY_PORT: String(port) });
    ({ admin } = program);
    open = await createBucket(admin, { visibility: 'public' });
    closed = await createBucket(admin);
    for (const bucket of [open, closed])
      for (let at = 0; at < keys.length; at += 20)
        await Promise.all(keys.slice(at, at + 20).map((key) => putObject(admin, bucket.id, key, Buffer.from(key))));
  }, 120_000);
  afterAll(() => program.end());

  const list = async (query = ''): Promise<ObjectView[]> => {
    const items: ObjectView[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { items: ObjectView[]; nextCursor: string | null } = await admin.get(
        200,
        'GET',
        `${content}/buckets/${open.id}/objects?limit=7${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    return items;
  };
  const inByteOrder = (some: readonly string[]): string[] =>
    [...some].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

  it('are listed as they were sent, in byte order, page by page, and by any prefix', async () => {
    expect((await list()).map(({ key }) => key)).toEqual(inByteOrder(keys));
    for (const prefix of ['e', '\u00e9', 'a', 'a%', '\ud7ff', '\uffff', '\u{1f600}', '\u{10ffff}', '.', ' '])
      expect((await list(`&prefix=${encodeURIComponent(prefix)}`)).map(({ key }) => key)).toEqual(
        inByteOrder(keys.filter((key) => key.startsWith(prefix))),
      );
  });

  it('are delivered at their addresses and by signed links, each its own bytes', async () => {
    for (const { key, url } of await list()) {
      expect(url).toBe(`${open.deliveryBaseUrl}/${encodeKey(key)}`);
      expect((await get(port, open.defaultHostname, `/${encodeKey(key)}`)).body.toString()).toBe(key);
      const { url: link } = await admin.get<{ url: string }>(200, 'POST', `${content}/sign`, {
        body: { bucketId: closed.id, key },
      });
      const signed = await get(port, closed.defaultHostname, link.slice(closed.deliveryBaseUrl.length));
      expect([signed.status, signed.body.toString()]).toEqual([200, key]);
    }
  });

  it('are purged and deleted, each alone', async () => {
    const { id } = await admin.get<{ id: string }>(202, 'POST', `${content}/buckets/${open.id}/purges`, {
      body: { urls: keys.map((key) => `${open.deliveryBaseUrl}/${encodeKey(key)}`).slice(0, 100) },
    });
    const purge = await until(
      () => admin.get<{ state: string; targets: string[] }>(200, 'GET', `${content}/purges/${id}`),
      ({ state }) => state === 'succeeded',
    );
    expect(purge.targets).toEqual(keys.map(encodeKey));
    const [first, ...others] = await list();
    await admin.ask('DELETE', `${content}/objects/${first?.id}`);
    expect((await list()).map(({ key }) => key)).toEqual(others.map(({ key }) => key));
    await until(
      () => get(port, open.defaultHostname, `/${encodeKey(first?.key ?? '')}`),
      ({ status }) => status === 404,
    );
  });
});
