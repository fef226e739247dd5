import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Query } from '../port.ts';
import { findsOne, isDirect } from './direct.ts';

const definition: CollectionDefinition<StoredRecord> = {
  name: 'files',
  owner: 'organization',
  indexes: [
    { name: 'job', fields: ['job'], unique: true },
    { name: 'key', fields: ['organizationId', 'key'], unique: true, sparse: true },
    { name: 'newest', fields: ['organizationId', 'deleted', 'created', '_id'] },
  ],
};
const direct = (query: Partial<Query>, owner: string | null = 'o'): boolean => isDirect(definition, { filter: {}, limit: 20, ...query }, owner);

describe('a read on the event loop', () => {
  it('is one that an index leads straight to', () => {
    expect(direct({ filter: { job: 'j', other: 1 } }, null)).toBe(true);
    expect(direct({ filter: { key: 'k' } })).toBe(true);
    expect(direct({ filter: { deleted: null }, sort: [['created', -1], ['_id', -1]] })).toBe(true);
    expect(direct({ filter: { deleted: null }, sort: [['created', -1], ['_id', -1]], after: [1, 'x'] })).toBe(true);
    expect(direct({ filter: { deleted: null, created: { $lt: 5 } }, sort: [['created', -1]] })).toBe(true);
  });

  it('is none that may walk past rows it does not answer, or answers many', () => {
    expect(direct({ filter: { key: 'k' } }, null)).toBe(false);
    expect(direct({ filter: { deleted: null, name: { $contains: 'x' } }, sort: [['created', -1]] })).toBe(false);
    expect(direct({ filter: { deleted: null, created: { $ne: 5 } } })).toBe(false);
    expect(direct({ filter: { deleted: null, name: 'x' }, sort: [['created', -1]] })).toBe(false);
    expect(direct({ filter: { deleted: null, name: { $gt: 'x' } } })).toBe(false);
    expect(direct({ filter: { deleted: null }, sort: [['name', 1]] })).toBe(false);
    expect(direct({ filter: { deleted: null }, sort: [['created', -1], ['_id', 1]] })).toBe(false);
    expect(direct({ filter: { deleted: null }, skip: 500 })).toBe(false);
  });

  it('finds one at most only by a unique index that the filter alone fixes', () => {
    const one = (filter: Query['filter']): boolean => findsOne(definition, { filter, limit: 1 });
    expect(one({ job: 'j' })).toBe(true);
    expect(one({ job: null })).toBe(false);
    expect(one({ job: { $in: ['j'] } })).toBe(false);
    expect(one({ key: 'k' })).toBe(false);
    expect(one({ organizationId: 'o', key: 'k' })).toBe(true);
  });
});
