import fc from 'fast-check';
import type { Caller } from '../../../models/api.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { Refusal } from '../../../models/errors.ts';
import { readTarget } from '../../../models/links/target.ts';
import { linkKeyBytes } from '../../../models/links/token.ts';
import { verifyLink } from '../../../models/links/verify.ts';
import { signBody } from '../../../models/schemas/links.ts';
import { systemScope } from '../../../models/scope.ts';
import { storedObjects, type StoredObject } from '../../../models/storage-object.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { testBucket } from '../../../test/support/bucket.ts';
import { testVideo } from '../../../test/support/video.ts';
import { allVideos } from '../videos/tools.ts';
import { allBuckets, type Storage } from '../tools.ts';
import { sign } from './sign.ts';
import { readSigningProfile, rotateSigningKey } from './signing-key.ts';

const bucketId = '5b2f0e9c-7a4e-4f1d-9c55-0a4a1d8c2f10';
const objectId = '0d6a6c1e-53a7-4c0e-8f0a-5b7f3c9e1a22';
const caller: Caller = {
  accountId: 'account',
  organizationId: 'organization',
  keyId: 'key',
  keyPrefix: 'p',
  keyLabel: '',
  keyScope: 'admin',
  requestId: 'r',
};

let test: TestApp;
let storage: Storage;
beforeEach(async () => {
  test = await testApp();
  storage = {
    app: test.app,
    actions: { call: () => Promise.reject(new Error('no actor is called')) },
    regions: [],
    wakeUp: () => undefined,
  };
});
afterEach(() => test.close());

async function withBucket(fields: Partial<Bucket> = {}, delivery: Partial<Bucket['settings']['delivery']> = {}) {
  const bucket = testBucket({ _id: bucketId, ...fields });
  bucket.settings.delivery = { ...bucket.settings.delivery, ...delivery };
  await allBuckets(test.app).insert(bucket);
  await withObject({});
}

function withObject(fields: Partial<StoredObject>): Promise<unknown> {
  const key = fields.key ?? 'a b/ü.txt';
  const object: StoredObject = {
    _id: objectId,
    organizationId: 'organization',
    bucketId,
    key,
    liveKey: key,
    size: 1,
    contentType: 'text/plain',
    sha256: null,
    checksumState: 'not_requested',
    etag: '"e"',
    state: 'stored',
    metadata: {},
    content: { id: fields._id ?? objectId, form: '1' },
    contentId: fields._id ?? objectId,
    createdAt: 1,
    updatedAt: 1,
    createdVia: 'plycdn',
    version: 1,
    outbox: [],
    ...fields,
  };
  return test.app.records.collection(storedObjects, systemScope).insert(object);
}

/** A body as JSON: without what is undefined. */
const sent = (body: object): unknown => JSON.parse(JSON.stringify({ bucketId, key: 'a b/ü.txt', ...body }));
const ask = (body: object) => Promise.resolve().then(() => sign(storage, caller, signBody.check(sent(body))));
const refusal = async (body: object): Promise<unknown> => {
  try {
    return await ask(body);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.data.fields === undefined ? error.type : [error.type, error.data.fields];
  }
};

