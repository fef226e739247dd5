import fc from 'fast-check';
import {
  confidenceOf,
  evidenceOf,
  featuresOf,
  relevanceOf,
  weighQuery,
  type Features,
  type RelevanceModel,
} from './relevance.ts';
import { chooseRelevance, parseRelevance, shippedRelevance } from './registry.ts';

const shipped = shippedRelevance();

const features = fc.record({
  cosine: fc.double({ min: -1, max: 1, noNaN: true }),
  bm25: fc.double({ min: 0, max: 1, noNaN: true }),
  coverage: fc.double({ min: 0, max: 1, noNaN: true }),
  logWords: fc.double({ min: 0, max: 6, noNaN: true }),
  exactness: fc.double({ min: 0, max: 1, noNaN: true }),
  window: fc.double({ min: 0, max: 6, noNaN: true }),
  pair: fc.double({ min: 0, max: 2, noNaN: true }),
  rareness: fc.double({ min: 0, max: 1.2, noNaN: true }),
  smallness: fc.double({ min: 0, max: 7.4, noNaN: true }),
});

/** Positions of words that occur once each, far apart: the minimum closeness of a passage with all of them. */
function spread(words: number): number[] {
  return Array.from({ length: words }, (_, term) => [term * 100, term]).flat();
}

function each(check: (model: RelevanceModel) => void): void {
  expect(shipped.length).toBeGreaterThan(0);
  for (const model of shipped) check(model);
}

/** The mappings of cosines as they are: the cosines of these tests mean the same to each of them. */
function eachOfCosines(check: (model: RelevanceModel) => void): void {
  each((model) => {
    if (model.unrelatedCosine === undefined) check(model);
  });
}

/** What a cosine counts for each model: those that are graded less the query's mean have a quarter of the range. */
function cosineFor(model: RelevanceModel, cosine: number): number {
  return model.unrelatedCosine === undefined ? cosine : cosine / 4;
}

describe('relevance', () => {
  it('never decreases with more evidence in a passage', () => {
    each((model) =>
      fc.assert(
        fc.property(
          features,
          fc.constantFrom('cosine', 'bm25', 'coverage', 'exactness', 'window', 'pair'),
          fc.double({ min: 0, max: 1, noNaN: true }),
          (of, name, more) => {
            const better: Features = {
              ...of,
              [name]: Math.min(name === 'window' || name === 'pair' ? 8 : 1, of[name] + more),
            };
            expect(relevanceOf(model, better)).toBeGreaterThanOrEqual(relevanceOf(model, of));
          },
        ),
      ),
    );
  });

  it('is between 0 and 1, and has a confidence exactly from the floor on', () => {
    each((model) =>
      fc.assert(
        fc.property(features, fc.boolean(), (of, withMeaning) => {
          const relevance = relevanceOf(model, withMeaning ? of : { ...of, cosine: null });
          expect(relevance >= 0 && relevance <= 1).toBe(true);
          expect(confidenceOf(model, relevance) === null).toBe(relevance < model.floor);
        }),
      ),
    );
  });

  it('reaches the floor for a passage with a rare code, with and without a cosine', () => {
    each((model) => {
      const weights = weighQuery({ passages: 10_000, documentFrequencies: [1] }, [1]);
      for (const cosine of [null, cosineFor(model, 0.05)])
        expect(
          relevanceOf(model, featuresOf(weights, { frequencies: [1], positions: [17, 0], cosine })),
        ).toBeGreaterThanOrEqual(model.floor);
    });
  });

  it('reaches the floor for a passage that contains a whole short query, however common its words are', () => {
    each((model) =>
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 100_000 }),
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.integer({ min: 1, max: 3 }),
          fc.option(fc.double({ min: -0.1, max: 0.6, noNaN: true })),
          (passages, share, words, cosine) => {
            const documents = Math.max(1, Math.round(passages * share));
            const weights = weighQuery(
              { passages, documentFrequencies: Array<number>(words).fill(documents) },
              Array<number>(words).fill(1),
            );
            expect(
              relevanceOf(
                model,
                featuresOf(weights, { frequencies: Array<number>(words).fill(1), positions: spread(words), cosine }),
              ),
            ).toBeGreaterThanOrEqual(model.floor);
          },
        ),
      ),
    );
  });

  it('keeps passages below the floor that contain one common word of a query of unknown words', () => {
    each((model) => {
      const weights = weighQuery({ passages: 10_000, documentFrequencies: [900, 0, 0, 0] }, [1, 1, 1, 1]);
      for (const cosine of [null, cosineFor(model, 0.2)])
        expect(
          relevanceOf(
            model,
            featuresOf(weights, { frequencies: [3, 0, 0, 0], positions: [2, 0, 5, 0, 40, 0], cosine }),
          ),
        ).toBeLessThan(model.floor);
    });
  });
});

describe('the order', () => {
  it('of passages with a vector that contain every word is decided by their vectors', () => {
    each((model) => {
      const weights = weighQuery({ passages: 10_000, documentFrequencies: [50, 900] }, [1, 1]);
      const at = (cosine: number) =>
        evidenceOf(
          model,
          featuresOf(weights, { frequencies: [1, 1], positions: spread(2), cosine: cosineFor(model, cosine) }),
        );
      for (const cosine of [0, 0.2, 0.4, 0.6]) expect(at(cosine + 0.1)).toBeGreaterThan(at(cosine));
    });
  });

  it('puts a passage with a rare code before others of a weak cosine', () => {
    each((model) => {
      const weights = weighQuery({ passages: 10_000, documentFrequencies: [1] }, [1]);
      const at = (frequency: number, cosine: number) =>
        evidenceOf(
          model,
          featuresOf(weights, { frequencies: [frequency], positions: [], cosine: cosineFor(model, cosine) }),
        );
      expect(at(1, 0.1)).toBeGreaterThan(at(0, 0.35));
    });
  });

  it('never admits a passage without a vector and without a word of the query', () => {
    each((model) =>
      fc.assert(
        fc.property(features, (of) => {
          const without: Features = { ...of, cosine: null, bm25: 0, coverage: 0, exactness: 0, window: 0, pair: 0 };
          expect(relevanceOf(model, without)).toBe(0);
        }),
      ),
    );
  });
});

