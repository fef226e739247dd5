import { randomUUID } from 'node:crypto';
import type { AuditLogView } from '../../models/audit-log.ts';
import type { NewCredentialView, StorageCredentialView } from '../../models/storage-credential.ts';
import { content, expectRefused, type Client, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { ownerEnvironment, signIn, type SessionClient } from './support/session.ts';
import { createBucket } from './support/storage.ts';

const path = `${content}/storage-credentials`;
const wanted = { name: 'backup', kind: 's3', permissions: ['read', 'write'] };
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

let program: TestProgram;
let dashboard: SessionClient;
beforeAll(async () => {
  program = await startTestProgram(ownerEnvironment);
  dashboard = await signIn(program);
});
afterAll(() => program.end());

const create = (body: object = {}, client: Client = dashboard): Promise<NewCredentialView> =>
  client.get(201, 'POST', path, { body: { ...wanted, ...body } });
const list = async (client: Client = dashboard): Promise<StorageCredentialView[]> =>
  (await client.get<{ items: StorageCredentialView[] }>(200, 'GET', path)).items;
const freshOrganization = async (): Promise<SessionClient> =>
  dashboard.as((await program.admin.createOrganization(`o-${randomUUID()}`)).id);

describe('a credential', () => {
  it('is made with its secret, which is shown once', async () => {
    const made = await create();
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'backup',
      kind: 's3',
      accessKeyId: expect.stringMatching(/^[A-Z0-9]{20}$/),
      slot: null,
      secretHint: made.secret.slice(-4),
      permissions: ['read', 'write'],
      bucketIds: null,
      state: 'active',
      expiresAt: null,
      createdBy: expect.stringMatching(/^user:[0-9a-f-]{36}$/),
      createdAt: expect.stringMatching(instant),
      lastUsedAt: null,
      revokedAt: null,
      secret: expect.stringMatching(/^[\w-]{40}$/),
    });
    const { secret: _, ...shown } = made;
    const listed = await list();
    expect(listed[0]).toEqual(shown);
    expect(JSON.stringify(listed)).not.toContain(made.secret);
  });

  it('has buckets and permissions once each, and an expiry with its zone', async () => {
    const { id } = await createBucket(program.admin);
    expect(
      await create({
        permissions: ['write', 'read', 'write'],
        bucketIds: [id, id.toUpperCase()],
        expiresAt: '2100-01-01T00:00:00+02:00',
      }),
    ).toMatchObject({ permissions: ['write', 'read'], bucketIds: [id], expiresAt: '2099-12-31T22:00:00.000Z' });
  });

  it.each<[object, (string | number)[]]>([
    [{ name: '' }, ['name']],
    [{ name: 'x'.repeat(101) }, ['name']],
    [{ name: undefined }, ['name']],
    [{ kind: 'gcs' }, ['kind']],
    [{ permissions: [] }, ['permissions']],
    [{ permissions: undefined }, ['permissions']],
    [{ permissions: ['read', 'own'] }, ['permissions', 1]],
    [{ bucketIds: ['x'] }, ['bucketIds', 0]],
    [{ bucketIds: [randomUUID()] }, ['bucketIds', 0]],
    [{ bucketIds: Array.from({ length: 101 }, () => randomUUID()) }, ['bucketIds']],
    [{ permissions: ['manage'], bucketIds: [] }, ['bucketIds']],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, ['expiresAt']],
    [{ expiresAt: '2100-01-01T00:00:00' }, ['expiresAt']],
    [{ expiresAt: 5 }, ['expiresAt']],
    [{ state: 'active' }, ['state']],
  ])('is refused with %j', async (fields, at) => {
    expectRefused(await dashboard.ask('POST', path, { body: { ...wanted, ...fields } }), [
      422,
      'validation_error',
      ['body', ...at],
    ]);
  });

  it("does not reach another organization's bucket", async () => {
    const { id } = await createBucket(program.admin);
    const other = await freshOrganization();
    expectRefused(await other.ask('POST', path, { body: { ...wanted, bucketIds: [id] } }), [
      422,
      'validation_error',
      ['body', 'bucketIds', 0],
    ]);
  });

  it('is rotated to a second one, and goes on working until it is revoked', async () => {
    const client = await freshOrganization();
    const made = await create({ expiresAt: '2100-01-01T00:00:00Z' }, client);
    const rotated = await client.get<NewCredentialView>(201, 'POST', `${path}/${made.id}/rotate`);
    expect(rotated).toMatchObject({
      name: made.name,
      permissions: made.permissions,
      bucketIds: null,
      expiresAt: made.expiresAt,
    });
    expect([rotated.id, rotated.secret, rotated.accessKeyId]).not.toEqual([made.id, made.secret, made.accessKeyId]);
    expect((await list(client)).map(({ id, state }) => [id, state])).toEqual([
      [rotated.id, 'active'],
      [made.id, 'active'],
    ]);
    const revoked = await client.get<StorageCredentialView>(200, 'DELETE', `${path}/${made.id}`);
    expect(revoked).toMatchObject({ id: made.id, state: 'revoked', revokedAt: expect.stringMatching(instant) });
    expect(await client.get(200, 'DELETE', `${path}/${made.id}`)).toEqual(revoked);
    expectRefused(await client.ask('POST', `${path}/${made.id}/rotate`), [404, 'credential_not_found']);
    const { items } = await client.get<AuditLogView>(200, 'GET', `${content}/audit`);
    expect(items.map(({ action, resourceKind, resourceId }) => [action, resourceKind, resourceId])).toEqual([
      ['credential.revoked', 'credential', made.id],
      ['credential.rotated', 'credential', made.id],
      ['credential.created', 'credential', made.id],
    ]);
    expect(items[0]?.actor).toBe(made.createdBy);
    expect(JSON.stringify(items)).not.toContain(made.secretHint);
  });

  it('is one of twenty at most; revoked ones do not count', async () => {
    const client = await freshOrganization();
    const made = await Promise.all(Array.from({ length: 20 }, () => create({}, client)));
    const full: Expected = [409, 'credential_limit_reached'];
    expectRefused(await client.ask('POST', path, { body: wanted }), full);
    expectRefused(await client.ask('POST', `${path}/${made[0]?.id}/rotate`), full);
    await client.get(200, 'DELETE', `${path}/${made[0]?.id}`);
    await create({}, client);
    expectRefused(await client.ask('POST', path, { body: wanted }), full);
  });

  it('of another organization is not found', async () => {
    const { id } = await create();
    const other = await freshOrganization();
    for (const [method, at] of [
      ['POST', `${path}/${id}/rotate`],
      ['DELETE', `${path}/${id}`],
      ['DELETE', `${path}/${randomUUID()}`],
    ] as const)
      expectRefused(await other.ask(method, at), [404, 'credential_not_found']);
    expect(await list(other)).toEqual([]);
    expect((await list()).find((each) => each.id === id)?.state).toBe('active');
  });
});

