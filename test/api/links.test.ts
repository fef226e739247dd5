import { randomUUID } from 'node:crypto';
import type { BucketView, SigningProfileView } from '../../models/bucket.ts';
import { content, expectRefused, until, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
let admin: Client;
beforeAll(async () => {
  program = await startTestProgram();
  ({ admin } = program);
});
afterAll(() => program.end());

const path = `${content}/buckets`;
async function create(fields: object = {}, settings: object = {}): Promise<BucketView> {
  const { id } = await admin.get<BucketView>(202, 'POST', path, {
    body: { name: `b-${randomUUID()}`, region: 'in-west', ...fields },
    headers: { 'Idempotency-Key': randomUUID() },
  });
  await until(
    () => admin.get<BucketView>(200, 'GET', `${path}/${id}`),
    ({ state }) => state === 'active',
  );
  return admin.get(200, 'PATCH', `${path}/${id}`, { body: settings });
}
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
