import { readAudit, theOperator } from './audit.ts';
import type { FirstStart } from './bootstrap.ts';
import { recordSearchAs } from './search-as.ts';
import { adminOf, startedHouse, type TestHouse } from './testing/house.ts';
import { createSubOrganization, deactivateSubOrganization } from './sub-organizations.ts';

let house: TestHouse;
let first: FirstStart;
beforeEach(async () => ({ house, first } = await startedHouse()));
afterEach(() => house.stop());

describe('a search as another reader', () => {
  it('is in the audit once, with whom it was made as', async () => {
    const search = { searchId: 'search', organizationId: first.organizationId, actor: theOperator, principals: ['group:staff', 'user:7'] };
    expect(await recordSearchAs(house, search)).toEqual({ accountId: first.accountId });
    expect(await recordSearchAs(house, search)).toEqual({ accountId: first.accountId });
    const { items } = await readAudit(house.books, first.accountId, 10, null);
    expect(items.filter(({ action }) => action === 'dashboard.search_as')).toEqual([{
      id: '3', at: expect.any(String), actor: { kind: 'plycdn', id: null, label: 'command line', prefix: null }, action: 'dashboard.search_as', resourceKind: 'organization', resourceId: first.organizationId,
      detail: { principals: ['group:staff', 'user:7'], principalCount: 2, searchId: 'search' },
    }]);
  });

  it('names twenty principals at most', async () => {
    await recordSearchAs(house, { searchId: 'search', organizationId: first.organizationId, actor: theOperator, principals: Array.from({ length: 1000 }, (_, at) => `user:${at}`) });
    const { items: [row] } = await readAudit(house.books, first.accountId, 1, null);
    expect(row?.detail).toMatchObject({ principalCount: 1000, principals: Array.from({ length: 20 }, (_, at) => `user:${at}`) });
  });

  it('is refused where the organization is unknown or deactivated', async () => {
    const { id } = await createSubOrganization(house, adminOf(first), { name: 'n' });
    const search = { searchId: 'search', organizationId: id, actor: theOperator, principals: ['a'] };
    await deactivateSubOrganization(house, adminOf(first), id);
    for (const organizationId of [id, 'unknown']) await expect(recordSearchAs(house, { ...search, organizationId })).rejects.toMatchObject({ type: 'organization_forbidden' });
    expect(await house.books.audit.count({ action: 'dashboard.search_as' })).toBe(0);
  });
});