describe('a signed link', () => {
  it('of a private bucket verifies with the profile, by key and by id', async () => {
    await withBucket();
    const { key, keyId, hostname } = await readSigningProfile(storage, caller, bucketId);
    for (const named of [{}, { key: undefined, objectId }]) {
      const { url, expiresAt } = await ask({ ttlSeconds: 60, tags: { b: 'ü/1', a: 'x y' }, ...named });
      const target = readTarget(url.slice(`https://${hostname}`.length));
      expect(url).toContain(`https://${hostname}/a%20b/%C3%BC.txt?expires=`);
      const valid = verifyLink(target!, {
        scheme: 'pl1',
        directoryScheme: null,
        key: { keyId, key: linkKeyBytes(key) },
        ipBinding: false,
        now: test.app.runtime.now(),
      });
      expect(valid).toEqual({
        expires: Date.parse(expiresAt ?? '') / 1000,
        ip: null,
        tags: { a: 'x y', b: 'ü/1' },
        directory: null,
      });
      const left = Date.parse(expiresAt ?? '') - test.app.runtime.now();
      expect(left).toBeGreaterThan(50_000);
      expect(left).toBeLessThanOrEqual(60_000);
    }
  });

  it('lasts as long as the bucket says, and of a rotated key no longer verifies', async () => {
    await withBucket({ linkScheme: 'ps2' }, { linkTtlSeconds: 600 });
    const { url, expiresAt } = await ask({});
    expect(Date.parse(expiresAt ?? '') - test.app.runtime.now()).toBeGreaterThan(590_000);
    const { key, keyId, hostname } = await rotateSigningKey(storage, caller, bucketId);
    const rules = { scheme: 'ps2', directoryScheme: null, ipBinding: false, now: 0 } as const;
    const target = readTarget(url.slice(`https://${hostname}`.length));
    expect(verifyLink(target!, { ...rules, key: { keyId, key: linkKeyBytes(key) } })).toBe('link_invalid');
  });

  it('is bound to an IPv4 address where the bucket binds', async () => {
    await withBucket({}, { ipBinding: true });
    for (const ip of ['203.0.113.9', '::ffff:203.0.113.9', '::FFFF:cb00:7109', '0:0:0:0:0:ffff:203.0.113.9'])
      expect((await ask({ ip })).url).toContain('&ip=203.0.113.9&token=');
    const notIp = ['validation_error', ['body', 'ip']];
    for (const ip of [undefined, null, 5, '', '1.2.3', '01.2.3.4', '1.2.3.4 ', '2001:db8::1', '::ffff:1.2.3.4%lo', 'x'])
      expect([ip, await refusal({ ip })]).toEqual([ip, notIp]);
  });

  it('is refused with fields that do not hold for a private bucket', async () => {
    await withBucket();
    const body = (...names: string[]) => ['validation_error', ['body', ...names]];
    for (const ttlSeconds of [59, 604_801, 60.5, '60', null, true])
      expect(await refusal({ ttlSeconds })).toEqual(body('ttlSeconds'));
    for (const ip of ['1.2.3.4', null, '']) expect(await refusal({ ip })).toEqual(body('ip'));
    for (const hostname of [
      'a b',
      'localhost',
      'https://a.example',
      'a.example:80',
      '1.2.3.4',
      '*.a.example',
      'a_b.example',
    ])
      expect([hostname, await refusal({ hostname })]).toEqual([hostname, body('hostname')]);
    expect(await refusal({ hostname: 'files.example.com' })).toBe('domain_not_active');
    expect((await ask({ hostname: 'FILES.localhost.' })).url).toContain('https://files.localhost/');
    expect(await refusal({ videoId: objectId, key: undefined, tags: { a: 'b' } })).toEqual(body('tags'));
  });

  it('is refused with tags that are not valid, which are named', async () => {
    const of = (tags: unknown) => refusal({ tags });
    const fields = (...names: string[]) => ['validation_error', ['tags', ...names]];
    expect(await of([])).toEqual(fields());
    expect(await of(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`t${at}`, 'x'])))).toEqual(fields());
    for (const name of ['A', '1a', '', 'a-b', 'a'.repeat(33), '__proto__'])
      expect(await of(JSON.parse(`{${JSON.stringify(name)}: "x"}`))).toEqual(fields(name));
    for (const value of ['', 'a&b', 'a=b', 'a?b', 'a#b', 'a\nb', 'ü'.repeat(65), 5, null, '\u0085'])
      expect([value, await of({ name: value })]).toEqual([value, fields('name')]);
  });

  it('names exactly one file', async () => {
    const bare = (fields: object) => refusal({ key: undefined, ...fields });
    for (const body of [{}, { key: 'a', objectId }, { key: 'a', videoId: objectId }, { objectId, videoId: objectId }])
      expect(await bare(body)).toEqual(['validation_error', []]);
  });

  it('is only of files of the bucket that are delivered', async () => {
    await withBucket();
    const other = 'b6b3bb1e-1f9c-4a58-9d0b-4a52b6b1f0aa';
    await withObject({ _id: other, bucketId: other, key: 'other' });
    const gone = 'c6b3bb1e-1f9c-4a58-9d0b-4a52b6b1f0aa';
    await withObject({ _id: gone, key: 'gone', liveKey: undefined as never, goneAt: 1 });
    const disabled = 'd6b3bb1e-1f9c-4a58-9d0b-4a52b6b1f0aa';
    await withObject({ _id: disabled, key: 'disabled', state: 'disabled' });
    for (const key of ['none', 'other', 'gone', 'disabled', 'a b'])
      expect(await refusal({ key })).toBe('object_not_found');
    for (const id of [other, gone, disabled, bucketId])
      expect(await refusal({ key: undefined, objectId: id })).toBe('object_not_found');
    expect(await refusal({ key: undefined, videoId: objectId })).toBe('video_not_found');
    expect(await refusal({ bucketId: objectId })).toBe('bucket_not_found');
  });

  it.each<[Partial<Bucket>, string]>([
    [{ state: 'deleted' }, 'bucket_not_active'],
    [{ state: 'creating' }, 'bucket_not_active'],
    [{ suspendedAt: 1 }, 'bucket_suspended'],
    [{ organizationId: 'other' }, 'bucket_not_found'],
  ])('is refused of a bucket with %j', async (fields, code) => {
    await withBucket(fields);
    expect(await refusal({})).toBe(code);
  });
});

