import {
  attributes,
  cosine,
  index,
  model,
  newScope,
  passage,
  retrieval,
  vector,
  vectorSize,
} from './conformance-data.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { Passages, QueryVector } from './port.ts';

const other = 'other-model';
const [first, second] = [
  { id: model, dimensions: vectorSize },
  { id: other, dimensions: vectorSize },
];

/** A file whose passages have vectors of two models, none, and the first model again. */
async function indexMixed(passages: Passages, scope: OrganizationScope, assetId: string): Promise<void> {
  const file = { assetId, revision: 1 };
  await passages.write(scope, { ...file, embeddingModel: model }, [
    passage(0, 'word', { vector: vector(1, 0.1) }),
    passage(2, 'word'),
  ]);
  await passages.write(scope, { ...file, embeddingModel: other }, [passage(1, 'word', { vector: vector(1, 0.2) })]);
  const last = { embeddingModel: model, rows: [passage(3, 'word', { vector: vector(1, 0.3) })] };
  await passages.publish(scope, 1, 4, attributes(assetId), last);
}

/** Vectors of several models in one index. */
export function modelTests(passages: () => Passages): void {
  async function cosinesOf(
    scope: OrganizationScope,
    vectors: readonly QueryVector[],
    more: { terms?: string[][]; filter?: { language?: string } } = {},
  ): Promise<[string, string | null, string | null][]> {
    const { candidates } = await passages().retrieve(scope, retrieval({ vectors, ...more }));
    return candidates
      .map(({ assetId, ordinal, cosine: value, model: by }): [string, string | null, string | null] => [
        `${assetId}/${ordinal}`,
        by,
        value?.toFixed(4) ?? null,
      ])
      .sort(([one], [another]) => one.localeCompare(another));
  }

  it('compares each passage with the vector of its own model, and names that model', async () => {
    const scope = newScope();
    await indexMixed(passages(), scope, 'a');
    await index(passages(), scope, [passage(0, 'word', { vector: vector(1, 0.4) })], attributes('b'), 1, other);
    const [one, two] = [vector(1), vector(0, 1)];
    const near = (asked: Float32Array, second: number): string => cosine(asked, vector(1, second)).toFixed(4);
    const both = [
      { model, vector: one },
      { model: other, vector: two },
    ];
    const expected = [
      ['a/0', model, near(one, 0.1)],
      ['a/1', other, near(two, 0.2)],
      ['a/3', model, near(one, 0.3)],
      ['b/0', other, near(two, 0.4)],
    ];
    expect(await cosinesOf(scope, both, { terms: [] })).toEqual(expected);
    expect(await cosinesOf(scope, both.toReversed(), { terms: [] })).toEqual(expected);
    expect(await cosinesOf(scope, [{ model: other, vector: two }], { terms: [] })).toEqual(
      expected.filter(([, by]) => by === other),
    );
    // The words find all of them, each with the cosine that its model allows.
    expect(await cosinesOf(scope, both)).toEqual([...expected.slice(0, 2), ['a/2', null, null], ...expected.slice(2)]);
    expect(await cosinesOf(scope, [{ model, vector: one }])).toEqual([
      expected[0],
      ['a/1', null, null],
      ['a/2', null, null],
      expected[2],
      ['b/0', null, null],
    ]);
  });

  it('does so with a filter that restricts passages', async () => {
    const scope = newScope();
    const row = (ordinal: number, language: string) =>
      passage(ordinal, ordinal === 3 ? 'word' : 'none', { vector: vector(1, ordinal), language });
    const file = { assetId: 'a', revision: 1 };
    await passages().write(scope, { ...file, embeddingModel: model }, [row(0, 'en'), row(1, 'de')]);
    await passages().write(scope, { ...file, embeddingModel: other }, [row(2, 'de'), row(3, 'de')]);
    await passages().publish(scope, 1, 4, attributes('a'));
    const both = [model, other].map((id) => ({ model: id, vector: vector(1) }));
    expect((await cosinesOf(scope, both, { filter: { language: 'de' } })).map(([name, by]) => [name, by])).toEqual([
      ['a/1', model],
      ['a/2', other],
      ['a/3', other],
    ]);
  });

  it('returns as many candidates of each model as the limit allows', async () => {
    const scope = newScope();
    for (const [i, id] of [model, other].entries())
      await index(
        passages(),
        scope,
        Array.from({ length: 6 }, (_, ordinal) => passage(ordinal, 'word', { vector: vector(1, ordinal) })),
        attributes(`file-${i}`),
        1,
        id,
      );
    const vectors = [model, other].map((id) => ({ model: id, vector: vector(1) }));
    const { candidates } = await passages().retrieve(scope, retrieval({ terms: [], vectors, limit: 2 }));
    expect(candidates.map(({ assetId, ordinal }) => `${assetId}/${ordinal}`).sort()).toEqual([
      'file-0/0',
      'file-0/1',
      'file-1/0',
      'file-1/1',
    ]);
  });

  it('replaces the vector of a row by one of another model', async () => {
    const scope = newScope();
    await indexMixed(passages(), scope, 'a');
    await passages().write(scope, { assetId: 'a', revision: 1, embeddingModel: other }, [
      passage(0, 'word', { vector: vector(0, 1) }),
    ]);
    await passages().write(scope, { assetId: 'a', revision: 1, embeddingModel: model }, [
      passage(1, 'word', { vector: vector(1, 0.5) }),
    ]);
    const both = [model, other].map((id) => ({ model: id, vector: vector(1) }));
    expect((await cosinesOf(scope, both)).map(([name, by]) => [name, by])).toEqual([
      ['a/0', other],
      ['a/1', model],
      ['a/2', null],
      ['a/3', model],
    ]);
  });

  it('reports the models of the vectors of an organization, and samples the vectors', async () => {
    const scope = newScope();
    const unknown = { id: 'unknown', dimensions: vectorSize };
    expect(await passages().holdsVectors(scope, [first, second])).toEqual([false, false]);
    expect(await passages().sampleVectors(scope, first, 10)).toEqual([]);
    await index(passages(), scope, [passage(0, 'word', { vector: vector(1, 0.7) })], attributes('b'));
    expect(await passages().holdsVectors(scope, [second, first, unknown])).toEqual([false, true, false]);
    await indexMixed(passages(), scope, 'a');
    expect(await passages().holdsVectors(scope, [second, first, unknown])).toEqual([true, true, false]);
    const seconds = async (of: typeof first, limit: number): Promise<string[]> =>
      (await passages().sampleVectors(scope, of, limit)).map((each) => (each[1] ?? 0).toFixed(1)).sort();
    expect(await seconds(second, 50)).toEqual(['0.2']);
    expect(new Set(await seconds(first, 50))).toEqual(new Set(['0.1', '0.3', '0.7']));
    expect((await seconds(first, 2)).length).toBeLessThanOrEqual(2);
    expect(await passages().sampleVectors(scope, unknown, 10)).toEqual([]);
    expect(await passages().sampleVectors(newScope(), first, 10)).toEqual([]);
  });

  it('finds the files nearest to a vector, and the vectors of a file, by model', async () => {
    const scope = newScope();
    await indexMixed(passages(), scope, 'a');
    await index(passages(), scope, [passage(0, 'word', { vector: vector(1, 0.7) })], attributes('b'));
    const nearest = async (embeddingModel: string): Promise<string[]> =>
      (
        await passages().nearestFiles(scope, {
          principals: null,
          filter: {},
          vector: vector(1, 0.2),
          embeddingModel,
          limit: 10,
        })
      ).map(({ assetId, ordinal, cosine: value }) => `${assetId}/${ordinal} ${value.toFixed(2)}`);
    expect((await nearest(model)).map((name) => name.split(' ')[0])).toEqual(['a/3', 'b/0']);
    expect(await nearest(other)).toEqual(['a/1 1.00']);
    const file = { assetId: 'a', revision: 1 };
    const seconds = async (of: typeof first): Promise<number[]> =>
      (await passages().vectorsOf(scope, file, of, 10)).map((each) => Number((each[1] ?? 0).toFixed(1)));
    expect(await seconds(first)).toEqual([0.1, 0.3]);
    expect(await seconds(second)).toEqual([0.2]);
  });

  it('reports no models of removed rows', async () => {
    const scope = newScope();
    await indexMixed(passages(), scope, 'a');
    await passages().removeFile(scope, 'a');
    const both = [model, other].map((id) => ({ model: id, vector: vector(1) }));
    expect(await cosinesOf(scope, both)).toEqual([]);
    expect(await passages().sampleVectors(scope, second, 10)).toEqual([]);
  });
}
