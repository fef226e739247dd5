import { keyAccess } from './access.ts';
import { readAudit } from './audit.ts';
import { createKey, deactivateKey, hashKey, listKeys, reactivateKey } from './keys.ts';
import type { FirstStart } from './bootstrap.ts';
import { startedHouse, type TestHouse } from './testing/house.ts';

let house: TestHouse;
let first: FirstStart;
beforeEach(async () => ({ house, first } = await startedHouse()));
afterEach(() => house.stop());

describe('keys', () => {
  it('are two active ones at most', async () => {
    await expect(createKey(house, first.accountId, { scope: 'standard', label: 'third', expiresAt: null })).rejects.toMatchObject({ type: 'api_key_limit_reached', code: 409 });
    const one = (await listKeys(house)).find(({ scope }) => scope === 'admin');
    const oldId = one?._id ?? '';
    expect(await deactivateKey(house, oldId)).toMatchObject({ isActive: false });
    expect(await deactivateKey(house, oldId)).toMatchObject({ isActive: false });
    expect(await keyAccess(house, hashKey(first.adminKey))).toBeNull();

    const { key, view } = await createKey(house, first.accountId, { scope: 'admin', label: 'new', expiresAt: null });
    expect(view).toMatchObject({ scope: 'admin', label: 'new', prefix: key.slice(0, 12) });
    expect(await keyAccess(house, hashKey(key))).toMatchObject({ keyId: view._id, label: 'new' });
    await expect(reactivateKey(house, oldId)).rejects.toMatchObject({ type: 'api_key_limit_reached' });
    await deactivateKey(house, view._id);
    expect(await reactivateKey(house, oldId)).toMatchObject({ isActive: true });
    expect(await reactivateKey(house, oldId)).toMatchObject({ isActive: true });
    expect(await keyAccess(house, hashKey(first.adminKey))).toMatchObject({ keyId: oldId });

    const { items } = await readAudit(house.books, first.accountId, 10, null);
    expect(items.map(({ action }) => action)).toEqual(['api_key.reactivated', 'api_key.deactivated', 'api_key.created', 'api_key.deactivated', 'api_key.created', 'api_key.created']);
    expect(items.every(({ actor, resourceKind }) => actor.kind === 'plycdn' && actor.id === null && resourceKind === 'api_key')).toBe(true);
    expect(JSON.stringify(items)).not.toContain(key.slice(12));
  });

  it('stay two when many are made or woken at once', async () => {
    for (const { _id } of await listKeys(house)) await deactivateKey(house, _id);
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, place) => createKey(house, first.accountId, { scope: 'standard', label: `${place}`, expiresAt: null }).then(() => 'made', (error: { type?: string }) => error.type)));
    expect(outcomes.filter((outcome) => outcome === 'made').length).toBe(2);
    expect(outcomes.filter((outcome) => outcome === 'api_key_limit_reached').length).toBe(6);
    expect((await listKeys(house)).filter(({ isActive }) => isActive).length).toBe(2);
  });

  it('are ten created in an hour at most, and only for an account', async () => {
    for (const { _id } of await listKeys(house)) await deactivateKey(house, _id);
    for (let count = 0; count < 10; count += 1) {
      const { view } = await createKey(house, first.accountId, { scope: 'standard', label: 'one', expiresAt: null });
      await deactivateKey(house, view._id);
    }
    await expect(createKey(house, first.accountId, { scope: 'standard', label: 'eleventh', expiresAt: null })).rejects.toMatchObject({ type: 'rate_limited', code: 429, data: { retryAfter: 3600 } });
    await expect(createKey(house, 'none', { scope: 'standard', label: 'x', expiresAt: null })).rejects.toThrow('no account');
    expect(await deactivateKey(house, 'none')).toBeNull();
    expect(await reactivateKey(house, 'none')).toBeNull();
  });

  it('are no access when unknown or expired', async () => {
    expect(await keyAccess(house, hashKey('unknown'))).toBeNull();
    const one = (await listKeys(house)).find(({ scope }) => scope === 'admin');
    await house.books.keys.update(one?._id ?? '', {}, { set: { expiresAt: house.ambient.now() + 1000 } });
    expect(await keyAccess(house, hashKey(first.adminKey))).toMatchObject({ scope: 'admin' });
    house.pass(2000);
    expect(await keyAccess(house, hashKey(first.adminKey))).toBeNull();
  });
});
