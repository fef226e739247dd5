import type { Collection, Records } from '../../adapters/records/port.ts';
import type { StoredRecord } from '../../models/collection.ts';
import { auditRows } from '../../models/organization.ts';
import { operatorActor, readAudit, recordAudit, recordSearchAs } from './audit.ts';
import type { FirstStart } from './bootstrap.ts';
import { collectionsOf } from './collections.ts';
import { adminOf, startedApp, type TestApp } from './testing/app.ts';
import { createSubOrganization, deactivateSubOrganization } from './sub-organizations.ts';

let app: TestApp;
let first: FirstStart;
beforeEach(async () => ({ app, first } = await startedApp()));
afterEach(() => app.stop());

describe('appending to the audit', () => {
  it('runs one after another for an account, also where the store opens a new collection at each call', async () => {
    let inserts = 0;
    const counted = <T extends StoredRecord>(collection: Collection<T>): Collection<T> => ({
      ...collection,
      insert: (document) => {
        inserts += 1;
        return collection.insert(document);
      },
    });
    const records: Records = {
      ...app.records,
      collection: (definition, scope) => {
        const collection = app.records.collection(definition, scope);
        return definition.name === auditRows.name ? counted(collection) : collection;
      },
    };
    const append = (id: string): Promise<void> =>
      recordAudit(
        collectionsOf({ records }),
        {
          accountId: first.accountId,
          at: app.runtime.now(),
          actor: operatorActor,
          action: 'api_key.rotated',
          resourceKind: 'api_key',
          resourceId: id,
          detail: {},
        },
        id,
      );
    const ids = Array.from({ length: 25 }, (_, index) => `row-${index}`);
    await Promise.all(ids.map(append));
    const { items } = await readAudit(app.collections, first.accountId, 25, null);
    expect(items.map(({ resourceId }) => resourceId).toReversed()).toEqual(ids);
    // A row whose number was taken by another process is inserted again.
    expect(inserts).toBe(ids.length);
  });
});

describe('a search as another reader', () => {
  it('is in the audit once, with the principals it was made as', async () => {
    const search = {
      searchId: 'search',
      organizationId: first.organizationId,
      actor: operatorActor,
      principals: ['group:staff', 'user:7'],
    };
    expect(await recordSearchAs(app, search)).toEqual({ accountId: first.accountId });
    expect(await recordSearchAs(app, search)).toEqual({ accountId: first.accountId });
    const { items } = await readAudit(app.collections, first.accountId, 10, null);
    expect(items.filter(({ action }) => action === 'dashboard.search_as')).toEqual([
      {
        id: '3',
        at: expect.any(String),
        actor: { kind: 'plycdn', id: null, label: 'command line', prefix: null },
        action: 'dashboard.search_as',
        resourceKind: 'organization',
        resourceId: first.organizationId,
        detail: { principals: ['group:staff', 'user:7'], principalCount: 2, searchId: 'search' },
      },
    ]);
  });

  it('lists at most twenty principals', async () => {
    await recordSearchAs(app, {
      searchId: 'search',
      organizationId: first.organizationId,
      actor: operatorActor,
      principals: Array.from({ length: 1000 }, (_, at) => `user:${at}`),
    });
    const {
      items: [row],
    } = await readAudit(app.collections, first.accountId, 1, null);
    expect(row?.detail).toMatchObject({
      principalCount: 1000,
      principals: Array.from({ length: 20 }, (_, at) => `user:${at}`),
    });
  });

  it('is refused if the organization is unknown or deactivated', async () => {
    const { id } = await createSubOrganization(app, adminOf(first), { name: 'n' });
    const search = { searchId: 'search', organizationId: id, actor: operatorActor, principals: ['a'] };
    await deactivateSubOrganization(app, adminOf(first), id);
    for (const organizationId of [id, 'unknown'])
      await expect(recordSearchAs(app, { ...search, organizationId })).rejects.toMatchObject({
        type: 'organization_forbidden',
      });
    expect(await app.collections.audit.count({ action: 'dashboard.search_as' })).toBe(0);
  });
});
