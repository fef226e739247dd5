import fc from 'fast-check';
import type { OrganizationScope } from '../../models/scope.ts';
import type { FileAttributes, IndexedPassage } from '../../models/passage.ts';
import { attributes, index, model, names, newScope, passage, retrieval, vector } from './conformance-data.ts';
import type { Passages, QueryVector } from './port.ts';

interface File {
  of: FileAttributes;
  rows: IndexedPassage[];
}

const stem = fc.constantFrom('a', 'b', 'c-d', 'é');
const principal = fc.constantFrom('p', 'q', 'r"');
const vectors = fc.option(
  fc.integer({ min: 1, max: 9 }).map((value) => vector(1, value)),
  { nil: null },
);
const rows = fc.array(fc.record({ stems: fc.array(stem, { minLength: 1, maxLength: 5 }), vector: vectors }), {
  minLength: 1,
  maxLength: 4,
});
const library = fc.array(
  fc.record({ restricted: fc.boolean(), principals: fc.uniqueArray(principal), present: fc.boolean(), rows }),
  { maxLength: 4 },
);
const question = fc.record({
  principals: fc.option(fc.uniqueArray(principal), { nil: null }),
  terms: fc.uniqueArray(stem, { maxLength: 3 }).map((stems) => stems.map((each) => [each])),
  vectors: fc.constantFrom<QueryVector[]>([], [{ model, vector: vector(1, 1) }]),
});

/** Organizations with the same ids and texts: each finds exactly the matches of a linear scan of its own files. */
export function isolationTests(passages: () => Passages): void {
  it('finds all matches of the organization and none of another', async () => {
    await fc.assert(
      fc.asyncProperty(
        library,
        library,
        fc.array(question, { minLength: 1, maxLength: 4 }),
        async (first, second, questions) => {
          const scopes: [OrganizationScope, File[]][] = [first, second].map((files) => [newScope(), files.map(fileOf)]);
          for (const [scope, files] of scopes)
            await Promise.all(files.map(({ of, rows: laid }) => index(passages(), scope, laid, of)));
          for (const [scope, files] of scopes) {
            for (const asked of questions) {
              const { candidates, statistics } = await passages().retrieve(scope, retrieval(asked));
              expect(names(candidates)).toEqual(expected(files, asked));
              const all = files.flatMap(({ rows: laid }) => laid);
              expect(statistics.passages).toBe(all.length);
              expect(statistics.documentFrequencies).toEqual(
                asked.terms.map(
                  ([wanted]) => all.filter(({ stems }) => stems.split(' ').includes(wanted ?? '')).length,
                ),
              );
              const words = all.reduce((sum, { length }) => sum + length, 0);
              expect(statistics.averageLength).toBeCloseTo(all.length === 0 ? 0 : words / all.length, 9);
            }
          }
          const [[scope, files], [other]] = scopes as [[OrganizationScope, File[]], [OrganizationScope, File[]]];
          for (const { of } of files) await passages().removeFile(other, of.assetId);
          const kept = await passages().retrieve(scope, retrieval({ terms: [['a'], ['b']] }));
          expect(names(kept.candidates)).toEqual(
            expected(files, { principals: null, terms: [['a'], ['b']], vectors: [] }),
          );
        },
      ),
      { numRuns: 15, seed: 7 },
    );
  });

  it('finds nothing for an organization without files', async () => {
    const scope = newScope();
    expect(await passages().retrieve(scope, retrieval())).toEqual({
      candidates: [],
      statistics: { passages: 0, averageLength: 0, documentFrequencies: [0] },
    });
    expect(await passages().languages(scope)).toEqual([]);
    expect(await passages().fetch(scope, [{ assetId: 'a', revision: 1, ordinal: 0 }])).toEqual([]);
    expect(await passages().countOf(scope, 'a', 1)).toBe(0);
    await passages().removeFile(scope, 'a');
    await passages().discard(scope, 'a', 1);
    expect(await passages().countOf(scope, 'a', 1)).toBe(0);
  });
}

function fileOf(
  drawn: {
    restricted: boolean;
    principals: string[];
    present: boolean;
    rows: { stems: string[]; vector: Float32Array | null }[];
  },
  at: number,
): File {
  return {
    of: attributes(`file ${at}`, {
      aclMode: drawn.restricted ? 'restricted' : 'open',
      principals: drawn.restricted ? drawn.principals : [],
      present: drawn.present,
    }),
    rows: drawn.rows.map((row, ordinal) => passage(ordinal, row.stems.join(' '), { vector: row.vector })),
  };
}

function expected(
  files: readonly File[],
  asked: { principals: string[] | null; terms: string[][]; vectors: readonly QueryVector[] },
): string[] {
  return files
    .filter(
      ({ of }) =>
        of.present && (of.aclMode === 'open' || (asked.principals ?? []).some((each) => of.principals.includes(each))),
    )
    .flatMap(({ of, rows: laid }) =>
      laid
        .filter(
          (row) =>
            (asked.vectors.length > 0 && row.vector !== null) ||
            asked.terms.flat().some((wanted) => row.stems.split(' ').includes(wanted)),
        )
        .map((row) => `${of.assetId}/1/${row.ordinal}`),
    )
    .sort();
}
