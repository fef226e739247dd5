import {
  attributes,
  found,
  index,
  model,
  newScope,
  passage,
  retrieval,
  vector,
  vectorSize,
} from './conformance-data.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { Passages } from './port.ts';

const ids = ['open', 'restricted', 'twice', 'unpublished'] as const;

/**
 * A library with open and restricted files, with and without vectors, two revisions of one file, and an unpublished
 * file.
 */
async function fill(passages: Passages, scope: OrganizationScope): Promise<void> {
  const rows = [
    passage(0, 'word lighthouse', { vector: vector(1, 2) }),
    passage(1, 'wort leuchtturm', { analysedAs: 'de', speaker: 'Keeper', language: 'de-DE' }),
  ];
  await index(passages, scope, rows, attributes('open', { metadata: { shelf: 'north' }, collections: ['c'] }));
  await index(
    passages,
    scope,
    [passage(0, 'word amber')],
    attributes('restricted', { aclMode: 'restricted', principals: ['crew'] }),
    1,
    null,
  );
  for (const revision of [1, 2])
    await index(
      passages,
      scope,
      [passage(0, 'word twice', { vector: vector(2, revision) })],
      attributes('twice', { attributesVersion: revision }),
      revision,
    );
  await passages.write(scope, { assetId: 'unpublished', revision: 1, embeddingModel: model }, [
    passage(0, 'word hidden', { vector: vector(3) }),
  ]);
}

/** The results of all read operations for an organization. */
async function contentsOf(passages: Passages, scope: OrganizationScope): Promise<object> {
  const asked = { principals: ['crew'], filter: {}, limit: 100 };
  const { candidates, statistics } = await passages.retrieve(
    scope,
    retrieval({
      ...asked,
      terms: [['word'], ['wort'], ['amber'], ['hidden']],
      vectors: [{ model, vector: vector(1, 1) }],
    }),
  );
  const keys = ids.flatMap((assetId) =>
    [1, 2].flatMap((revision) => [0, 1].map((ordinal) => ({ assetId, revision, ordinal }))),
  );
  return {
    candidates: candidates.toSorted((one, other) =>
      `${one.assetId}/${one.revision}/${one.ordinal}`.localeCompare(
        `${other.assetId}/${other.revision}/${other.ordinal}`,
      ),
    ),
    statistics,
    texts: (await passages.fetch(scope, keys)).map(({ text }) => text),
    near: (await passages.nearestFiles(scope, { ...asked, vector: vector(1, 1), embeddingModel: model })).map(
      ({ assetId, revision }) => `${assetId}/${revision}`,
    ),
    vectors: (
      await Promise.all(
        ids.map((assetId) =>
          passages.vectorsOf(scope, { assetId, revision: 1 }, { id: model, dimensions: vectorSize }, 10),
        ),
      )
    ).map((vectors) => vectors.length),
    counts: await Promise.all(ids.map((assetId) => passages.countOf(scope, assetId, 1))),
    frequencies: await passages.frequenciesOf(scope, ['word', 'lighthouse', 'leuchtturm']),
    like: (
      await passages.nearestWords(scope, [{ stems: ['lighthous'], edits: 2, forms: ['amber'], prefixes: ['leucht'] }])
    )
      .flat()
      .map(({ stem }) => stem)
      .sort(),
    languages: (await passages.languages(scope)).toSorted(),
  };
}

const nothing = {
  candidates: [],
  statistics: { passages: 0, averageLength: 0, documentFrequencies: [0, 0, 0, 0] },
  texts: [],
  near: [],
  vectors: [0, 0, 0, 0],
  counts: [0, 0, 0, 0],
  frequencies: [0, 0, 0],
  like: [],
  languages: [],
};

/** Removal of an organization: all of its data, and none of another's. */
export function removalTests(passages: () => Passages): void {
  it('removes an organization completely and leaves another unchanged', async () => {
    const [scope, beside] = [newScope(), newScope()];
    await fill(passages(), scope);
    await fill(passages(), beside);
    const before = await contentsOf(passages(), beside);
    expect(before).toMatchObject({
      statistics: { passages: 5 },
      counts: [2, 1, 1, 0],
      frequencies: [4, 1, 1],
      languages: ['de', 'en'],
    });
    expect(await contentsOf(passages(), scope)).toEqual(before);
    await passages().removeOrganization(scope);
    expect(await contentsOf(passages(), scope)).toEqual(nothing);
    expect(await contentsOf(passages(), beside)).toEqual(before);
    await passages().removeOrganization(scope);
    expect(await contentsOf(passages(), beside)).toEqual(before);
  });

  it('accepts the removal of an unknown organization, and indexes a removed one again', async () => {
    const scope = newScope();
    await passages().removeOrganization(scope);
    expect(await contentsOf(passages(), scope)).toEqual(nothing);
    await fill(passages(), scope);
    await passages().removeOrganization(scope);
    await index(passages(), scope, [passage(0, 'word')], attributes('open', { attributesVersion: 1 }));
    expect(await found(passages(), scope)).toEqual(['open/1/0']);
    expect(await found(passages(), scope, { filter: { metadata: { shelf: 'north' } } })).toEqual([]);
    expect((await passages().retrieve(scope, retrieval())).statistics).toEqual({
      passages: 1,
      averageLength: 1,
      documentFrequencies: [1],
    });
  });

  it('removes concurrent writes, at the latest when the removal is repeated', async () => {
    const [scope, beside] = [newScope(), newScope()];
    await fill(passages(), beside);
    const before = await contentsOf(passages(), beside);
    await fill(passages(), scope);
    const late = Array.from({ length: 6 }, (_, at) =>
      index(passages(), scope, [passage(0, 'word late', { vector: vector(at, 1) })], attributes(`late-${at}`)),
    );
    await Promise.all([passages().removeOrganization(scope), ...late]);
    await passages().removeOrganization(scope);
    expect(await contentsOf(passages(), scope)).toEqual(nothing);
    expect(await found(passages(), scope)).toEqual([]);
    expect(await contentsOf(passages(), beside)).toEqual(before);
  });
}
