import { keyAccess, organizationAccess } from './access.ts';
import { readAudit } from './audit.ts';
import { bootstrapAccount } from './bootstrap.ts';
import { hashKey, listKeys } from './keys.ts';
import { startedApp, testApp, type TestApp } from './testing/app.ts';

let app: TestApp;
afterEach(() => app.stop());

describe('the first start', () => {
  it('creates one account, its organization and two working keys, and returns the keys once', async () => {
    const started = await startedApp();
    app = started.app;
    const { accountId, organizationId, adminKey, standardKey } = started.first;
    expect(adminKey).toMatch(/^ply_[A-Za-z0-9_-]{40,}$/);
    expect(await keyAccess(app, hashKey(adminKey))).toMatchObject({
      accountId,
      ownOrganizationId: organizationId,
      scope: 'admin',
      prefix: adminKey.slice(0, 12),
      features: null,
      limits: { requests: 60_000 },
    });
    expect(await keyAccess(app, hashKey(standardKey))).toMatchObject({ accountId, scope: 'standard' });
    expect(await organizationAccess(app, accountId, organizationId)).toBe('allowed');
    expect(await bootstrapAccount(app)).toBeNull();
    expect((await listKeys(app)).length).toBe(2);
    const { items } = await readAudit(app.collections, accountId, 10, null);
    expect(items.map(({ id, action, actor }) => [id, action, actor.kind])).toEqual([
      ['2', 'api_key.created', 'plycdn'],
      ['1', 'api_key.created', 'plycdn'],
    ]);
  });

  it('stores only the hash and the prefix of a key', async () => {
    const started = await startedApp();
    app = started.app;
    const everything = JSON.stringify(
      await Promise.all([
        app.collections.keys.find({ filter: {}, limit: 100 }),
        app.collections.audit.find({ filter: {}, limit: 100 }),
        app.collections.firstStarts.find({ filter: {}, limit: 100 }),
      ]),
    );
    expect(everything).toContain(hashKey(started.first.adminKey));
    expect(everything).not.toContain(started.first.adminKey.slice(4, 20));
    expect(everything).not.toContain(started.first.standardKey.slice(4, 20));
  });

  it('uses the configured values', async () => {
    const organizationId = '0b7e0a43-6b0c-4a55-9b39-6f1d7c1f2a10';
    const started = await startedApp({
      PLY_BOOTSTRAP_ORGANIZATION_ID: organizationId,
      PLY_BOOTSTRAP_ADMIN_KEY: 'an-admin-key-of-the-operator',
      PLY_BOOTSTRAP_STANDARD_KEY: 'a-standard-key-of-theirs',
      PLY_BOOTSTRAP_EMAIL: 'owner@example.com',
      PLY_BOOTSTRAP_PASSWORD: 'a password',
    });
    app = started.app;
    expect(started.first).toMatchObject({
      organizationId,
      adminKey: 'an-admin-key-of-the-operator',
      standardKey: 'a-standard-key-of-theirs',
    });
    expect(await keyAccess(app, hashKey('an-admin-key-of-the-operator'))).toMatchObject({
      ownOrganizationId: organizationId,
      prefix: 'an-admin-key',
    });
  });

  it('refuses the same key for both scopes', async () => {
    app = await testApp({
      PLY_BOOTSTRAP_ADMIN_KEY: 'the-same-key-for-both-scopes',
      PLY_BOOTSTRAP_STANDARD_KEY: 'the-same-key-for-both-scopes',
    });
    await expect(bootstrapAccount(app)).rejects.toThrow('are the same');
    expect(await listKeys(app)).toEqual([]);
  });

  it('runs once when several processes start concurrently', async () => {
    app = await testApp();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => bootstrapAccount(app)));
    const [winner, ...others] = outcomes.filter((outcome) => outcome !== null);
    expect(others).toEqual([]);
    expect(await app.collections.accounts.count({})).toBe(1);
    expect(await app.collections.organizations.count({})).toBe(1);
    expect(await keyAccess(app, hashKey(winner?.adminKey ?? ''))).toMatchObject({ accountId: winner?.accountId });
    expect((await listKeys(app)).length).toBe(2);
  });

  it('is completed by the next start when a process died at any write', async () => {
    for (let writes = 0; ; writes += 1) {
      app = await testApp();
      const dying = dyingAfter(app, writes);
      const first = await bootstrapAccount(dying).catch((error: Error) => error.message);
      app.pass(60_000);
      const second = await bootstrapAccount(app);
      const reported = typeof first === 'object' ? first : second;
      expect(await app.collections.accounts.count({})).toBe(1);
      expect((await listKeys(app)).map(({ scope }) => scope).sort()).toEqual(['admin', 'standard']);
      expect((await app.collections.firstStarts.get('first-start'))?.state).toBe('done');
      expect(await app.collections.audit.count({})).toBe(2);
      if (reported !== null)
        expect(await keyAccess(app, hashKey(reported.standardKey))).toMatchObject({
          scope: 'standard',
          accountId: reported.accountId,
        });
      if (typeof first === 'object') break;
      await app.stop();
      expect(writes).toBeLessThan(30);
    }
  });
});

/** The same app context, whose store fails permanently after a number of writes. */
function dyingAfter(whole: TestApp, writes: number): TestApp {
  let left = writes;
  const mortal = <T extends object>(collection: T): T =>
    new Proxy(collection, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function' || !['insert', 'insertNew', 'update', 'put', 'remove'].includes(String(name)))
          return method;
        return async (...given: unknown[]) => {
          if (left === 0) throw new Error('the process died');
          left -= 1;
          return Reflect.apply(method, target, given);
        };
      },
    });
  return {
    ...whole,
    records: {
      ...whole.records,
      collection: (definition, scope) => mortal(whole.records.collection(definition, scope)),
    },
  };
}
