import { accounts, organizations } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { allows, storageCredentials } from '../../models/storage-credential.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { testCredential } from '../../test/support/storage-credential.ts';
import { DoorCredentials } from './door-credentials.ts';

let opened: TestApp;
let doors: DoorCredentials;
beforeEach(async () => {
  opened = await testApp();
  doors = new DoorCredentials(opened.app);
  const { records } = opened.app;
  await records.collection(accounts, systemScope).insert({
    _id: 'account',
    organizationId: 'organization',
    plan: null,
    timeZone: 'UTC',
    createdAt: 0,
  });
  await records.collection(organizations, systemScope).insert({
    _id: 'organization',
    accountId: 'account',
    parentId: null,
    name: 'One',
    contactEmail: null,
    description: null,
    isActive: true,
    metadata: null,
    createdAt: 0,
    updatedAt: 0,
  });
});
afterEach(() => opened.close());

const all = () => opened.app.records.collection(storageCredentials, systemScope);

describe('credentials at a door', () => {
  it('are found by access key, with their secret and the limit of the plan', async () => {
    await all().insert(testCredential(opened.app.sealer, { accessKeyId: 'KEY' }, 'a secret'));
    expect(await doors.withAccessKey('KEY')).toMatchObject({
      id: 'credential',
      organizationId: 'organization',
      secret: 'a secret',
      requestsPerMinute: opened.app.configuration.PLY_STORAGE_REQUESTS_PER_MINUTE,
    });
    expect(await doors.withAccessKey('OTHER')).toBeNull();
  });

  it('of a storage account are its keys by slot', async () => {
    const key = (slot: 1 | 2) =>
      testCredential(
        opened.app.sealer,
        { _id: `key-${slot}`, kind: 'azure', slot, slotKey: `organization.${slot}` },
        `secret ${slot}`,
      );
    await all().insertNew([key(2), key(1)]);
    expect((await doors.keysOf('organization')).map(({ slot, secret }) => [slot, secret])).toEqual([
      [1, 'secret 1'],
      [2, 'secret 2'],
    ]);
    expect(await doors.keysOf('another')).toEqual([]);
  });

  it.each([
    ['that are revoked', { state: 'revoked' as const }],
    ['that are expired', { expiresAt: 5 }],
  ])('%s are refused', async (_, fields) => {
    await all().insert(testCredential(opened.app.sealer, { accessKeyId: 'KEY', ...fields }, 's'));
    expect(await doors.withAccessKey('KEY')).toBeNull();
  });

  it('that expire while they are cached are refused at once', async () => {
    const expiresAt = opened.app.runtime.now() + 5000;
    await all().insert(testCredential(opened.app.sealer, { accessKeyId: 'KEY', expiresAt }, 's'));
    expect(await doors.withAccessKey('KEY')).not.toBeNull();
    opened.ahead.local = 5001;
    expect(await doors.withAccessKey('KEY')).toBeNull();
  });

  it('of a deactivated organization are refused', async () => {
    await all().insert(testCredential(opened.app.sealer, { accessKeyId: 'KEY' }, 's'));
    await opened.app.records
      .collection(organizations, systemScope)
      .update('organization', {}, { set: { isActive: false } });
    expect(await doors.withAccessKey('KEY')).toBeNull();
  });

  it('that were revoked are refused as soon as the door has forgotten them', async () => {
    await all().insert(testCredential(opened.app.sealer, { accessKeyId: 'KEY' }, 's'));
    await doors.withAccessKey('KEY');
    await all().update('credential', {}, { set: { state: 'revoked' } });
    expect(await doors.withAccessKey('KEY')).not.toBeNull();
    doors.forget();
    expect(await doors.withAccessKey('KEY')).toBeNull();
  });

  it('have the time of their last use, to the minute', async () => {
    await all().insert(testCredential(opened.app.sealer, { accessKeyId: 'KEY' }, 's'));
    const found = await doors.withAccessKey('KEY');
    if (found === null) throw new Error('there is no credential');
    const lastUsed = async (): Promise<number | null> => {
      doors.used(found);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return (await all().get('credential'))?.lastUsedAt ?? null;
    };
    const first = await lastUsed();
    expect(first).toBeGreaterThan(Date.now() - 60_000);
    expect(await lastUsed()).toBe(first);
  });
});

describe('a credential allows', () => {
  const grant = { permissions: ['read' as const], bucketIds: ['one'] };

  it('what it was given, on the buckets it names', () => {
    expect(allows(grant, 'read', 'one')).toBe(true);
    expect(allows(grant, 'read', 'two')).toBe(false);
    expect(allows(grant, 'write', 'one')).toBe(false);
    expect(allows({ permissions: ['write', 'manage'], bucketIds: null }, 'write', 'two')).toBe(true);
    expect(allows({ permissions: ['manage'], bucketIds: null }, 'manage', null)).toBe(true);
    expect(allows({ permissions: ['manage'], bucketIds: null }, 'read', 'two')).toBe(false);
  });
});
