import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { BucketView } from '../../models/bucket.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import type { FreshUploadView, UploadView } from '../../models/upload.ts';
import {
  content,
  expectRefused,
  until,
  type Answer,
  type Client,
  type ErrorBody,
  type Expected,
} from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, etagOf, putObject, sendPart, startUpload } from './support/storage.ts';

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const mebibyte = 2 ** 20;
const dayMs = 86_400_000;

let program: TestProgram;
let admin: Client;
let client: Client;
let bucket: BucketView;
beforeAll(async () => {
  program = await startTestProgram({ PLY_STORAGE_REQUESTS_PER_MINUTE: '100000' });
  ({ admin, standard: client } = program);
  bucket = await createBucket(admin);
});
afterAll(() => program.end());

const uploadPath = (id: string): string => `${content}/uploads/${id}`;
const start = (fields: object, id = bucket.id): Promise<FreshUploadView> => startUpload(client, id, fields);
const read = (id: string): Promise<UploadView> => client.get(200, 'GET', uploadPath(id));
const complete = (id: string): Promise<ObjectView> => client.get(200, 'POST', `${uploadPath(id)}/complete`);
const bytesOf = (size: number): Buffer<ArrayBuffer> => Buffer.from(randomBytes(size));

describe('an upload', () => {
  it('of one part becomes an object, and repeats answer it', async () => {
    const bytes = bytesOf(100_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const upload = await start({ key: 'folder/one.bin', size: bytes.length, sha256: sha256.toUpperCase() });
    expect(upload).toEqual({
      id: expect.stringMatching(uuid),
      bucketId: bucket.id,
      key: 'folder/one.bin',
      size: 100_000,
      contentType: 'application/octet-stream',
      partSize: 8 * mebibyte,
      partCount: 1,
      state: 'open',
      expiresAt: expect.stringMatching(instant),
      ticketExpiresAt: expect.stringMatching(instant),
      ticketTtlSeconds: 86_400,
      parts: [
        { number: 1, size: 100_000, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/[\w-]{64}\/1$/) },
      ],
      objectId: null,
    });
    const sessionMs = Date.parse(upload.expiresAt) - Date.now();
    expect([sessionMs <= 7 * dayMs, sessionMs > 7 * dayMs - 60_000]).toEqual([true, true]);
    expectRefused(await client.ask('POST', `${uploadPath(upload.id)}/complete`), [409, 'upload_incomplete']);
    const sent = await sendPart(upload.parts[0]?.url, bytes);
    expect([sent.status, sent.body]).toEqual([200, { part: 1, etag: etagOf(bytes) }]);
    const { parts, ticketTtlSeconds, ...rest } = upload;
    expect([parts.length, ticketTtlSeconds]).toEqual([1, 86_400]);
    expect(await read(upload.id)).toEqual({ ...rest, received: [{ number: 1, size: 100_000, etag: etagOf(bytes) }] });
    const object = await complete(upload.id);
    expect(object).toEqual({
      id: expect.stringMatching(uuid),
      bucketId: bucket.id,
      key: 'folder/one.bin',
      size: 100_000,
      contentType: 'application/octet-stream',
      sha256,
      checksumState: 'unverified',
      etag: etagOf(bytes),
      state: 'stored',
      metadata: {},
      createdAt: expect.stringMatching(instant),
      updatedAt: object.createdAt,
      createdVia: 'plycdn',
    });
    expect(await read(upload.id)).toMatchObject({ state: 'completed', objectId: object.id });
    const later = { ...object, checksumState: expect.any(String) };
    expect(await complete(upload.id)).toEqual(later);
    expect(await client.get(200, 'DELETE', uploadPath(upload.id))).toMatchObject({
      state: 'completed',
      objectId: object.id,
      object: later,
    });
    expectRefused(await client.ask('POST', `${uploadPath(upload.id)}/renew`), [409, 'upload_not_open']);
    expect((await sendPart(upload.parts[0]?.url, bytes)).body.code).toBe('upload_not_open');
    const { storedBytes, objectCount } = await client.get<BucketView>(200, 'GET', `${content}/buckets/${bucket.id}`);
    expect([storedBytes, objectCount]).toEqual([100_000, 1]);
  });

  it('of several parts takes them in any order, again, and at once', async () => {
    const bytes = bytesOf(20 * mebibyte + 5);
    const part = (number: number): Buffer<ArrayBuffer> =>
      bytes.subarray((number - 1) * 8 * mebibyte, number * 8 * mebibyte);
    const upload = await start({ key: 'several', size: bytes.length });
    expect(upload.parts.map(({ size }) => size)).toEqual([8 * mebibyte, 8 * mebibyte, 4 * mebibyte + 5]);
    const [one, two, three] = upload.parts.map(({ url }) => url);
    await sendPart(one, bytesOf(8 * mebibyte));
    const answers = await Promise.all([sendPart(three, part(3)), sendPart(one, part(1))]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expectRefused(await client.ask('POST', `${uploadPath(upload.id)}/complete`), [409, 'upload_incomplete']);
    expect((await read(upload.id)).received.map(({ number }) => number)).toEqual([1, 3]);
    await sendPart(two, part(2));
    const md5 = createHash('md5');
    for (const number of [1, 2, 3]) md5.update(createHash('md5').update(part(number)).digest());
    expect((await complete(upload.id)).etag).toBe(`"${md5.digest('hex')}-3"`);
  });

  it('of no bytes has one empty part', async () => {
    const upload = await start({ key: 'empty', size: 0 });
    expect([upload.partCount, upload.parts[0]?.size]).toEqual([1, 0]);
    expectRefused(await client.ask('POST', `${uploadPath(upload.id)}/complete`), [409, 'upload_incomplete']);
    expect((await sendPart(upload.parts[0]?.url, Buffer.alloc(0))).body.etag).toBe(etagOf(Buffer.of()));
    expect(await complete(upload.id)).toMatchObject({ size: 0, checksumState: 'not_requested', sha256: null });
  });

  it('has parts of at least 8 MiB, and at most 10,000 of them', async () => {
    const largest = await start({ key: 'largest', size: 1_342_177_280_000 });
    expect([largest.partSize, largest.partCount]).toEqual([128 * mebibyte, 10_000]);
    const next = await start({ key: 'next', size: 8 * mebibyte * 10_000 + 1 });
    expect([next.partSize, next.partCount]).toEqual([9 * mebibyte, 8889]);
    for (const { id } of [largest, next])
      expect(await client.get(200, 'DELETE', uploadPath(id))).toMatchObject({ state: 'aborted', received: [] });
  });

  it('is aborted once, and renewed only while it is open', async () => {
    const upload = await start({ key: 'aborted', size: 3 });
    const renewed = await client.get<FreshUploadView>(200, 'POST', `${uploadPath(upload.id)}/renew`);
    expect(renewed).toMatchObject({ id: upload.id, ticketTtlSeconds: 86_400, state: 'open' });
    for (const { parts } of [upload, renewed])
      expect((await sendPart(parts[0]?.url, Buffer.from('abc'))).status).toBe(200);
    const aborted = await client.get(200, 'DELETE', uploadPath(upload.id));
    expect(aborted).toMatchObject({ state: 'aborted', objectId: null });
    expect(await client.get(200, 'DELETE', uploadPath(upload.id))).toEqual(aborted);
    for (const [method, suffix] of [
      ['POST', '/renew'],
      ['POST', '/complete'],
    ] as const)
      expectRefused(await client.ask(method, `${uploadPath(upload.id)}${suffix}`), [409, 'upload_not_open']);
    expect((await sendPart(upload.parts[0]?.url, Buffer.from('abc'))).body.code).toBe('upload_not_open');
  });

  it("is the organization's own", async () => {
    const other = client.as((await admin.createOrganization('Other')).id);
    const { id } = await start({ key: 'own', size: 1 });
    for (const [method, suffix] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/renew'],
      ['POST', '/complete'],
    ] as const)
      expectRefused(await other.ask(method, `${uploadPath(id)}${suffix}`), [404, 'upload_not_found']);
    const body = { key: 'a', size: 1, contentType: 'text/plain' };
    expectRefused(await other.ask('POST', `${content}/buckets/${bucket.id}/uploads`, { body }), [
      404,
      'bucket_not_found',
    ]);
  });
});

