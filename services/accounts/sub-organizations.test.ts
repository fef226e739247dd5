import { organizationAccess } from './access.ts';
import { readAudit, flushAllAudit } from './audit.ts';
import type { Caller } from '../../models/api.ts';
import type { FirstStart } from './bootstrap.ts';
import {
  changeSubOrganization,
  createSubOrganization,
  deactivateSubOrganization,
  listSubOrganizations,
  readSubOrganization,
} from './sub-organizations.ts';
import { adminOf, startedApp, type TestApp } from './testing/app.ts';

let app: TestApp;
let first: FirstStart;
let caller: Caller;
beforeEach(async () => {
  ({ app, first } = await startedApp());
  caller = adminOf(first);
});
afterEach(() => app.stop());

const audit = async (limit = 100): Promise<string[]> =>
  (await readAudit(app.collections, first.accountId, limit, null)).items
    .map(({ action }) => action)
    .filter((action) => action.startsWith('sub_'));

describe('sub-organizations', () => {
  it('are created, read, listed, changed, deactivated and reactivated', async () => {
    const made = await createSubOrganization(app, caller, {
      name: 'Nörd',
      contact_email: 'a@b.example',
      metadata: { tier: 1 },
    });
    expect(made).toMatchObject({
      parent_organization_id: first.organizationId,
      name: 'Nörd',
      contact_email: 'a@b.example',
      description: null,
      is_active: true,
      metadata: { tier: 1 },
    });
    expect(made.created_at).toMatch(/^\d{4}-.*\.\d{3}Z$/);
    expect(await readSubOrganization(app, caller, made.id)).toEqual(made);
    expect(await organizationAccess(app, first.accountId, made.id)).toBe('allowed');

    app.pass(1000);
    const changed = await changeSubOrganization(app, caller, made.id, { description: 'new words', metadata: null });
    expect(changed).toEqual({ ...made, description: 'new words', metadata: null, updated_at: changed.updated_at });
    expect(changed.updated_at > made.updated_at).toBe(true);

    expect(await deactivateSubOrganization(app, caller, made.id)).toEqual({
      success: true,
      message: expect.any(String),
    });
    expect(await deactivateSubOrganization(app, caller, made.id)).toMatchObject({ success: true });
    expect(await organizationAccess(app, first.accountId, made.id)).toBe('forbidden');
    expect(await listSubOrganizations(app, caller)).toEqual([
      expect.objectContaining({ id: made.id, is_active: false }),
    ]);
    expect(await changeSubOrganization(app, caller, made.id, { is_active: true, name: 'other' })).toMatchObject({
      is_active: true,
      name: 'other',
    });
    expect(await organizationAccess(app, first.accountId, made.id)).toBe('allowed');
    expect(await audit()).toEqual([
      'sub_organization.reactivated',
      'sub_organization.updated',
      'sub_organization.deactivated',
      'sub_organization.updated',
      'sub_organization.created',
    ]);
  });

  it('add an audit row with its actor and field names, but no values', async () => {
    const made = await createSubOrganization(app, caller, { name: 'secret name' });
    await changeSubOrganization(app, caller, made.id, {
      description: 'secret words',
      contact_email: 'secret@b.example',
    });
    const { items } = await readAudit(app.collections, first.accountId, 2, null);
    expect(items[0]).toEqual({
      id: '4',
      at: expect.any(String),
      actor: { kind: 'api_key', id: caller.keyId, label: caller.keyLabel, prefix: caller.keyPrefix },
      action: 'sub_organization.updated',
      resourceKind: 'sub_organization',
      resourceId: made.id,
      detail: { fields: ['contact_email', 'description'] },
    });
    expect(JSON.stringify(items)).not.toContain('secret');
  });

  it('change nothing and add no row when the sent values equal the stored ones', async () => {
    const made = await createSubOrganization(app, caller, { name: 'n', metadata: { a: 1, b: 'x' } });
    expect(
      await changeSubOrganization(app, caller, made.id, { name: 'n', metadata: { b: 'x', a: 1 }, is_active: true }),
    ).toEqual(made);
    expect(await audit()).toEqual(['sub_organization.created']);
    await expect(changeSubOrganization(app, caller, made.id, {})).rejects.toMatchObject({
      type: 'validation_error',
      data: { fields: ['body'] },
    });
  });

  it('are only visible to their own account', async () => {
    const made = await createSubOrganization(app, caller, { name: 'n' });
    const otherOrganization = app.runtime.uuid();
    await app.collections.accounts.insert({
      _id: 'other',
      organizationId: otherOrganization,
      plan: null,
      timeZone: 'UTC',
      createdAt: 0,
    });
    const other: Caller = { ...caller, accountId: 'other', organizationId: otherOrganization };
    for (const id of [made.id, first.organizationId, app.runtime.uuid()]) {
      await expect(readSubOrganization(app, other, id)).rejects.toMatchObject({
        type: 'sub_organization_not_found',
        code: 404,
      });
      await expect(changeSubOrganization(app, other, id, { name: 'x' })).rejects.toMatchObject({
        type: 'sub_organization_not_found',
      });
      await expect(deactivateSubOrganization(app, other, id)).rejects.toMatchObject({
        type: 'sub_organization_not_found',
      });
      expect(await organizationAccess(app, 'other', id)).toBe('forbidden');
    }
    expect(await listSubOrganizations(app, other)).toEqual([]);
    expect((await readAudit(app.collections, 'other', 100, null)).items).toEqual([]);
    await expect(readSubOrganization(app, caller, first.organizationId)).rejects.toMatchObject({
      type: 'sub_organization_not_found',
    });
  });

  it("require an admin key and the account's own organization", async () => {
    const made = await createSubOrganization(app, caller, { name: 'n' });
    await expect(listSubOrganizations(app, { ...caller, organizationId: made.id })).rejects.toMatchObject({
      type: 'organization_forbidden',
      code: 403,
    });
    await expect(createSubOrganization(app, { ...caller, keyScope: 'standard' }, { name: 'n' })).rejects.toMatchObject({
      type: 'admin_key_required',
    });
    await expect(createSubOrganization(app, caller, {})).rejects.toMatchObject({
      type: 'validation_error',
      data: { fields: ['body', 'name'] },
    });
  });

  it('can be created sixty times per hour; concurrent creations number their audit rows without gaps', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 70 }, (_, index) =>
        createSubOrganization(app, caller, { name: `n${index}` }).then(
          () => 'made',
          (error: { type?: string; data?: unknown }) => error.data,
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'made').length).toBe(60);
    expect(
      outcomes
        .filter((outcome) => outcome !== 'made')
        .every((outcome) => JSON.stringify(outcome).includes('"retryAfter":3600')),
    ).toBe(true);
    expect((await listSubOrganizations(app, caller)).length).toBe(60);

    const walked: number[] = [];
    for (let before: string | null = null; ;) {
      const page: Awaited<ReturnType<typeof readAudit>> = await readAudit(app.collections, first.accountId, 7, before);
      walked.push(...page.items.map(({ id }) => Number(id)));
      if (page.next === null) break;
      before = page.next;
    }
    expect(walked).toEqual(Array.from({ length: 62 }, (_, index) => 62 - index));
  });

  it('lose no concurrent change', async () => {
    const made = await createSubOrganization(app, caller, { name: 'n' });
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => changeSubOrganization(app, caller, made.id, { name: `name ${index}` })),
    );
    expect((await audit()).filter((action) => action === 'sub_organization.updated').length).toBe(12);
  });

  it('have an audit row for every stored change, even if the process died before it was appended', async () => {
    const made = await createSubOrganization(app, caller, { name: 'n' });
    const unreachable = {
      ...app.records,
      collection: ((definition, scope) => {
        const whole = app.records.collection(definition, scope);
        return definition.name === 'account_audit'
          ? { ...whole, insert: () => Promise.reject(new Error('away')) }
          : whole;
      }) satisfies typeof app.records.collection,
    };
    expect(
      await changeSubOrganization({ ...app, records: unreachable }, caller, made.id, { is_active: false }),
    ).toMatchObject({ is_active: false });
    expect(await app.collections.audit.count({ action: 'sub_organization.deactivated' })).toBe(0);
    await Promise.all([flushAllAudit(app.collections), flushAllAudit(app.collections), flushAllAudit(app.collections)]);
    expect(await audit()).toEqual(['sub_organization.deactivated', 'sub_organization.created']);
    expect(await app.collections.organizations.get(made.id)).not.toHaveProperty('pendingAuditMark');
  });
});
