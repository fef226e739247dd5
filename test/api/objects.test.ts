import { randomUUID } from 'node:crypto';
import type { BucketView } from '../../models/bucket.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import { content, expectRefused, type Answer, type Client, type ErrorBody, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, putObject } from './support/storage.ts';

interface Page {
  items: ObjectView[];
  nextCursor: string | null;
}

let program: TestProgram;
let admin: Client;
let client: Client;
let bucket: BucketView;
beforeAll(async () => {
  program = await startTestProgram({ PLY_STORAGE_REQUESTS_PER_MINUTE: '100000' });
  ({ admin, standard: client } = program);
  bucket = await createBucket(admin, { visibility: 'public' });
});
afterAll(() => program.end());

const objectPath = (id: string): string => `${content}/objects/${id}`;
const listPath = (query: string): string => `${content}/buckets/${bucket.id}/objects${query}`;
const put = (key: string): Promise<ObjectView> => putObject(client, bucket.id, key, Buffer.from('x'));

describe('objects', () => {
  it('are listed in byte order of their keys, with a prefix, page by page', async () => {
    const { id } = await createBucket(admin);
    const keys = ['b', 'a/\u{10000}', 'a/\uffff', 'a/b/c', 'a/\ue000', 'a/z', 'a', 'A', 'a/\u00fc', 'a/\u{1f600}'];
    for (const key of keys) await putObject(client, id, key, Buffer.from('x'));
    const inOrder = keys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    const walk = async (query: string): Promise<string[]> => {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Page = await client.get(
          200,
          'GET',
          `${content}/buckets/${id}/objects?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        found.push(...page.items.map(({ key }) => key));
        cursor = page.nextCursor;
      }
      return found;
    };
    for (const limit of [1, 3, 10, 1000]) expect(await walk(`limit=${limit}`)).toEqual(inOrder);
    const below = inOrder.filter((key) => key.startsWith('a/'));
    for (const limit of [1, 2, 100])
      expect(await walk(`prefix=${encodeURIComponent('a/')}&limit=${limit}`)).toEqual(below);
    expect(await walk(`prefix=${encodeURIComponent('a/\u{1f600}')}`)).toEqual(['a/\u{1f600}']);
    expect(await walk('prefix=c')).toEqual([]);
  });

  it.each<[string, Expected]>([
    ['?limit=0', [422, 'validation_error', ['query', 'limit']]],
    ['?limit=1001', [422, 'validation_error', ['query', 'limit']]],
    ['?cursor=abc', [422, 'validation_error', ['query', 'cursor']]],
    ['?cursor=', [422, 'validation_error', ['query', 'cursor']]],
  ])('refuse the query %s', async (query, expected) => {
    expectRefused(await client.ask('GET', listPath(query)), expected);
  });

  it('have an address where they are reached without signing', async () => {
    const { id, url } = await put('m\u00fcn/a b!.txt');
    expect(url).toBe(`${bucket.deliveryBaseUrl}/m%C3%BCn/a%20b%21.txt`);
    await admin.get(200, 'PATCH', `${content}/buckets/${bucket.id}`, { body: { visibility: 'private' } });
    expect(await client.get(200, 'GET', objectPath(id))).not.toHaveProperty('url');
    await admin.get(200, 'PATCH', `${content}/buckets/${bucket.id}`, { body: { visibility: 'public' } });
  });

  it('have metadata that is replaced as a whole', async () => {
    const object = await put('metadata');
    const patch = (metadata: unknown): Promise<Answer<ErrorBody>> =>
      client.ask('PATCH', objectPath(object.id), { body: { metadata } });
    const metadata = { text: 'a', number: 1.5, flag: true, none: null };
    expect((await patch(metadata)).body).toMatchObject({ metadata });
    expect((await patch({ other: 'b' })).body).toMatchObject({ metadata: { other: 'b' } });
    expect(await client.get(200, 'PATCH', objectPath(object.id), { body: {} })).toMatchObject({
      metadata: { other: 'b' },
    });
    const many = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
    expect((await patch(many(64))).status).toBe(200);
    const fields: Expected = [422, 'validation_error', ['body', 'metadata']];
    expectRefused(await patch(many(65)), fields);
    expectRefused(await patch(null), fields);
    expectRefused(await patch([]), fields);
    expect((await patch({ a: 'x'.repeat(8192 - 8) })).status).toBe(200);
    expectRefused(await patch({ a: 'x'.repeat(8192 - 7) }), fields);
    expectRefused(await patch({ a: [] }), [422, 'validation_error', ['body', 'metadata', 'a']]);
    expectRefused(await patch({ a: {} }), [422, 'validation_error', ['body', 'metadata', 'a']]);
    expectRefused(await client.ask('PATCH', objectPath(object.id), { body: { key: 'x' } }), [
      422,
      'validation_error',
      ['body', 'key'],
    ]);
  });

  it('are deleted, counted off, and their key is free again', async () => {
    const { id: bucketId } = await createBucket(admin);
    const { id } = await putObject(client, bucketId, 'gone', Buffer.from('four'));
    const read = (): Promise<BucketView> => client.get(200, 'GET', `${content}/buckets/${bucketId}`);
    expect(await read()).toMatchObject({ storedBytes: 4, objectCount: 1 });
    expect((await client.ask('DELETE', objectPath(id))).status).toBe(204);
    expect(await read()).toMatchObject({ storedBytes: 0, objectCount: 0 });
    for (const [method, body] of [
      ['GET', undefined],
      ['DELETE', undefined],
      ['PATCH', { metadata: {} }],
    ] as const)
      expectRefused(await client.ask(method, objectPath(id), { body }), [404, 'object_not_found']);
    expect(await client.get(200, 'GET', `${content}/buckets/${bucketId}/objects`)).toEqual({
      items: [],
      nextCursor: null,
    });
    expect((await putObject(client, bucketId, 'gone', Buffer.from('x'))).id).not.toBe(id);
  });

  it("are the organization's own", async () => {
    const other = client.as((await admin.createOrganization('Other')).id);
    const { id } = await put('own');
    for (const [method, path, body, code] of [
      ['GET', objectPath(id), undefined, 'object_not_found'],
      ['PATCH', objectPath(id), { metadata: {} }, 'object_not_found'],
      ['DELETE', objectPath(id), undefined, 'object_not_found'],
      ['GET', listPath(''), undefined, 'bucket_not_found'],
    ] as const)
      expectRefused(await other.ask(method, path, { body }), [404, code]);
    expectRefused(await client.ask('GET', objectPath(randomUUID())), [404, 'object_not_found']);
  });
});
