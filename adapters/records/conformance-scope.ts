import fc from 'fast-check';
import { defineCollection } from '../../models/collection.ts';
import { scopeOf } from '../../models/scope.ts';
import { thing, type Ground, type Rounds, type Thing } from './conformance-ground.ts';

const organizations = ['o', 'p', 'q'] as const;
const documents = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8'),
    organizationId: fc.constantFrom(...organizations),
    number: fc.integer({ min: 0, max: 2 }),
  }),
  { selector: ({ id }) => id, maxLength: 8 },
);

/**
 * The part of the suite about isolation: through an organization's scope nothing of another is seen, changed or
 * counted.
 */
export function scopeConformance({ records, all, of }: Ground, { isolation }: Rounds): void {
  it('isolates organizations in every operation', async () => {
    await fc.assert(
      fc.asyncProperty(
        documents,
        fc.constantFrom(...organizations),
        fc.integer({ min: 0, max: 2 }),
        async (made, organization, number) => {
          while ((await all().removeMany({}, 1000)) > 0);
          const kept: Thing[] = made.map(({ id, ...rest }) => thing(id, rest));
          await all().insertNew(kept);
          const own = kept.filter((document) => document.organizationId === organization);
          const foreign = kept.filter((document) => document.organizationId !== organization);
          const ids = kept.map(({ _id }) => _id);
          const scoped = of(organization);

          expect(await scoped.getMany(ids)).toEqual(own);
          expect(
            (
              await scoped.find({
                filter: { organizationId: { $in: [...organizations] } },
                sort: [['_id', 1]],
                limit: 100,
              })
            ).length,
          ).toBe(own.length);
          expect(await scoped.count({ number })).toBe(own.filter((document) => document.number === number).length);
          for (const { _id, organizationId } of foreign) {
            expect(await scoped.get(_id)).toBeNull();
            expect(await scoped.find({ filter: { organizationId }, limit: 10 })).toEqual([]);
            expect(await scoped.find({ filter: { name: `name of ${_id}` }, limit: 10 })).toEqual([]);
            expect(await scoped.update(_id, { organizationId }, { set: { number: 9 } })).toBeNull();
            expect(await scoped.remove(_id)).toBe(false);
            await expect(scoped.put(thing(_id, { organizationId: organization }))).rejects.toMatchObject({
              name: 'DuplicateRecord',
              index: '_id',
            });
          }
          expect(await scoped.removeMany({}, 100)).toBe(own.length);
          expect(await all().find({ filter: {}, sort: [['_id', 1]], limit: 100 })).toEqual(
            foreign.toSorted((one, other) => (one._id < other._id ? -1 : 1)),
          );
        },
      ),
      { numRuns: isolation, seed: 11 },
    );
  });

  it("refuses to write or move another organization's documents", async () => {
    await expect(of('p').insert(thing('a'))).rejects.toThrow('another organization');
    await expect(of('p').put(thing('a'))).rejects.toThrow('another organization');
    await expect(of('p').insertNew([thing('b', { organizationId: 'p' }), thing('a')])).rejects.toThrow(
      'another organization',
    );
    await of('o').insert(thing('a'));
    await expect(of('o').update('a', {}, { set: { organizationId: 'p' } })).rejects.toThrow('cannot be changed');
    expect(await all().count({})).toBe(1);
  });

  it("does not reach the deployment's collections with an organization's scope", () => {
    const own = defineCollection<{ _id: string }>({ name: 'own', owner: 'deployment', indexes: [] });
    expect(() => records().collection(own, scopeOf('o'))).toThrow('belongs to the deployment');
  });
}