describe('the start of an upload', () => {
  const body = (...names: string[]): Expected => [422, 'validation_error', ['body', ...names]];
  const good = { key: 'a', size: 1, contentType: 'text/plain' };
  it.each<[object, Expected]>([
    [{ size: 1, contentType: 'text/plain' }, body('key')],
    [{ ...good, key: null }, body('key')],
    [{ ...good, key: '' }, body('key')],
    [{ ...good, key: '/a' }, body('key')],
    [{ ...good, key: 'a/' }, body('key')],
    [{ ...good, key: 'a//b' }, body('key')],
    [{ ...good, key: 'a\\b' }, body('key')],
    [{ ...good, key: 'a/./b' }, body('key')],
    [{ ...good, key: '..' }, body('key')],
    [{ ...good, key: 'a\u0000b' }, body('key')],
    [{ ...good, key: 'a\u0085b' }, body('key')],
    [{ ...good, key: '\ud800' }, body('key')],
    [{ ...good, key: '\u00e9'.repeat(513) }, body('key')],
    [{ ...good, key: '.PlyCDN-x' }, body('key')],
    [{ ...good, key: '%2eplycdn%2Dx' }, body('key')],
    [{ ...good, key: '.ply\u200bcdn-x' }, body('key')],
    [{ ...good, key: '\uff0eplycdn-x' }, body('key')],
    // Hyphen, hyphen that does not break, minus sign, em dash.
    ...['\u2010', '\u2011', '\u2212', '\u2014'].map((dash): [object, Expected] => [
      { ...good, key: `.plycdn${dash}x` },
      body('key'),
    ]),
    [{ ...good, contentType: undefined }, body('contentType')],
    [{ ...good, contentType: 'Text/plain' }, body('contentType')],
    [{ ...good, contentType: 'text/plain, text/html' }, body('contentType')],
    [{ ...good, contentType: 'text' }, body('contentType')],
    [{ ...good, size: undefined }, body('size')],
    [{ ...good, size: null }, body('size')],
    [{ ...good, size: -1 }, body('size')],
    [{ ...good, size: 1.5 }, body('size')],
    [{ ...good, size: '1' }, body('size')],
    [{ ...good, size: 1_342_177_280_001 }, body('size')],
    [{ ...good, sha256: 'abc' }, body('sha256')],
    [{ ...good, metadata: {} }, body('metadata')],
  ])('is refused with %j', async (sent, expected) => {
    expectRefused(await client.ask('POST', `${content}/buckets/${bucket.id}/uploads`, { body: sent }), expected);
  });

  it.each([
    ['a comma within quotes', 'text/plain; a="b, c"'],
    ['parameters', 'text/plain;charset=UTF-8'],
  ])('takes a type with %s', async (_, contentType) => {
    expect(await start({ ...good, key: randomUUID(), contentType, sha256: null })).toMatchObject({ contentType });
  });

  it.each([
    'a.b/.c/...',
    '.plycdn',
    'x/.plycdn-y',
    '\u{1f600}/\u00fc \u4e2d',
    'e\u0301',
    '\uffff',
    'a%2fb?c#d',
    '\u00e9'.repeat(512),
  ])('takes the key %j', async (key) => {
    expect((await start({ ...good, key })).key).toBe(key);
  });

  it('obeys the rules of the bucket, then and at the end', async () => {
    const { id } = await createBucket(admin, {}, { uploadRules: { maxObjectBytes: 10, allowedTypes: ['image/*'] } });
    const path = `${content}/buckets/${id}/uploads`;
    const ask = (fields: object): Promise<Answer<ErrorBody>> =>
      client.ask('POST', path, { body: { ...good, ...fields } });
    expectRefused(await ask({ size: 11 }), [422, 'validation_error', ['body', 'size']]);
    expectRefused(await ask({ size: 10 }), [422, 'file_type_not_allowed']);
    const upload = await start({ key: 'a', size: 9, contentType: 'image/png' }, id);
    await sendPart(upload.parts[0]?.url, Buffer.from('<html>123', 'latin1').subarray(0, 9));
    expectRefused(await client.ask('POST', `${uploadPath(upload.id)}/complete`), [422, 'file_type_not_allowed']);
    expect((await read(upload.id)).state).toBe('open');
    await sendPart(upload.parts[0]?.url, Buffer.from('<svg>abcd'));
    expect(await complete(upload.id)).toMatchObject({ contentType: 'image/png', size: 9 });
  });

  it('needs an active bucket', async () => {
    const { id } = await createBucket(admin);
    const upload = await start({ key: 'a', size: 1 }, id);
    await admin.get(202, 'DELETE', `${content}/buckets/${id}`);
    const { status, body: refusal } = await client.ask('POST', `${content}/buckets/${id}/uploads`, { body: good });
    expect([status, refusal.code]).toEqual([409, 'bucket_not_active']);
    expect(
      await until(
        () => read(upload.id),
        ({ state }) => state !== 'open',
      ),
    ).toMatchObject({ state: 'aborted' });
  });
});