describe('the address of a file of a public bucket', () => {
  it('is the plain one, whatever ip and ttlSeconds are', async () => {
    await withBucket({ visibility: 'public' }, { ipBinding: true });
    const plain = { url: 'https://files.localhost/a%20b/%C3%BC.txt', expiresAt: null };
    await fc.assert(
      fc.asyncProperty(
        fc.record({ ip: fc.jsonValue(), ttlSeconds: fc.jsonValue() }, { requiredKeys: [] }),
        async (body) => {
          expect(await ask(body)).toEqual(plain);
        },
      ),
      { numRuns: 20 },
    );
    expect(await refusal({ tags: { a: 'b' } })).toEqual(['validation_error', ['body', 'tags']]);
    expect(await refusal({ hostname: 'files.example.com' })).toBe('domain_not_active');
    expect(await refusal({ key: 'none' })).toBe('object_not_found');
  });
});

describe('a bucket of an earlier version', () => {
  it('gets its signing key once, when it is asked for', async () => {
    await withBucket();
    expect((await allBuckets(test.app).get(bucketId))?.signing).toBeUndefined();
    const profiles = await Promise.all([1, 2, 3].map(() => readSigningProfile(storage, caller, bucketId)));
    expect(new Set(profiles.map(({ key }) => key)).size).toBe(1);
    expect(await allBuckets(test.app).get(bucketId)).toMatchObject({ settingsVersion: 2, outbox: [] });
  });
});

describe('the links of a video', () => {
  const videoId = '7d1c3e0a-2b4f-4c6d-8e9f-1a2b3c4d5e6f';
  const signed = (fields: object = {}) => sign(storage, caller, signBody.check({ bucketId, videoId, ...fields }));
  const withVideo = async (
    fields: Parameters<typeof testVideo>[0] = {},
    delivery = {},
    bucket: Partial<Bucket> = {},
  ) => {
    await withBucket({ kind: 'video', name: 'films', ...bucket }, delivery);
    await allVideos(test.app).insert(testVideo({ _id: videoId, libraryId: bucketId, ...fields }));
  };

  it('cover all of its files in both forms, for four hours unless asked otherwise', async () => {
    await withVideo({}, { linkTtlSeconds: null });
    const { key, keyId } = await readSigningProfile(storage, caller, bucketId);
    const now = Math.floor(test.app.runtime.now() / 1000);
    const links = await signed();
    expect(links).toEqual({
      url: expect.stringMatching(
        `^https://films\\.localhost/videos/${videoId}/master\\.m3u8\\?expires=\\d+&kid=${keyId}&token=`,
      ),
      nativeUrl: expect.stringMatching(
        `^https://films\\.localhost/~[A-Za-z0-9_-]{43}~\\d+~${keyId}/videos/${videoId}/master\\.m3u8$`,
      ),
      expiresAt: expect.any(String),
      posterUrl: links.url.replace('master.m3u8', 'poster.jpg'),
      thumbnailsUrl: links.url.replace('master.m3u8', 'thumbnails.vtt'),
      downloadUrl: null,
    });
    expect(Math.abs(Date.parse(links.expiresAt ?? '') / 1000 - now - 14_400)).toBeLessThan(5);
    const rules = {
      scheme: 'pl1',
      directoryScheme: 'pl1d',
      key: { keyId, key: linkKeyBytes(key) },
      ipBinding: false,
      now: test.app.runtime.now(),
    } as const;
    for (const url of [links.url, links.nativeUrl, links.posterUrl]) {
      const target = readTarget((url ?? '').replace('https://films.localhost', ''), true);
      expect(target === null ? null : verifyLink(target, rules)).toMatchObject({ directory: `/videos/${videoId}/` });
    }
    expect(Date.parse((await signed({ ttlSeconds: 60 })).expiresAt ?? '')).toBeLessThan(Date.now() + 61_000);
  });

  it('bind an address where the library does, and take no tags', async () => {
    await withVideo({ download: true }, { ipBinding: true });
    expect(await signed({ ip: '203.0.113.9' })).toMatchObject({
      url: expect.stringContaining('&ip=203.0.113.9&token='),
      nativeUrl: expect.stringContaining('~203.0.113.9/videos/'),
      downloadUrl: expect.stringContaining('/download.mp4?expires='),
    });
    await expect(signed()).rejects.toMatchObject({ type: 'validation_error', data: { fields: ['body', 'ip'] } });
    await expect(signed({ ip: '203.0.113.9', tags: { a: 'b' } })).rejects.toMatchObject({
      data: { fields: ['body', 'tags'] },
    });
  });

  it('are there only while it plays', async () => {
    await withVideo({ plays: false, status: 'encoding' });
    await expect(signed()).rejects.toMatchObject({ type: 'video_not_ready' });
    for (const [set, unset] of [
      [{ plays: true, disabledAt: 1 }, []],
      [{ disabledAt: null, libraryId: 'another' }, []],
      [{ libraryId: bucketId }, ['listedAt']],
    ] as const) {
      await allVideos(test.app).update(videoId, {}, { set, unset });
      await expect(signed()).rejects.toMatchObject({ type: 'video_not_found' });
    }
  });
});