describe('an API key', () => {
  it.each<[string, string, string, string]>([
    ['GET', path, 'dashboard_session_required', 'dashboard_session_required'],
    ['POST', path, 'admin_key_required', 'dashboard_session_required'],
    ['POST', `${path}/${randomUUID()}/rotate`, 'admin_key_required', 'dashboard_session_required'],
    ['DELETE', `${path}/${randomUUID()}`, 'admin_key_required', 'dashboard_session_required'],
  ])('is refused for %s %s', async (method, at, standard, admin) => {
    expectRefused(await program.standard.ask(method, at), [403, standard]);
    expectRefused(await program.admin.ask(method, at), [403, admin]);
  });
});

it('the keys of a storage account are two at a time', async () => {
  const client = await freshOrganization();
  const azure = { kind: 'azure' };
  expectRefused(await client.ask('POST', path, { body: { ...wanted, ...azure } }), [404, 'storage_account_not_found']);
  await program.admin.as(client.organizationId).get(201, 'POST', `${content}/storage-account`, {
    body: { name: `acme${Date.now()}`, homeRegion: 'in-west' },
  });
  const first = await create(azure, client);
  expect(first).toMatchObject({ kind: 'azure', accessKeyId: null, slot: 1 });
  expect(Buffer.from(first.secret, 'base64')).toHaveLength(64);
  expect(await client.get(201, 'POST', `${path}/${first.id}/rotate`)).toMatchObject({ slot: 2 });
  const full: Expected = [409, 'credential_limit_reached'];
  expectRefused(await client.ask('POST', path, { body: { ...wanted, ...azure } }), full);
  expectRefused(await client.ask('POST', `${path}/${first.id}/rotate`), full);
  await client.get(200, 'DELETE', `${path}/${first.id}`);
  expect(await create(azure, client)).toMatchObject({ slot: 1 });
});