describe('an object with a key that is taken', () => {
  it('is refused at the start and at the end, where the bucket does not allow it', async () => {
    const [first, second] = [await start({ key: 'taken', size: 3 }), await start({ key: 'taken', size: 3 })];
    for (const { parts } of [first, second]) await sendPart(parts[0]?.url, Buffer.from('abc'));
    await complete(first.id);
    expectRefused(await client.ask('POST', `${uploadPath(second.id)}/complete`), [409, 'object_exists']);
    expect((await read(second.id)).state).toBe('open');
    const body = { key: 'taken', size: 3, contentType: 'text/plain' };
    expectRefused(await client.ask('POST', `${content}/buckets/${bucket.id}/uploads`, { body }), [
      409,
      'object_exists',
    ]);
  });

  it('is replaced whole by the later complete, and keeps id and createdAt', async () => {
    const { id } = await createBucket(admin, {}, { uploadRules: { allowOverwrite: true } });
    const before = await putObject(client, id, 'k', Buffer.from('one'), { contentType: 'text/plain' });
    await client.get(200, 'PATCH', `${content}/objects/${before.id}`, { body: { metadata: { a: 1 } } });
    const after = await putObject(client, id, 'k', Buffer.from('other'));
    expect(after).toMatchObject({
      id: before.id,
      createdAt: before.createdAt,
      size: 5,
      contentType: 'application/octet-stream',
      metadata: {},
      etag: etagOf(Buffer.from('other')),
    });
    expect(Date.parse(after.updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.updatedAt));
    expect(await client.get(200, 'GET', `${content}/buckets/${id}`)).toMatchObject({ storedBytes: 5, objectCount: 1 });
  });

  it('has one content after many completes at once', async () => {
    const { id } = await createBucket(admin, {}, { uploadRules: { allowOverwrite: true } });
    const uploads = await Promise.all(Array.from({ length: 8 }, () => start({ key: 'k', size: 1 }, id)));
    await Promise.all(uploads.map(({ parts }, index) => sendPart(parts[0]?.url, Buffer.from('abcdefgh'[index] ?? ''))));
    const answers = await Promise.all(
      uploads.flatMap((upload) => [0, 1].map(() => client.ask('POST', `${uploadPath(upload.id)}/complete`))),
    );
    for (const { status, body } of answers)
      if (status !== 200) expect([status, body.code, body.retryable]).toEqual([409, 'upload_not_open', true]);
    const { items } = await client.get<{ items: ObjectView[] }>(200, 'GET', `${content}/buckets/${id}/objects`);
    expect([items.length, items[0]?.size]).toEqual([1, 1]);
    for (const upload of uploads) expect(await complete(upload.id)).toEqual(items[0]);
    expect(await client.get(200, 'GET', `${content}/buckets/${id}`)).toMatchObject({ storedBytes: 1, objectCount: 1 });
  });
});