describe('meaning alone', () => {
  const graded = (model: RelevanceModel, passages: number, cosine: number) =>
    relevanceOf(
      model,
      featuresOf(weighQuery({ passages, documentFrequencies: [0, 0] }, [1, 1]), {
        frequencies: [0, 0],
        positions: [],
        cosine,
      }),
    );

  it('requires a lower cosine in a small library, and the same in all larger ones', () => {
    eachOfCosines((model) => {
      expect(model.meaningFall).toBeGreaterThan(0);
      expect(graded(model, 20, model.meaningFrom - 0.05)).toBeGreaterThanOrEqual(model.floor);
      expect(graded(model, 2000, model.meaningFrom - 0.05)).toBeLessThan(model.floor);
      for (const passages of [1500, 20_000, 5_000_000])
        expect(graded(model, passages, model.meaningFrom + 0.01)).toBe(graded(model, 1500, model.meaningFrom + 0.01));
    });
  });

  it('never requires a higher cosine with fewer passages, and always some', () => {
    eachOfCosines((model) =>
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 5000 }),
          fc.integer({ min: 1, max: 5000 }),
          fc.double({ min: -1, max: 1, noNaN: true }),
          (one, other, cosine) => {
            const meaning = (passages: number) =>
              relevanceOf(
                { ...model, hybrid: { ...model.hybrid, intercept: -100 } },
                featuresOf(weighQuery({ passages, documentFrequencies: [0] }, [1]), {
                  frequencies: [0],
                  positions: [],
                  cosine,
                }),
              );
            expect(meaning(Math.min(one, other))).toBeGreaterThanOrEqual(meaning(Math.max(one, other)));
          },
        ),
      ),
    );
    eachOfCosines((model) => expect(graded(model, 1, 0.2)).toBeLessThan(model.floor));
  });

  it('admits passages at the floor, ordered by the evidence', () => {
    each((model) => {
      const weights = weighQuery({ passages: 5000, documentFrequencies: [20, 40] }, [1, 1]);
      const at = (cosine: number, frequencies: number[]) => featuresOf(weights, { frequencies, positions: [], cosine });
      const [without, withWord] = [at(model.meaningFrom + 0.01, [0, 0]), at(model.meaningFrom, [0, 1])];
      const weak: RelevanceModel = { ...model, hybrid: { ...model.hybrid, intercept: model.hybrid.intercept - 5 } };
      expect([relevanceOf(weak, without), relevanceOf(weak, withWord)]).toEqual([model.floor, model.floor]);
      expect(evidenceOf(weak, withWord)).toBeGreaterThan(evidenceOf(weak, without));
    });
  });
});

describe('features', () => {
  const passage = fc.record({
    frequencies: fc.array(fc.nat(30), { minLength: 3, maxLength: 3 }),
    positions: fc.constant([]),
    cosine: fc.constant(0.3),
  });
  const statistics = fc.record({
    passages: fc.integer({ min: 1, max: 100_000 }),
    documentFrequencies: fc.array(fc.nat(1000), { minLength: 3, maxLength: 3 }),
  });

  it('stay within 0 and 1, and grow with the occurrences of a word', () => {
    fc.assert(
      fc.property(statistics, passage, fc.nat(2), (library, found, term) => {
        const weights = weighQuery(library, [1, 2, 1]);
        const before = featuresOf(weights, found);
        const after = featuresOf(weights, {
          ...found,
          frequencies: found.frequencies.map((frequency, index) => frequency + (index === term ? 1 : 0)),
        });
        for (const name of ['bm25', 'coverage', 'exactness'] as const) {
          expect(before[name] >= 0 && before[name] <= 1 + 1e-12).toBe(true);
          expect(after[name]).toBeGreaterThanOrEqual(before[name] - 1e-12);
        }
      }),
    );
  });

  it('are equal for cosines that differ only by rounding', () => {
    const weights = weighQuery({ passages: 10, documentFrequencies: [2] }, [1]);
    const at = (cosine: number) => featuresOf(weights, { frequencies: [1], positions: [3, 0], cosine });
    expect(at(0.4321000004)).toEqual(at(0.4320999996));
  });
});

describe('relevance files', () => {
  it('are chosen by the embedding model, and report a fit for another model', () => {
    const [first] = shipped;
    expect(chooseRelevance(first?.modelId ?? '', null)).toEqual({ model: first, fitted: true });
    expect(chooseRelevance('another-model', null).fitted).toBe(false);
    expect(chooseRelevance(null, null).fitted).toBe(true);
  });

  it('report their errors', () => {
    const good = { ...shipped[0] };
    expect(() => parseRelevance(JSON.stringify({ ...good, words: { intercept: 1 } }), 'mine.json')).toThrow(
      'mine.json: words: cosine is missing',
    );
    expect(() => parseRelevance(JSON.stringify({ ...good, meaningFall: 'much' }), 'mine.json')).toThrow(
      'mine.json: meaningFall is no number',
    );
    expect(parseRelevance(JSON.stringify({ ...good, meaningFall: undefined }), 'mine.json').meaningFall).toBe(0);
    expect(() => parseRelevance(JSON.stringify({ ...good, floor: 0.95 }), 'mine.json')).toThrow(
      'floor and bands must rise',
    );
  });
});
