import { keyAccess, organizationAccess } from './access.ts';
import { readAudit } from './audit.ts';
import { bootstrapAccount } from './bootstrap.ts';
import { hashKey, listKeys } from './keys.ts';
import { startedHouse, testHouse, type TestHouse } from './testing/house.ts';

let house: TestHouse;
afterEach(() => house.stop());

describe('the first start', () => {
  it('makes one account, its organization and two keys that work, and tells the keys once', async () => {
    const started = await startedHouse();
    house = started.house;
    const { accountId, organizationId, adminKey, standardKey } = started.first;
    expect(adminKey).toMatch(/^ply_[A-Za-z0-9_-]{40,}$/);
    expect(await keyAccess(house, hashKey(adminKey))).toMatchObject({ accountId, ownOrganizationId: organizationId, scope: 'admin', prefix: adminKey.slice(0, 12), features: null, limits: { requests: 60_000 } });
    expect(await keyAccess(house, hashKey(standardKey))).toMatchObject({ accountId, scope: 'standard' });
    expect(await organizationAccess(house, accountId, organizationId)).toBe('allowed');
    expect(await bootstrapAccount(house)).toBeNull();
    expect((await listKeys(house)).length).toBe(2);
    const { items } = await readAudit(house.books, accountId, 10, null);
    expect(items.map(({ id, action, actor }) => [id, action, actor.kind])).toEqual([['2', 'api_key.created', 'plycdn'], ['1', 'api_key.created', 'plycdn']]);
  });

  it('keeps neither a key nor anything beyond its hash and first characters', async () => {
    const started = await startedHouse();
    house = started.house;
    const everything = JSON.stringify(await Promise.all([
      house.books.keys.find({ filter: {}, limit: 100 }), house.books.audit.find({ filter: {}, limit: 100 }), house.books.firstStarts.find({ filter: {}, limit: 100 }),
    ]));
    expect(everything).toContain(hashKey(started.first.adminKey));
    expect(everything).not.toContain(started.first.adminKey.slice(4, 20));
    expect(everything).not.toContain(started.first.standardKey.slice(4, 20));
  });

  it('takes the given values', async () => {
    const organizationId = '0b7e0a43-6b0c-4a55-9b39-6f1d7c1f2a10';
    const started = await startedHouse({
      PLY_BOOTSTRAP_ORGANIZATION_ID: organizationId, PLY_BOOTSTRAP_ADMIN_KEY: 'an-admin-key-of-the-operator', PLY_BOOTSTRAP_STANDARD_KEY: 'a-standard-key-of-theirs',
      PLY_BOOTSTRAP_EMAIL: 'owner@example.com', PLY_BOOTSTRAP_PASSWORD: 'a password',
    });
    house = started.house;
    expect(started.first).toMatchObject({ organizationId, adminKey: 'an-admin-key-of-the-operator', standardKey: 'a-standard-key-of-theirs' });
    expect(await keyAccess(house, hashKey('an-admin-key-of-the-operator'))).toMatchObject({ ownOrganizationId: organizationId, prefix: 'an-admin-key' });
  });

  it('refuses one key for both', async () => {
    house = await testHouse({ PLY_BOOTSTRAP_ADMIN_KEY: 'the-same-key-for-both-scopes', PLY_BOOTSTRAP_STANDARD_KEY: 'the-same-key-for-both-scopes' });
    await expect(bootstrapAccount(house)).rejects.toThrow('are the same');
    expect(await listKeys(house)).toEqual([]);
  });

  it('is done once when several processes start at once', async () => {
    house = await testHouse();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => bootstrapAccount(house)));
    const [winner, ...others] = outcomes.filter((outcome) => outcome !== null);
    expect(others).toEqual([]);
    expect(await house.books.accounts.count({})).toBe(1);
    expect(await house.books.organizations.count({})).toBe(1);
    expect(await keyAccess(house, hashKey(winner?.adminKey ?? ''))).toMatchObject({ accountId: winner?.accountId });
    expect((await listKeys(house)).length).toBe(2);
  });

  it('is ended by the next start when a process died at any write', async () => {
    for (let writes = 0; ; writes += 1) {
      house = await testHouse();
      const dying = dyingAfter(house, writes);
      const first = await bootstrapAccount(dying).catch((error: Error) => error.message);
      house.pass(60_000);
      const second = await bootstrapAccount(house);
      const told = typeof first === 'object' ? first : second;
      expect(await house.books.accounts.count({})).toBe(1);
      expect((await listKeys(house)).map(({ scope }) => scope).sort()).toEqual(['admin', 'standard']);
      expect((await house.books.firstStarts.get('first-start'))?.state).toBe('done');
      expect(await house.books.audit.count({})).toBe(2);
      if (told !== null) expect(await keyAccess(house, hashKey(told.standardKey))).toMatchObject({ scope: 'standard', accountId: told.accountId });
      if (typeof first === 'object') break;
      await house.stop();
      expect(writes).toBeLessThan(30);
    }
  });
});

/** The same house, whose store fails for good after so many writes. */
function dyingAfter(whole: TestHouse, writes: number): TestHouse {
  let left = writes;
  const mortal = <T extends object>(collection: T): T => new Proxy(collection, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || !['insert', 'insertNew', 'update', 'put', 'remove'].includes(String(name))) return method;
      return async (...given: unknown[]) => {
        if (left === 0) throw new Error('the process died');
        left -= 1;
        return Reflect.apply(method, target, given);
      };
    },
  });
  return { ...whole, records: { ...whole.records, collection: (definition, scope) => mortal(whole.records.collection(definition, scope)) } };
}
