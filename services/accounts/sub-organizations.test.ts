import { organizationAccess } from './access.ts';
import { readAudit, settleAll } from './audit.ts';
import type { Caller } from '../../models/api.ts';
import type { FirstStart } from './bootstrap.ts';
import { changeSubOrganization, createSubOrganization, deactivateSubOrganization, listSubOrganizations, readSubOrganization } from './sub-organizations.ts';
import { adminOf, startedHouse, type TestHouse } from './testing/house.ts';

let house: TestHouse;
let first: FirstStart;
let caller: Caller;
beforeEach(async () => {
  ({ house, first } = await startedHouse());
  caller = adminOf(first);
});
afterEach(() => house.stop());

const audit = async (limit = 100): Promise<string[]> => (await readAudit(house.books, first.accountId, limit, null)).items.map(({ action }) => action).filter((action) => action.startsWith('sub_'));

describe('sub-organizations', () => {
  it('are created, read, listed, changed, deactivated and reactivated', async () => {
    const made = await createSubOrganization(house, caller, { name: 'Nörd', contact_email: 'a@b.example', metadata: { tier: 1 } });
    expect(made).toMatchObject({ parent_organization_id: first.organizationId, name: 'Nörd', contact_email: 'a@b.example', description: null, is_active: true, metadata: { tier: 1 } });
    expect(made.created_at).toMatch(/^\d{4}-.*\.\d{3}Z$/);
    expect(await readSubOrganization(house, caller, made.id)).toEqual(made);
    expect(await organizationAccess(house, first.accountId, made.id)).toBe('allowed');

    house.pass(1000);
    const changed = await changeSubOrganization(house, caller, made.id, { description: 'new words', metadata: null });
    expect(changed).toEqual({ ...made, description: 'new words', metadata: null, updated_at: changed.updated_at });
    expect(changed.updated_at > made.updated_at).toBe(true);

    expect(await deactivateSubOrganization(house, caller, made.id)).toEqual({ success: true, message: expect.any(String) });
    expect(await deactivateSubOrganization(house, caller, made.id)).toMatchObject({ success: true });
    expect(await organizationAccess(house, first.accountId, made.id)).toBe('forbidden');
    expect(await listSubOrganizations(house, caller)).toEqual([expect.objectContaining({ id: made.id, is_active: false })]);
    expect(await changeSubOrganization(house, caller, made.id, { is_active: true, name: 'other' })).toMatchObject({ is_active: true, name: 'other' });
    expect(await organizationAccess(house, first.accountId, made.id)).toBe('allowed');
    expect(await audit()).toEqual(['sub_organization.reactivated', 'sub_organization.updated', 'sub_organization.deactivated', 'sub_organization.updated', 'sub_organization.created']);
  });

  it('leave an audit row with its actor and field names, and never a new value', async () => {
    const made = await createSubOrganization(house, caller, { name: 'secret name' });
    await changeSubOrganization(house, caller, made.id, { description: 'secret words', contact_email: 'secret@b.example' });
    const { items } = await readAudit(house.books, first.accountId, 2, null);
    expect(items[0]).toEqual({
      id: '4', at: expect.any(String), actor: { kind: 'api_key', id: caller.keyId, label: caller.keyLabel, prefix: caller.keyPrefix },
      action: 'sub_organization.updated', resourceKind: 'sub_organization', resourceId: made.id, detail: { fields: ['contact_email', 'description'] },
    });
    expect(JSON.stringify(items)).not.toContain('secret');
  });

  it('change nothing, and leave no row, where what is sent stands already', async () => {
    const made = await createSubOrganization(house, caller, { name: 'n', metadata: { a: 1, b: 'x' } });
    expect(await changeSubOrganization(house, caller, made.id, { name: 'n', metadata: { b: 'x', a: 1 }, is_active: true })).toEqual(made);
    expect(await audit()).toEqual(['sub_organization.created']);
    await expect(changeSubOrganization(house, caller, made.id, {})).rejects.toMatchObject({ type: 'validation_error', data: { fields: ['body'] } });
  });

  it('are found by their own account alone', async () => {
    const made = await createSubOrganization(house, caller, { name: 'n' });
    const otherOrganization = house.ambient.uuid();
    await house.books.accounts.insert({ _id: 'other', organizationId: otherOrganization, plan: null, timeZone: 'UTC', createdAt: 0 });
    const other: Caller = { ...caller, accountId: 'other', organizationId: otherOrganization };
    for (const id of [made.id, first.organizationId, house.ambient.uuid()]) {
      await expect(readSubOrganization(house, other, id)).rejects.toMatchObject({ type: 'sub_organization_not_found', code: 404 });
      await expect(changeSubOrganization(house, other, id, { name: 'x' })).rejects.toMatchObject({ type: 'sub_organization_not_found' });
      await expect(deactivateSubOrganization(house, other, id)).rejects.toMatchObject({ type: 'sub_organization_not_found' });
      expect(await organizationAccess(house, 'other', id)).toBe('forbidden');
    }
    expect(await listSubOrganizations(house, other)).toEqual([]);
    expect((await readAudit(house.books, 'other', 100, null)).items).toEqual([]);
    await expect(readSubOrganization(house, caller, first.organizationId)).rejects.toMatchObject({ type: 'sub_organization_not_found' });
  });

  it('are for admin keys with the account\'s own organization', async () => {
    const made = await createSubOrganization(house, caller, { name: 'n' });
    await expect(listSubOrganizations(house, { ...caller, organizationId: made.id })).rejects.toMatchObject({ type: 'organization_forbidden', code: 403 });
    await expect(createSubOrganization(house, { ...caller, keyScope: 'standard' }, { name: 'n' })).rejects.toMatchObject({ type: 'admin_key_required' });
    await expect(createSubOrganization(house, caller, {})).rejects.toMatchObject({ type: 'validation_error', data: { fields: ['body', 'name'] } });
  });

  it('are sixty in an hour at most, with rows numbered without a gap though all come at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 70 }, (_, place) => createSubOrganization(house, caller, { name: `n${place}` }).then(() => 'made', (error: { type?: string; data?: unknown }) => error.data)));
    expect(outcomes.filter((outcome) => outcome === 'made').length).toBe(60);
    expect(outcomes.filter((outcome) => outcome !== 'made').every((outcome) => JSON.stringify(outcome).includes('"retryAfter":3600'))).toBe(true);
    expect((await listSubOrganizations(house, caller)).length).toBe(60);

    const walked: number[] = [];
    for (let before: string | null = null; ;) {
      const page: Awaited<ReturnType<typeof readAudit>> = await readAudit(house.books, first.accountId, 7, before);
      walked.push(...page.items.map(({ id }) => Number(id)));
      if (page.next === null) break;
      before = page.next;
    }
    expect(walked).toEqual(Array.from({ length: 62 }, (_, place) => 62 - place));
  });

  it('lose no change of many at once', async () => {
    const made = await createSubOrganization(house, caller, { name: 'n' });
    await Promise.all(Array.from({ length: 12 }, (_, place) => changeSubOrganization(house, caller, made.id, { name: `name ${place}` })));
    expect((await audit()).filter((action) => action === 'sub_organization.updated').length).toBe(12);
  });

  it('have an audit row for every change that stands, though the process died before it was carried', async () => {
    const made = await createSubOrganization(house, caller, { name: 'n' });
    const unreachable = { ...house.records, collection: ((definition, scope) => {
      const whole = house.records.collection(definition, scope);
      return definition.name === 'account_audit' ? { ...whole, insert: () => Promise.reject(new Error('away')) } : whole;
    }) satisfies typeof house.records.collection };
    expect(await changeSubOrganization({ ...house, records: unreachable }, caller, made.id, { is_active: false })).toMatchObject({ is_active: false });
    expect(await house.books.audit.count({ action: 'sub_organization.deactivated' })).toBe(0);
    await Promise.all([settleAll(house.books), settleAll(house.books), settleAll(house.books)]);
    expect(await audit()).toEqual(['sub_organization.deactivated', 'sub_organization.created']);
    expect(await house.books.organizations.get(made.id)).not.toHaveProperty('pendingAuditMark');
  });
});
