import fc from 'fast-check';
import { compareHits, groupByFile, momentsOf, maxMoments, pageOf, maxReachable, type Hit } from './order.ts';

const hit = fc
  .record({ file: fc.nat(12), ordinal: fc.nat(60), relevance: fc.constantFrom(0.6, 0.7, 0.75, 0.9) })
  .map(({ file, ordinal, relevance }): Hit => ({
    relevance,
    score: relevance,
    evidence: 0,
    createdAt: 1000 + (file % 3),
    candidate: {
      assetId: `file-${file}`,
      revision: 1,
      ordinal,
      attributesVersion: 1,
      frequencies: [1],
      positions: [0, 0],
      forms: null,
      length: 10,
      cosine: null,
      model: null,
      analysedAs: 'en',
    },
  }));
const hits = fc.uniqueArray(hit, {
  maxLength: 400,
  selector: (one) => `${one.candidate.assetId}/${one.candidate.ordinal}`,
});

describe('the order of hits', () => {
  it('does not depend on the order of the store', () => {
    fc.assert(
      fc.property(hits, fc.infiniteStream(fc.nat()), (given, chances) => {
        const mixed = given
          .map((one) => ({ one, key: chances.next().value }))
          .sort((one, other) => one.key - other.key)
          .map(({ one }) => one);
        expect(mixed.sort(compareHits)).toEqual([...given].sort(compareHits));
      }),
      { numRuns: 50 },
    );
  });

  it('yields pages that join to the reachable list without gap or repetition', () => {
    fc.assert(
      fc.property(hits, fc.integer({ min: 1, max: 100 }), (given, limit) => {
        const ordered = [...given].sort(compareHits);
        const seen: Hit[] = [];
        for (let offset = 0; ; offset += limit) {
          const { page, hasMore } = pageOf(ordered, offset, limit);
          seen.push(...page);
          expect(hasMore).toBe(seen.length < Math.min(ordered.length, maxReachable));
          if (!hasMore) break;
        }
        expect(seen).toEqual(ordered.slice(0, maxReachable));
      }),
    );
  });

  it('has no more results after the last reachable one', () => {
    const many = Array.from({ length: 300 }, (_, index) => index);
    expect(pageOf(many, 180, 20)).toEqual({ page: many.slice(180, 200), hasMore: false });
    expect(pageOf(many, 179, 20).hasMore).toBe(true);
    expect(pageOf(many, 150, 100)).toEqual({ page: many.slice(150, 200), hasMore: false });
    expect(pageOf(many, 200, 20)).toEqual({ page: [], hasMore: false });
  });

  it('groups without losing a passage; a file ranks by its best passage', () => {
    fc.assert(
      fc.property(hits, (given) => {
        const ordered = [...given].sort(compareHits);
        const groups = groupByFile(ordered);
        expect(groups.flatMap((group) => group.hits).sort(compareHits)).toEqual(ordered);
        expect(groups.map((group) => group.best)).toEqual(
          ordered.filter(
            (one, index) => ordered.findIndex((other) => other.candidate.assetId === one.candidate.assetId) === index,
          ),
        );
        for (const group of groups) {
          const moments = momentsOf(group);
          expect(moments).toHaveLength(Math.min(maxMoments, group.hits.length));
          expect(moments.map((moment) => moment.candidate.ordinal)).toEqual(
            moments.map((moment) => moment.candidate.ordinal).sort((one, other) => one - other),
          );
          expect(moments).toContain(group.best);
        }
      }),
    );
  });
});
