import { setTimeout as pause } from 'node:timers/promises';
import { keyAccess } from './access.ts';
import { readAudit } from './audit.ts';
import { createKey, deactivateKey, hashKey, listKeys, reactivateKey, rotateKey } from './keys.ts';
import type { FirstStart } from './bootstrap.ts';
import { startedApp, type TestApp } from './testing/app.ts';

let app: TestApp;
let first: FirstStart;
beforeEach(async () => ({ app, first } = await startedApp()));
afterEach(() => app.stop());

describe('keys', () => {
  it('are limited to two active keys', async () => {
    await expect(
      createKey(app, first.accountId, { scope: 'standard', label: 'third', expiresAt: null }),
    ).rejects.toMatchObject({ type: 'api_key_limit_reached', code: 409 });
    const one = (await listKeys(app)).find(({ scope }) => scope === 'admin');
    const oldId = one?._id ?? '';
    expect(await deactivateKey(app, oldId)).toMatchObject({ isActive: false });
    expect(await deactivateKey(app, oldId)).toMatchObject({ isActive: false });
    expect(await keyAccess(app, hashKey(first.adminKey))).toBeNull();

    const { key, view } = await createKey(app, first.accountId, { scope: 'admin', label: 'new', expiresAt: null });
    expect(view).toMatchObject({ scope: 'admin', label: 'new', prefix: key.slice(0, 12) });
    expect(await keyAccess(app, hashKey(key))).toMatchObject({ keyId: view._id, label: 'new' });
    await expect(reactivateKey(app, oldId)).rejects.toMatchObject({ type: 'api_key_limit_reached' });
    await deactivateKey(app, view._id);
    expect(await reactivateKey(app, oldId)).toMatchObject({ isActive: true });
    expect(await reactivateKey(app, oldId)).toMatchObject({ isActive: true });
    expect(await keyAccess(app, hashKey(first.adminKey))).toMatchObject({ keyId: oldId });

    const { items } = await readAudit(app.collections, first.accountId, 10, null);
    expect(items.map(({ action }) => action)).toEqual([
      'api_key.reactivated',
      'api_key.deactivated',
      'api_key.created',
      'api_key.deactivated',
      'api_key.created',
      'api_key.created',
    ]);
    expect(
      items.every(
        ({ actor, resourceKind }) =>
          actor.kind === 'plycdn' && actor.id === null && actor.prefix === null && resourceKind === 'api_key',
      ),
    ).toBe(true);
    // The service created the first two at its first start, the operator all others.
    expect(items.map(({ actor }) => actor.label)).toEqual([
      'command line',
      'command line',
      'command line',
      'command line',
      null,
      null,
    ]);
    expect(JSON.stringify(items)).not.toContain(key.slice(12));
  });

  it('get a new secret by rotation and keep their other fields', async () => {
    const before = (await listKeys(app)).find(({ scope }) => scope === 'standard');
    const id = before?._id ?? '';
    const rotated = await rotateKey(app, id);
    expect(rotated).toMatchObject({
      view: { ...before, prefix: rotated?.key.slice(0, 12) },
      formerHash: hashKey(first.standardKey),
    });
    expect(await keyAccess(app, hashKey(first.standardKey))).toBeNull();
    expect(await keyAccess(app, hashKey(rotated?.key ?? ''))).toMatchObject({ keyId: id, scope: 'standard' });
    expect((await listKeys(app)).length).toBe(2);
    const {
      items: [row],
    } = await readAudit(app.collections, first.accountId, 1, null);
    expect(row).toMatchObject({
      action: 'api_key.rotated',
      resourceKind: 'api_key',
      resourceId: id,
      actor: { kind: 'plycdn', label: 'command line' },
      detail: { prefix: first.standardKey.slice(0, 12), scope: 'standard' },
    });
    expect(JSON.stringify(row)).not.toContain(rotated?.key.slice(0, 12));
    expect(await app.collections.keys.get(id)).not.toHaveProperty('pendingAuditMark');
  });

  it('keep their previous secret for the overlap of a rotation, but not that before it', async () => {
    const id = (await listKeys(app)).find(({ scope }) => scope === 'standard')?._id ?? '';
    const before = await rotateKey(app, id);
    const first = await rotateKey(app, id, undefined, 60_000);
    const isAccepted = async (made: { key: string } | null): Promise<boolean> =>
      (await keyAccess(app, hashKey(made?.key ?? '')))?.keyId === id;
    expect([await isAccepted(before), await isAccepted(first)]).toEqual([true, true]);
    const second = await rotateKey(app, id, undefined, 1);
    expect([await isAccepted(before), await isAccepted(second)]).toEqual([false, true]);
    await pause(5);
    expect([await isAccepted(first), await isAccepted(second)]).toEqual([false, true]);
    const third = await rotateKey(app, id, undefined, 60_000);
    await deactivateKey(app, id);
    expect([await isAccepted(second), await isAccepted(third)]).toEqual([false, false]);
    await reactivateKey(app, id);
    const fourth = await rotateKey(app, id);
    expect([await isAccepted(third), await isAccepted(fourth)]).toEqual([false, true]);
  });

  it('cannot be rotated while inactive, expired or unknown', async () => {
    const [one, other] = await listKeys(app);
    await deactivateKey(app, one?._id ?? '');
    await expect(rotateKey(app, one?._id ?? '')).rejects.toThrow('reactivate it first');
    expect(await rotateKey(app, 'none')).toBeNull();
    const soon = app.runtime.now() + 1000;
    expect(await rotateKey(app, other?._id ?? '', soon)).toMatchObject({ view: { expiresAt: soon } });
    app.pass(2000);
    await expect(rotateKey(app, other?._id ?? '')).rejects.toThrow('expires at');
    expect(await rotateKey(app, other?._id ?? '', null)).toMatchObject({ view: { expiresAt: null, isActive: true } });
  });

  it('are rotated by only one of several concurrent rotations', async () => {
    const [one] = await listKeys(app);
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => rotateKey(app, one?._id ?? '')));
    const made = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' && outcome.value !== null ? outcome.value.key : [],
    );
    expect(made.length).toBe(1);
    expect(await keyAccess(app, hashKey(made[0] ?? ''))).toMatchObject({ keyId: one?._id });
    expect(await app.collections.audit.count({ action: 'api_key.rotated' })).toBe(1);
  });

  it('free their slot when they expire', async () => {
    const [one] = await listKeys(app);
    await rotateKey(app, one?._id ?? '', app.runtime.now() + 1000);
    const wanted = { scope: 'standard', label: 'new', expiresAt: null } as const;
    await expect(createKey(app, first.accountId, wanted)).rejects.toMatchObject({ type: 'api_key_limit_reached' });
    app.pass(2000);
    expect(await createKey(app, first.accountId, wanted)).toMatchObject({ view: { isActive: true } });
    expect((await listKeys(app)).find(({ _id }) => _id === one?._id)).toMatchObject({ isActive: false });
    await expect(reactivateKey(app, one?._id ?? '')).rejects.toThrow('expires at');
    await expect(createKey(app, first.accountId, { ...wanted, expiresAt: app.runtime.now() })).rejects.toThrow(
      'must be in the future',
    );
    const { items } = await readAudit(app.collections, first.accountId, 2, null);
    expect(items.map(({ action, actor }) => [action, actor.kind, actor.label])).toEqual([
      ['api_key.created', 'plycdn', 'command line'],
      ['api_key.deactivated', 'plycdn', null],
    ]);
  });

  it('stay limited to two when many are created or reactivated concurrently', async () => {
    for (const { _id } of await listKeys(app)) await deactivateKey(app, _id);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        createKey(app, first.accountId, { scope: 'standard', label: `${index}`, expiresAt: null }).then(
          () => 'made',
          (error: { type?: string }) => error.type,
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'made').length).toBe(2);
    expect(outcomes.filter((outcome) => outcome === 'api_key_limit_reached').length).toBe(6);
    expect((await listKeys(app)).filter(({ isActive }) => isActive).length).toBe(2);
  });

  it('can be created or rotated ten times per hour and account, not counting refused attempts', async () => {
    const wanted = { scope: 'standard', label: 'one', expiresAt: null } as const;
    for (let count = 0; count < 12; count += 1)
      await expect(createKey(app, first.accountId, wanted)).rejects.toMatchObject({ type: 'api_key_limit_reached' });
    const [one, other] = await listKeys(app);
    await deactivateKey(app, other?._id ?? '');
    for (let count = 0; count < 5; count += 1) {
      const { view } = await createKey(app, first.accountId, wanted);
      await deactivateKey(app, view._id);
      expect(await rotateKey(app, one?._id ?? '')).toMatchObject({ view: { _id: one?._id } });
    }
    const refused = { type: 'rate_limited', code: 429, data: { retryAfter: 3600 } };
    await expect(createKey(app, first.accountId, wanted)).rejects.toMatchObject(refused);
    await expect(rotateKey(app, one?._id ?? '')).rejects.toMatchObject(refused);
    expect(await deactivateKey(app, one?._id ?? '')).toMatchObject({ isActive: false });
    await expect(createKey(app, 'none', wanted)).rejects.toThrow('no account');
    expect(await deactivateKey(app, 'none')).toBeNull();
    expect(await reactivateKey(app, 'none')).toBeNull();
  });

  it('give no access when unknown or expired', async () => {
    expect(await keyAccess(app, hashKey('unknown'))).toBeNull();
    const one = (await listKeys(app)).find(({ scope }) => scope === 'admin');
    await app.collections.keys.update(one?._id ?? '', {}, { set: { expiresAt: app.runtime.now() + 1000 } });
    expect(await keyAccess(app, hashKey(first.adminKey))).toMatchObject({ scope: 'admin' });
    app.pass(2000);
    expect(await keyAccess(app, hashKey(first.adminKey))).toBeNull();
  });
});