describe('a declared SHA-256', () => {
  const settled = (object: ObjectView): Promise<ObjectView> =>
    until(
      () => client.get<ObjectView>(200, 'GET', `${content}/objects/${object.id}`),
      ({ checksumState }) => checksumState !== 'unverified',
    );

  it('is verified after complete', async () => {
    const bytes = bytesOf(9 * mebibyte);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const object = await putObject(client, bucket.id, randomUUID(), bytes, { sha256 });
    expect(await settled(object)).toEqual({ ...object, checksumState: 'verified' });
    const empty = { sha256: createHash('sha256').digest('hex') };
    const nothing = await putObject(client, bucket.id, randomUUID(), bytesOf(0), empty);
    expect((await settled(nothing)).checksumState).toBe('verified');
  });

  it('that differs disables the object, until its key is written again', async () => {
    const { id } = await createBucket(admin, { visibility: 'public' }, { uploadRules: { allowOverwrite: true } });
    const made = await putObject(client, id, 'k', Buffer.from('abc'), { sha256: '0'.repeat(64) });
    expect(made).toMatchObject({ checksumState: 'unverified', state: 'stored', url: expect.any(String) });
    const disabled = await settled(made);
    expect(disabled).toMatchObject({ checksumState: 'mismatch', state: 'disabled', sha256: '0'.repeat(64) });
    expect(disabled).not.toHaveProperty('url');
    const { items } = await client.get<{ items: ObjectView[] }>(200, 'GET', `${content}/buckets/${id}/objects`);
    expect(items).toEqual([disabled]);
    expect(await putObject(client, id, 'k', Buffer.from('abcd'))).toMatchObject({
      id: made.id,
      checksumState: 'not_requested',
      state: 'stored',
    });
  });
});
