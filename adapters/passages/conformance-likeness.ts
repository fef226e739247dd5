import { attributes, index, model, newScope, passage, vector, vectorSize } from './conformance-data.ts';
import type { FileRetrieval, Passages } from './port.ts';

const asked = (more: Partial<FileRetrieval> = {}): FileRetrieval => ({
  principals: null,
  filter: {},
  vector: vector(1),
  embeddingModel: model,
  limit: 10,
  ...more,
});
const testModel = { id: model, dimensions: vectorSize };

/** Reads for related files: vectors, stem frequencies and nearest files. */
export function likenessTests(passages: () => Passages): void {
  it('finds the files nearest to a vector, each once, by its nearest passage', async () => {
    const scope = newScope();
    const at = (turn: number) => vector(Math.cos(turn), Math.sin(turn));
    await index(
      passages(),
      scope,
      [passage(0, 'a', { vector: at(1) }), passage(1, 'a', { vector: at(0.2) }), passage(2, 'a', { vector: at(0.3) })],
      attributes('near'),
    );
    await index(
      passages(),
      scope,
      [passage(0, 'a', { vector: at(0.6) })],
      attributes('far', { metadata: { shelf: 'low' } }),
    );
    await index(
      passages(),
      scope,
      Array.from({ length: 30 }, (_, ordinal) => passage(ordinal, 'a', { vector: at(0.1) })),
      attributes('long', { attributesVersion: 7 }),
    );
    await index(
      passages(),
      scope,
      [passage(0, 'a', { vector: at(0) })],
      attributes('hidden', { aclMode: 'restricted', principals: ['p'] }),
    );
    await index(passages(), scope, [passage(0, 'a', { vector: at(0) })], attributes('missing', { present: false }));
    await index(passages(), scope, [passage(0, 'a', { vector: at(0) })], attributes('other model'), 1, 'another model');
    await index(passages(), scope, [passage(0, 'a')], attributes('words alone'));
    const near = async (more: Partial<FileRetrieval> = {}) =>
      (await passages().nearestFiles(scope, asked(more))).map(({ assetId }) => assetId);
    const found = await passages().nearestFiles(scope, asked());
    expect(found.map(({ assetId, revision, attributesVersion }) => ({ assetId, revision, attributesVersion }))).toEqual(
      [
        { assetId: 'long', revision: 1, attributesVersion: 7 },
        { assetId: 'near', revision: 1, attributesVersion: 1 },
        { assetId: 'far', revision: 1, attributesVersion: 1 },
      ],
    );
    expect(found[1]?.ordinal).toBe(1);
    for (const [i, turn] of [0.1, 0.2, 0.6].entries()) expect(found[i]?.cosine).toBeCloseTo(Math.cos(turn), 5);
    expect(await near({ limit: 2 })).toEqual(['long', 'near']);
    expect(await near({ exceptAsset: 'long' })).toEqual(['near', 'far']);
    expect(await near({ principals: [] })).toEqual(['long', 'near', 'far']);
    expect(await near({ principals: ['p', 'q'] })).toEqual(['hidden', 'long', 'near', 'far']);
    expect(await near({ filter: { metadata: { shelf: 'low' } } })).toEqual(['far']);
    expect(await near({ embeddingModel: 'unknown model' })).toEqual([]);
    expect(await passages().nearestFiles(newScope(), asked())).toEqual([]);
    await passages().discard(scope, 'long', 1);
    expect(await near()).toEqual(['near', 'far']);
  });

  it('excludes a file from a retrieval', async () => {
    const scope = newScope();
    for (const name of ['a', 'b', 'c'])
      await index(passages(), scope, [passage(0, 'word', { vector: vector(1) })], attributes(name));
    const retrieval = {
      principals: null,
      filter: {},
      terms: [['word']],
      vectors: [{ model, vector: vector(1) }],
      exceptAsset: 'b',
      limit: 10,
    };
    expect((await passages().retrieve(scope, retrieval)).candidates.map(({ assetId }) => assetId).sort()).toEqual([
      'a',
      'c',
    ]);
  });

  it('returns vectors of a published revision, spread evenly over it', async () => {
    const scope = newScope();
    const rows = Array.from({ length: 10 }, (_, ordinal) =>
      passage(ordinal, 'a', { vector: ordinal === 4 ? null : vector(1, ordinal) }),
    );
    const file = { assetId: 'a', revision: 1 };
    await passages().write(scope, { ...file, embeddingModel: model }, rows);
    expect(await passages().vectorsOf(scope, file, testModel, 100)).toEqual([]);
    await passages().publish(scope, 1, rows.length, attributes('a'));
    const ordinals = async (limit: number, of = testModel) =>
      (await passages().vectorsOf(scope, file, of, limit)).map((each) => each[1]);
    expect(await ordinals(100)).toEqual([0, 1, 2, 3, 5, 6, 7, 8, 9]);
    expect(await ordinals(5)).toEqual([0, 2, 6, 8]);
    expect(await ordinals(1)).toEqual([0]);
    expect((await passages().vectorsOf(scope, file, testModel, 1))[0]).toHaveLength(vectorSize);
    expect(await ordinals(5, { id: 'another model', dimensions: vectorSize })).toEqual([]);
    expect(await ordinals(5, { id: model, dimensions: 3 })).toEqual([]);
    expect(await passages().vectorsOf(scope, { assetId: 'a', revision: 2 }, testModel, 5)).toEqual([]);
    expect(await passages().vectorsOf(newScope(), file, testModel, 5)).toEqual([]);
  });

  it('counts the passages that contain a stem', async () => {
    const scope = newScope();
    await index(passages(), scope, [passage(0, 'a b'), passage(1, 'a a'), passage(2, 'c')], attributes('a'));
    expect(await passages().frequenciesOf(scope, ['a', 'c', 'none', 'a'])).toEqual([2, 1, 0, 2]);
    expect(await passages().frequenciesOf(scope, [])).toEqual([]);
    expect(await passages().frequenciesOf(newScope(), ['a'])).toEqual([0]);
  });
}
