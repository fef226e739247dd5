import { randomUUID } from 'node:crypto';
import type { BucketView, LinkView, SigningProfileView } from '../../models/bucket.ts';
import { content, expectRefused, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, putObject } from './support/storage.ts';

let program: TestProgram;
let admin: Client;
beforeAll(async () => {
  program = await startTestProgram();
  ({ admin } = program);
});
afterAll(() => program.end());

const path = `${content}/buckets`;
const create = (fields: object = {}, settings: object = {}): Promise<BucketView> =>
  createBucket(admin, fields, settings);
const profile = (id: string, client = admin): Promise<SigningProfileView> =>
  client.get(200, 'GET', `${path}/${id}/signing-profile`);

describe('the signing profile', () => {
  it('says what links are signed with, to either key', async () => {
    const { id, defaultHostname } = await create();
    const answer = await profile(id, program.standard);
    expect(answer).toEqual({
      bucketId: id,
      scheme: 'pl1',
      keyId: expect.stringMatching(/^[A-Za-z0-9_-]{8}$/),
      key: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      hostname: defaultHostname,
      hostnames: [defaultHostname],
      defaultTtlSeconds: 900,
      ipBinding: false,
      directoryScheme: null,
      pathTokens: false,
      tagsEnabled: true,
    });
    expect(Buffer.from(answer.key, 'base64url')).toHaveLength(32);
    expect(await profile(id)).toEqual(answer);
  });

  it("follows the region and the bucket's settings", async () => {
    const { id } = await create({ region: 'eu-central' }, { delivery: { linkTtlSeconds: 60, ipBinding: true } });
    expect(await profile(id)).toMatchObject({ scheme: 'ps2', defaultTtlSeconds: 60, ipBinding: true });
  });

  it('is of its own organization alone', async () => {
    const { id } = await create();
    const other = admin.as((await admin.createOrganization('Other')).id);
    for (const unknown of [id, randomUUID()]) {
      const client = unknown === id ? other : admin;
      expectRefused(await client.ask('GET', `${path}/${unknown}/signing-profile`), [404, 'bucket_not_found']);
      expectRefused(await client.ask('POST', `${path}/${unknown}/signing-key/rotate`), [404, 'bucket_not_found']);
    }
  });
});

describe('the rotation of a signing key', () => {
  it('answers a new key, which the profile then shows', async () => {
    const { id } = await create();
    const before = await profile(id);
    const rotated = await admin.get<SigningProfileView>(200, 'POST', `${path}/${id}/signing-key/rotate`);
    expect(rotated).toEqual({ ...before, keyId: rotated.keyId, key: rotated.key });
    expect(rotated.keyId).not.toBe(before.keyId);
    expect(rotated.key).not.toBe(before.key);
    expect(await profile(id)).toEqual(rotated);
  });

  it('needs an admin key and an active bucket', async () => {
    const { id } = await create();
    expectRefused(await program.standard.ask('POST', `${path}/${id}/signing-key/rotate`), [403, 'admin_key_required']);
    await admin.get(202, 'DELETE', `${path}/${id}`);
    expectRefused(await admin.ask('POST', `${path}/${id}/signing-key/rotate`), [409, 'bucket_not_active']);
  });

  it('is limited to 60 an hour for an account, refused ones included', async () => {
    const busy = await startTestProgram();
    try {
      for (let round = 0; round < 60; round += 1)
        expectRefused(await busy.admin.ask('POST', `${path}/${randomUUID()}/signing-key/rotate`), [
          404,
          'bucket_not_found',
        ]);
      const sub = busy.admin.as((await busy.admin.createOrganization('Sub')).id);
      const refused = await sub.ask('POST', `${path}/${randomUUID()}/signing-key/rotate`);
      expectRefused(refused, [429, 'rate_limited']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    } finally {
      await busy.end();
    }
  });
});

describe('signing', () => {
  const sign = `${content}/sign`;

  it('answers a link to a file by its key and by its id, to either key', async () => {
    const { id, defaultHostname } = await create();
    const object = await putObject(admin, id, 'a b/ü.txt', Buffer.from('x'));
    const { keyId } = await profile(id);
    for (const named of [{ key: 'a b/ü.txt' }, { objectId: object.id }]) {
      const { url, expiresAt } = await program.standard.get<LinkView>(200, 'POST', sign, {
        body: { bucketId: id, tags: { customer: 'c-42' }, ...named },
      });
      const expires = Date.parse(expiresAt ?? '') / 1000;
      expect(url.replace(/[\w-]{43}$/, '')).toBe(
        `https://${defaultHostname}/a%20b/%C3%BC.txt?expires=${expires}&kid=${keyId}&tag.customer=c-42&token=`,
      );
    }
  });

  it('answers the plain address in a public bucket', async () => {
    const { id } = await create({ visibility: 'public' });
    const { url } = await putObject(admin, id, 'a!.txt', Buffer.from('x'));
    expect(
      await admin.get(200, 'POST', sign, { body: { bucketId: id, key: 'a!.txt', ip: 'x', ttlSeconds: 0 } }),
    ).toEqual({ url, expiresAt: null });
  });

  it('names the field at fault', async () => {
    const { id } = await create();
    for (const [body, ...fields] of [
      [{}],
      [{ key: 'a', objectId: id }],
      [{ key: 'a', ttlSeconds: 59 }, 'ttlSeconds'],
      [{ key: 'a', ip: '1.2.3.4' }, 'ip'],
      [{ key: 'a', hostname: 'a b' }, 'hostname'],
      [{ key: 'a', tags: { A: 'b' } }, 'tags', 'A'],
      [{ key: 'a', tags: 'b' }, 'tags'],
      [{ objectId: 'a' }, 'objectId'],
      [{ key: 'a', other: 1 }, 'other'],
    ] as [object, ...string[]][])
      expectRefused(await admin.ask('POST', sign, { body: { bucketId: id, ...body } }), [
        422,
        'validation_error',
        ['body', ...fields],
      ]);
    expectRefused(await admin.ask('POST', sign, { body: { bucketId: id, key: 'a' } }), [404, 'object_not_found']);
    const other = admin.as((await admin.createOrganization('Signer')).id);
    expectRefused(await other.ask('POST', sign, { body: { bucketId: id, key: 'a' } }), [404, 'bucket_not_found']);
  });
});
