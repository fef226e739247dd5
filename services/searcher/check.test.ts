import fc from 'fast-check';
import type { Candidate } from '../../adapters/passages/port.ts';
import { judge, maySee, overtaken, type AssetRecord } from './check.ts';
import { assetRecord } from './testing/asset-record.ts';

const people = ['ann', 'bob', 'cay'];

function candidateOf(fields: Partial<Candidate>): Candidate {
  return {
    assetId: 'file',
    revision: 1,
    ordinal: 0,
    attributesVersion: 1,
    frequencies: [1],
    positions: [0, 0],
    forms: null,
    length: 10,
    cosine: null,
    model: null,
    analysedAs: 'en',
    ...fields,
  };
}

const asset = fc
  .record({
    aclMode: fc.constantFrom('open' as const, 'restricted' as const),
    principals: fc.subarray(people),
    attributesVersion: fc.integer({ min: 1, max: 2 }),
    activeRevision: fc.constantFrom(null, 1, 2),
    sourceMissingSince: fc.constantFrom(null, 5),
    deletedAt: fc.constantFrom(null, 5),
  })
  .map((fields): AssetRecord => assetRecord('file', fields));

describe('the check against the records', () => {
  it('shows a hit exactly if file, revision, source and permissions allow it', () => {
    fc.assert(
      fc.property(
        fc.option(asset, { nil: undefined }),
        fc.subarray(people),
        fc.integer({ min: 1, max: 2 }),
        (record, asked, revision) => {
          const oracle =
            record !== undefined &&
            record.deletedAt === null &&
            record.sourceMissingSince === null &&
            record.activeRevision === revision &&
            (record.aclMode === 'open' || record.principals.filter((one) => asked.includes(one)).length > 0);
          expect(judge(candidateOf({ revision }), record, new Set(asked)) === 'shown').toBe(oracle);
        },
      ),
    );
  });

  it('calls a forbidden hit leaked only when the index knew of the permissions', () => {
    fc.assert(
      fc.property(asset, fc.integer({ min: 1, max: 2 }), (record, attributesVersion) => {
        const verdict = judge(candidateOf({ attributesVersion }), record, new Set());
        if (verdict === 'leaked') {
          expect(record.attributesVersion).toBe(attributesVersion);
          expect(maySee(record, new Set())).toBe(false);
        } else {
          expect(verdict === 'shown').toBe(
            record.deletedAt === null &&
              record.sourceMissingSince === null &&
              record.activeRevision === 1 &&
              record.aclMode === 'open',
          );
        }
      }),
    );
  });

  it('hides a file that is restricted to no principals', () => {
    expect(maySee({ aclMode: 'restricted', principals: [] }, new Set(people))).toBe(false);
    expect(maySee({ aclMode: 'restricted', principals: ['ann'] }, new Set())).toBe(false);
  });

  it('detects a revision that became active after the retrieval', () => {
    const record = (activeRevision: number): Map<string, AssetRecord> =>
      new Map(fc.sample(asset, 1).map((one) => ['file', { ...one, activeRevision }]));
    expect(overtaken([candidateOf({ revision: 1 })], record(2), new Map())).toEqual(['file']);
    expect(overtaken([candidateOf({ revision: 1 })], record(2), new Map([['file', 2]]))).toEqual([]);
    expect(overtaken([candidateOf({ revision: 1 }), candidateOf({ revision: 2 })], record(2), new Map())).toEqual([]);
    expect(overtaken([candidateOf({ revision: 1 })], record(1), new Map())).toEqual([]);
  });
});
