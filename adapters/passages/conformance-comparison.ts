import type { Candidate, Passages, Retrieval } from './port.ts';
import { attributes, index, model, newScope, passage, retrieval, vector } from './conformance-data.ts';

/** A small deterministic generator (linear congruential, constants of Numerical Recipes). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Writes the same library to two indexes and checks that their results agree where the limit exceeds the matches. */
export async function compareRetrieval(one: Passages, other: Passages): Promise<void> {
  const scope = newScope();
  const next = numbers(11);
  const stems = ['law', 'contract', 'gx-4471', 'naïve', 'court', 'tort', 'rule', 'case'];
  for (let file = 0; file < 12; file += 1) {
    const rows = Array.from({ length: 1 + next(4) }, (_, ordinal) =>
      passage(ordinal, Array.from({ length: 3 + next(9) }, () => stems[next(stems.length)]).join(' '), {
        vector: next(4) === 0 ? null : vector(...Array.from({ length: 8 }, () => next(100) / 50 - 1)),
        language: next(2) === 0 ? 'en' : 'de-AT',
        speaker: next(2) === 0 ? 'Ann' : null,
      }),
    );
    const of = attributes(`file ${file}`, {
      aclMode: next(2) === 0 ? 'open' : 'restricted',
      principals: [`p${next(3)}`],
      collections: [`c${next(2)}`],
      metadata: { year: next(3) },
      createdAt: file,
    });
    await Promise.all([index(one, scope, rows, of), index(other, scope, rows, of)]);
  }
  const questions: Partial<Retrieval>[] = [
    {},
    { principals: ['p0'] },
    { principals: ['p0', 'p1', 'p2'] },
    { filter: { collections: ['c1'], metadata: { year: [0, 2] } }, principals: ['p1'] },
    { filter: { language: 'de', createdAfter: 3 } },
    { filter: { speaker: 'Ann' }, terms: [] },
    { terms: [['law', 'contract'], ['unknown']], vectors: [] },
  ];
  const words = ['cort', 'lww', 'nave', 'contarct'].map((stem) => ({
    stems: [stem],
    edits: 2,
    forms: ['rule'],
    prefixes: ['c'],
  }));
  expect(await one.nearestWords(scope, words)).toEqual(await other.nearestWords(scope, words));
  for (const question of questions) {
    const asked = retrieval({
      terms: [['gx-4471'], ['law', 'tort'], ['naïve']],
      vectors: [{ model, vector: vector(1, -1, 0.5) }],
      ...question,
    });
    const [first, second] = await Promise.all([one.retrieve(scope, asked), other.retrieve(scope, asked)]);
    expect(plain(first.candidates)).toEqual(plain(second.candidates));
    expect(first.statistics).toEqual(second.statistics);
    expect(first.candidates.length).toBeGreaterThan(0);
    for (const candidate of first.candidates) {
      const same = second.candidates.find((each) => key(each) === key(candidate));
      expect(candidate.cosine === null).toBe(same?.cosine === null);
      expect(Math.abs((candidate.cosine ?? 0) - (same?.cosine ?? 0))).toBeLessThan(1e-5);
    }
  }
}

const key = ({ assetId, ordinal }: Pick<Candidate, 'assetId' | 'ordinal'>): string => `${assetId}/${ordinal}`;

function plain(candidates: readonly Candidate[]): Omit<Candidate, 'cosine'>[] {
  return candidates.map(({ cosine: _cosine, ...rest }) => rest).toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
