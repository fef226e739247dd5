import { storedWords } from '../../models/passage-words.ts';
import {
  attributes,
  cosine,
  found,
  index,
  model,
  names,
  newScope,
  passage,
  retrieval,
  vector,
} from './conformance-data.ts';
import type { Passages } from './port.ts';

/** The inputs of grading: frequencies, lengths, cosines, statistics. */
export function scoringTests(passages: () => Passages): void {
  it('counts whole words, summed over the stems of a term', async () => {
    const scope = newScope();
    const stems = 'gx-4471 run runner run éclair zz zz2d a_b ab 数据 naïve run';
    await index(passages(), scope, [passage(0, stems), passage(1, 'other'), passage(2, 'runner')], attributes('a'));
    const terms = [
      ['run'],
      ['runner', 'éclair', 'runner'],
      ['gx-4471'],
      ['gx'],
      ['a_b'],
      ['数据'],
      ['zz'],
      ['zz2d'],
      [],
      ['eclair'],
      ['naïve', 'run'],
      ['4471'],
    ];
    const { candidates, statistics } = await passages().retrieve(scope, retrieval({ terms }));
    expect(names(candidates)).toEqual(['a/1/0', 'a/1/2']);
    const [first, second] = candidates.toSorted((a, b) => a.ordinal - b.ordinal);
    expect(first?.frequencies).toEqual([3, 2, 1, 0, 1, 1, 1, 1, 0, 0, 4, 0]);
    expect(first?.length).toBe(12);
    expect(Array.from(first?.positions ?? [])).toEqual([
      0, 2, 1, 0, 1, 10, 2, 1, 3, 0, 3, 10, 4, 1, 5, 6, 6, 7, 7, 4, 9, 5, 10, 10, 11, 0, 11, 10,
    ]);
    expect(second?.frequencies).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(statistics.documentFrequencies).toEqual([1, 3, 1, 0, 1, 1, 1, 1, 0, 0, 2, 0]);
    expect(statistics.averageLength).toBeCloseTo(14 / 3, 9);
  });

  it('flags passages that are tables of contents', async () => {
    const scope = newScope();
    const rows = [passage(0, storedWords([{ stem: 'word', form: 'words' }], true)), passage(1, 'word')];
    await index(passages(), scope, rows, attributes('a'));
    const { candidates } = await passages().retrieve(scope, retrieval());
    expect(candidates.toSorted((a, b) => a.ordinal - b.ordinal).map(({ isContents }) => isContents)).toEqual([
      true,
      undefined,
    ]);
  });

  it('finds each special stem by itself and by no other', async () => {
    const scope = newScope();
    const odd = [
      'c++',
      'c#',
      'c',
      "o'neil",
      'oneil',
      '"',
      '\\',
      '*',
      'and',
      'or',
      'not',
      'near',
      'é',
      'e',
      'ß',
      'ss',
      'ı',
      'i',
      'ﬁ',
      'fi',
      '½',
      '😀',
      'x'.repeat(300),
      'x'.repeat(301),
      'مرحبا',
      '한국어',
      'zz',
      'zzh',
      '-',
      '_',
      '(',
      ':',
      '^',
    ];
    await index(
      passages(),
      scope,
      odd.map((stem, ordinal) => passage(ordinal, stem)),
      attributes('a'),
    );
    for (const [ordinal, stem] of odd.entries())
      expect({ stem, found: await found(passages(), scope, { terms: [[stem]] }) }).toEqual({
        stem,
        found: [`a/1/${ordinal}`],
      });
  });

  it('returns cosines of the requested model, with or without words', async () => {
    const scope = newScope();
    const vectors = [vector(1, 2, 3), vector(-1, 0.5), vector(0, 0, 0, 7), vector(0)];
    await index(
      passages(),
      scope,
      vectors.map((each, ordinal) => passage(ordinal, ordinal === 1 ? 'word' : 'other', { vector: each })),
      attributes('a'),
    );
    await index(passages(), scope, [passage(0, 'word', { vector: vector(1, 2) })], attributes('b'), 1, 'another model');
    await index(passages(), scope, [passage(0, 'word')], attributes('c'), 1, null);
    const asked = vector(0.3, 0.2, 0.1, 0.4);
    const { candidates } = await passages().retrieve(scope, retrieval({ vectors: [{ model, vector: asked }] }));
    expect(names(candidates)).toEqual(['a/1/0', 'a/1/1', 'a/1/2', 'b/1/0', 'c/1/0']);
    for (const { assetId, ordinal, cosine: measured } of candidates) {
      const known = assetId === 'a' ? vectors[ordinal] : undefined;
      if (known === undefined) expect(measured).toBeNull();
      else expect(Math.abs((measured ?? 9) - cosine(known, asked))).toBeLessThan(1e-5);
    }
    expect(await found(passages(), scope, { terms: [], vectors: [{ model: 'unknown model', vector: asked }] })).toEqual(
      [],
    );
    expect(
      await found(passages(), scope, { terms: [], vectors: [{ model, vector: new Float32Array([1, 2]) }] }),
    ).toEqual([]);
    expect(await found(passages(), scope, { terms: [] })).toEqual([]);
  });

  it('counts a passage the same however often it is retrieved', async () => {
    const scope = newScope();
    await index(
      passages(),
      scope,
      [passage(0, 'run runner run 数据 gx-4471 run'), passage(1, '数据'), passage(2, 'unmet gx-4471')],
      attributes('a'),
    );
    const terms = [['run'], ['runner', 'run', 'run'], ['数据'], ['unknown', 'gx-4471'], []];
    for (let time = 0; time < 4; time += 1) {
      const { candidates } = await passages().retrieve(scope, retrieval({ terms }));
      const inOrder = candidates.toSorted((a, b) => a.ordinal - b.ordinal);
      expect(inOrder.map(({ frequencies }) => frequencies)).toEqual([
        [3, 4, 1, 1, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 1, 0],
      ]);
      expect(inOrder.map(({ positions }) => Array.from(positions))).toEqual([
        [0, 0, 0, 1, 1, 1, 2, 0, 2, 1, 3, 2, 4, 3, 5, 0, 5, 1],
        [0, 2],
        [1, 3],
      ]);
      expect(
        (await passages().retrieve(scope, retrieval({ terms: [['runner']] }))).candidates.map(
          ({ frequencies }) => frequencies,
        ),
      ).toEqual([[1]]);
    }
    await passages().write(scope, { assetId: 'a', revision: 1, embeddingModel: model }, [passage(1, '数据 run')]);
    const { candidates } = await passages().retrieve(scope, retrieval({ terms }));
    expect(candidates.find(({ ordinal }) => ordinal === 1)?.frequencies).toEqual([1, 1, 1, 0, 0]);
  });

  it('adds the cosine to passages that only the keyword leg found', async () => {
    const scope = newScope();
    const rows = Array.from({ length: 10 }, (_, ordinal) =>
      passage(ordinal, ordinal === 9 ? 'word' : 'other', { vector: vector(1, ordinal / 10) }),
    );
    await index(passages(), scope, rows, attributes('a'));
    const { candidates } = await passages().retrieve(
      scope,
      retrieval({ vectors: [{ model, vector: vector(1) }], limit: 2 }),
    );
    expect(names(candidates)).toEqual(['a/1/0', 'a/1/1', 'a/1/9']);
    expect(candidates.find(({ ordinal }) => ordinal === 9)?.cosine).toBeCloseTo(1 / Math.sqrt(1.81), 5);
  });

  it('prefers rarer and more frequent words when the limit cuts', async () => {
    const scope = newScope();
    const rows = Array.from({ length: 30 }, (_, ordinal) =>
      passage(ordinal, ordinal === 20 ? 'word rare x' : ordinal === 21 ? 'word word word' : 'word y z'),
    );
    await index(
      passages(),
      scope,
      [...rows, ...Array.from({ length: 40 }, (_, index) => passage(30 + index, 'a b c'))],
      attributes('a'),
    );
    expect(await found(passages(), scope, { terms: [['word'], ['rare']], limit: 1 })).toEqual(['a/1/20']);
    expect(await found(passages(), scope, { terms: [['word']], limit: 1 })).toEqual(['a/1/21']);
  });
}
