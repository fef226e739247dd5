import { keyAccess } from './access.ts';
import { readAudit } from './audit.ts';
import { createKey, deactivateKey, hashKey, listKeys, reactivateKey, rotateKey } from './keys.ts';
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
    expect(items.every(({ actor, resourceKind }) => actor.kind === 'plycdn' && actor.id === null && actor.prefix === null && resourceKind === 'api_key')).toBe(true);
    // The first two were made by the service at its first start, all else by whoever operates it.
    expect(items.map(({ actor }) => actor.label)).toEqual(['command line', 'command line', 'command line', 'command line', null, null]);
    expect(JSON.stringify(items)).not.toContain(key.slice(12));
  });

  it('get another secret when they are rotated, and stay what they are', async () => {
    const before = (await listKeys(house)).find(({ scope }) => scope === 'standard');
    const id = before?._id ?? '';
    const rotated = await rotateKey(house, id);
    expect(rotated).toMatchObject({ view: { ...before, prefix: rotated?.key.slice(0, 12) }, formerHash: hashKey(first.standardKey) });
    expect(await keyAccess(house, hashKey(first.standardKey))).toBeNull();
    expect(await keyAccess(house, hashKey(rotated?.key ?? ''))).toMatchObject({ keyId: id, scope: 'standard' });
    expect((await listKeys(house)).length).toBe(2);
    const { items: [row] } = await readAudit(house.books, first.accountId, 1, null);
    expect(row).toMatchObject({ action: 'api_key.rotated', resourceKind: 'api_key', resourceId: id, actor: { kind: 'plycdn', label: 'command line' }, detail: { prefix: first.standardKey.slice(0, 12), scope: 'standard' } });
    expect(JSON.stringify(row)).not.toContain(rotated?.key.slice(0, 12));
    expect(await house.books.keys.get(id)).not.toHaveProperty('pendingAuditMark');
  });

  it('are not rotated while inactive, expired or unknown', async () => {
    const [one, other] = await listKeys(house);
    await deactivateKey(house, one?._id ?? '');
    await expect(rotateKey(house, one?._id ?? '')).rejects.toThrow('reactivate it first');
    expect(await rotateKey(house, 'none')).toBeNull();
    const soon = house.ambient.now() + 1000;
    expect(await rotateKey(house, other?._id ?? '', soon)).toMatchObject({ view: { expiresAt: soon } });
    house.pass(2000);
    await expect(rotateKey(house, other?._id ?? '')).rejects.toThrow('expires at');
    expect(await rotateKey(house, other?._id ?? '', null)).toMatchObject({ view: { expiresAt: null, isActive: true } });
  });

  it('are held by one of several rotations at once', async () => {
    const [one] = await listKeys(house);
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => rotateKey(house, one?._id ?? '')));
    const made = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' && outcome.value !== null ? outcome.value.key : []));
    expect(made.length).toBe(1);
    expect(await keyAccess(house, hashKey(made[0] ?? ''))).toMatchObject({ keyId: one?._id });
    expect(await house.books.audit.count({ action: 'api_key.rotated' })).toBe(1);
  });

  it('count as active no longer when they expired, and make room', async () => {
    const [one] = await listKeys(house);
    await rotateKey(house, one?._id ?? '', house.ambient.now() + 1000);
    const wanted = { scope: 'standard', label: 'new', expiresAt: null } as const;
    await expect(createKey(house, first.accountId, wanted)).rejects.toMatchObject({ type: 'api_key_limit_reached' });
    house.pass(2000);
    expect(await createKey(house, first.accountId, wanted)).toMatchObject({ view: { isActive: true } });
    expect((await listKeys(house)).find(({ _id }) => _id === one?._id)).toMatchObject({ isActive: false });
    await expect(reactivateKey(house, one?._id ?? '')).rejects.toThrow('expires at');
    await expect(createKey(house, first.accountId, { ...wanted, expiresAt: house.ambient.now() })).rejects.toThrow('refused at once');
    const { items } = await readAudit(house.books, first.accountId, 2, null);
    expect(items.map(({ action, actor }) => [action, actor.kind, actor.label])).toEqual([['api_key.created', 'plycdn', 'command line'], ['api_key.deactivated', 'plycdn', null]]);
  });

  it('stay two when many are made or woken at once', async () => {
    for (const { _id } of await listKeys(house)) await deactivateKey(house, _id);
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, place) => createKey(house, first.accountId, { scope: 'standard', label: `${place}`, expiresAt: null }).then(() => 'made', (error: { type?: string }) => error.type)));
    expect(outcomes.filter((outcome) => outcome === 'made').length).toBe(2);
    expect(outcomes.filter((outcome) => outcome === 'api_key_limit_reached').length).toBe(6);
    expect((await listKeys(house)).filter(({ isActive }) => isActive).length).toBe(2);
  });

  it('are ten created or rotated in an hour at most, whatever was refused, and only for an account', async () => {
    const wanted = { scope: 'standard', label: 'one', expiresAt: null } as const;
    for (let count = 0; count < 12; count += 1) await expect(createKey(house, first.accountId, wanted)).rejects.toMatchObject({ type: 'api_key_limit_reached' });
    const [one, other] = await listKeys(house);
    await deactivateKey(house, other?._id ?? '');
    for (let count = 0; count < 5; count += 1) {
      const { view } = await createKey(house, first.accountId, wanted);
      await deactivateKey(house, view._id);
      expect(await rotateKey(house, one?._id ?? '')).toMatchObject({ view: { _id: one?._id } });
    }
    const refused = { type: 'rate_limited', code: 429, data: { retryAfter: 3600 } };
    await expect(createKey(house, first.accountId, wanted)).rejects.toMatchObject(refused);
    await expect(rotateKey(house, one?._id ?? '')).rejects.toMatchObject(refused);
    expect(await deactivateKey(house, one?._id ?? '')).toMatchObject({ isActive: false });
    await expect(createKey(house, 'none', wanted)).rejects.toThrow('no account');
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
