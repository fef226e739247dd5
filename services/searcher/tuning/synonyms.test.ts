import fc from 'fast-check';
import type { Candidate } from '../../../adapters/passages/port.ts';
import { matchTerms } from '../../../adapters/passages/term-matches.ts';
import { analyse, analyseQuery } from '../../../models/analyser/analyser.ts';
import { shippedRelevance } from '../../../models/relevance/registry.ts';
import type { SynonymRule } from '../../../models/tuning.ts';
import { grader } from '../grade.ts';
import { planQuery } from '../query.ts';
import { Dictionary } from './dictionary.ts';
import { markedStems, widen, type Widening } from './synonyms.ts';

const languages = ['en'];

function planOf(query: string) {
  return planQuery(analyseQuery(query, languages), [analyse(query, 'en')], true);
}

async function widened(query: string, rules: SynonymRule[]): Promise<Widening | null> {
  return widen(query, planOf(query), await Dictionary.compile(rules, languages));
}

const [shipped] = shippedRelevance();
if (shipped === undefined) throw new Error('no relevance file is shipped');
const relevance = shipped;
const vocabulary = ['pump', 'seal', 'valve', 'oil', 'leak', 'pipe', 'gasket', 'flange'];
const word = fc.constantFrom(...vocabulary);
const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
const rules = fc.uniqueArray(
  fc.record({ term: phrase, expansions: fc.array(phrase, { minLength: 1, maxLength: 3 }) }),
  { selector: ({ term }) => term, maxLength: 6 },
);
const passages = fc.array(
  fc.record({
    text: fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' ')),
    cosine: fc.option(fc.double({ min: -1, max: 1, noNaN: true })),
  }),
  { minLength: 1, maxLength: 8 },
);

function gradesOf(query: string, found: readonly { text: string; cosine: number | null }[], widening: Widening | null) {
  const plan = planOf(query);
  const terms = widening?.terms ?? plan.terms;
  const stems = found.map(({ text }) =>
    analyse(text, 'en')
      .map(({ stem }) => stem)
      .join(' '),
  );
  const candidates = found.map(({ cosine }, ordinal): Candidate => ({
    assetId: 'a',
    revision: 1,
    ordinal,
    attributesVersion: 1,
    ...matchTerms(stems[ordinal] ?? '', terms),
    length: (stems[ordinal] ?? '').split(' ').length,
    cosine,
    model: null,
    analysedAs: 'en',
  }));
  const documentFrequencies = terms.map(
    (term) => stems.filter((each) => term.some((stem) => each.split(' ').includes(stem))).length,
  );
  return candidates.map(
    grader(
      relevance,
      { candidates, statistics: { passages: 40, averageLength: 8, documentFrequencies } },
      plan.occurrences,
      widening,
    ),
  );
}

describe('a dictionary', () => {
  it('finds terms of several words, inflected, in any letter case, and not their parts', async () => {
    const dictionary = await Dictionary.compile([{ term: 'Pump Seals', expansions: ['gasket'] }], languages);
    for (const query of ['pump seal', 'the PUMP SEALS leak', 'pumps seal'])
      expect([query, dictionary.find(query).length]).toEqual([query, 1]);
    for (const query of ['pump', 'seal pump', 'pump oil seal', ''])
      expect([query, dictionary.find(query).length]).toEqual([query, 0]);
  });

  it('finds words with and without their accents', async () => {
    const dictionary = await Dictionary.compile([{ term: 'café noir', expansions: ['coffee'] }], ['fr']);
    expect([dictionary.find('café noir').length, dictionary.find('cafe noir').length]).toEqual([1, 1]);
  });

  it('of 500 terms is walked once from each word', async () => {
    const many = Array.from({ length: 500 }, (_, at) => ({
      term: `pump ${'seal '.repeat(at % 15)}number${at}`,
      expansions: Array.from({ length: 20 }, (__, index) => `word${index}`),
    }));
    const dictionary = await Dictionary.compile(many, languages);
    const began = process.cpuUsage();
    for (let round = 0; round < 200; round += 1) dictionary.find('how often must a pump seal be replaced');
    const { user, system } = process.cpuUsage(began);
    // Microseconds of processor time for each search: far below what any part of a search takes.
    expect((user + system) / 200).toBeLessThan(1000);
  });
});

describe('expansions', () => {
  const rules: SynonymRule[] = [{ term: 'pump', expansions: ['the running valves', 'der Ventile'] }];
  const termsIn = async (known: readonly string[]): Promise<unknown> =>
    widen('pump', planOf('pump'), await Dictionary.compile(rules, known))?.terms;

  it('are analysed in the languages of the library', async () => {
    expect(await termsIn(['en'])).toEqual([['pump'], ['run'], ['valv'], ['der'], ['ventil']]);
    expect(await termsIn(['de'])).toEqual([['pump'], ['the'], ['running'], ['valv'], ['ventil']]);
  });
});

describe('a query with synonyms', () => {
  it('retrieves each word of expansions once, without common words', async () => {
    const widening = await widened('pump leak', [{ term: 'pump', expansions: ['the valve of oil', 'leak'] }]);
    expect(widening).toEqual({
      terms: [['pump'], ['leak'], ['valv'], ['oil']],
      own: 2,
      substitutions: [{ covered: [0], typed: ['pump'], expansions: [[2, 3], [1]] }],
    });
  });

  it('is unchanged without a dictionary term', async () => {
    expect(await widened('pump leak', [{ term: 'seal', expansions: ['valve'] }])).toBeNull();
  });

  it('retrieves a bounded number of words', async () => {
    const words = Array.from({ length: 40 }, (_, at) => `w${at}q`);
    const widening = await widened(
      words.join(' '),
      words.map((term, at) => ({ term, expansions: Array.from({ length: 20 }, (_, index) => `x${at}y${index}`) })),
    );
    expect(widening?.terms).toHaveLength(340);
  });

  it('marks an expansion only in passages that contain all of its words', async () => {
    const widening = await widened('pump', [{ term: 'pump', expansions: ['valve oil'] }]);
    if (widening === null) throw new Error('the rule was not found');
    const own = new Map([['pump', 0]]);
    expect([...markedStems(widening, own, { frequencies: [0, 1, 0] }).keys()]).toEqual(['pump']);
    expect([...markedStems(widening, own, { frequencies: [0, 1, 2] }).keys()].sort()).toEqual(['oil', 'pump', 'valv']);
  });

  it('keeps the relevance of its own matches, and ranks no passage below its relevance', async () => {
    await fc.assert(
      fc.asyncProperty(phrase, rules, passages, async (query, dictionary, found) => {
        const widening = await widened(query, dictionary);
        const [before, after] = [gradesOf(query, found, null), gradesOf(query, found, widening)];
        for (const [index, plain] of before.entries()) {
          const tuned = after[index];
          if (tuned === undefined) throw new Error('a passage was lost');
          if (plain.relevance >= relevance.floor) expect(tuned.relevance).toBe(plain.relevance);
          else expect(tuned.relevance).toBeGreaterThanOrEqual(plain.relevance);
          expect(tuned.score).toBeGreaterThanOrEqual(tuned.relevance);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('grades a match by expansion alone as if it contained the replaced words', async () => {
    const widening = await widened('pump leak', [{ term: 'pump', expansions: ['valve'] }]);
    const [own] = gradesOf('pump leak', [{ text: 'pump oil leak', cosine: null }], null);
    const [byExpansion] = gradesOf('pump leak', [{ text: 'valve oil leak', cosine: null }], widening);
    expect(byExpansion?.score).toBeCloseTo(own?.relevance ?? 1, 2);
  });
});
