import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Embeddings } from '../../adapters/embeddings/port.ts';
import { openSqlitePassages } from '../../adapters/passages/sqlite/sqlite.ts';
import type { Passages, Retrieval } from '../../adapters/passages/port.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { analyse, analyseQuery } from '../../models/analyser/analyser.ts';
import type { SearchRequest } from '../../models/api.ts';
import { shippedRelevance } from '../../models/relevance/registry.ts';
import { scopeOf } from '../../models/scope.ts';
import type { AssetRecord } from './check.ts';
import { noTuning } from './tuning/tuning.ts';
import { openQueryVectors, type QueryVectors } from './query-vectors.ts';
import { search, type SearchOutcome, type SearchTools } from './search.ts';

const scope = scopeOf('6e3ad0c8-0000-4000-8000-000000000001');
const [relevance] = shippedRelevance();
const modelId = relevance?.modelId ?? '';

/** Dimensions without a meaning. */
const meaningless = 16;

/** A model of three axes: pets, machines and money. What has nothing of these is near nothing else. */
function vectorOf(text: string): Float32Array {
  const axes = [/dog|puppy|pet/gi, /pump|seal|engine/gi, /invoice|budget|euro/gi].map(
    (words) => text.match(words)?.length ?? 0,
  );
  const digest = createHash('sha256').update(text).digest();
  const rest = Array.from({ length: meaningless }, (_, index) => ((digest[index] ?? 0) / 127.5 - 1) / 20);
  const length = Math.hypot(...axes, ...rest);
  return Float32Array.from([...axes, ...rest], (value) => value / length);
}

const files: { id: string; principals: string[] | null; texts: string[] }[] = [
  {
    id: 'pets',
    principals: null,
    texts: ['A dog barked all night. The dogs next door answered.', 'Feeding a young dog needs patience.'],
  },
  { id: 'pumps', principals: null, texts: ['Replace the pump seal GX-4471 every year.'] },
  { id: 'secret', principals: ['group:board'], texts: ['The secret budget for dogs is nine euro.'] },
  {
    id: 'filler',
    principals: null,
    texts: Array.from({ length: 12 }, (_, index) => `Paragraph ${index} speaks of weather, roads and rivers.`),
  },
];

function request(query: string, fields: Partial<SearchRequest> = {}): SearchRequest {
  return { query, limit: 20, offset: 0, group: null, filter: {}, principals: null, ...fields };
}

describe('a search', () => {
  let folder: string;
  let passages: Passages;
  let records: AssetRecord[];
  let retrievals: Retrieval[];
  let warnings: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ply-search-'));
    passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
    records = files.map(({ id, principals }, index) => ({
      _id: id,
      aclMode: principals === null ? 'open' : 'restricted',
      principals: principals ?? [],
      attributesVersion: 1,
      activeRevision: 1,
      sourceMissingSince: null,
      createdAt: index,
      deletedAt: null,
      filename: `${id}.txt`,
      kind: 'document',
      metadata: { shelf: id },
      externalId: id,
      sourceUrl: `https://example.com/${id}.txt`,
      sourceVersion: 'v1',
    }));
    for (const { id, texts } of files) {
      const rows = texts.map((text, ordinal) => {
        const words = analyse(text, 'en');
        return {
          ordinal,
          text,
          stems: words.map((word) => word.stem).join(' '),
          length: words.length,
          location: { lineStart: ordinal + 1, lineEnd: ordinal + 1 },
          language: null,
          speaker: null,
          analysedAs: 'en',
          vector: vectorOf(text),
        };
      });
      await passages.write(scope, { assetId: id, revision: 1, embeddingModel: modelId }, rows);
      const record = records.find((one) => one._id === id);
      await passages.publish(scope, 1, rows.length, {
        assetId: id,
        attributesVersion: 1,
        aclMode: record?.aclMode ?? 'open',
        principals: record?.principals ?? [],
        kind: 'document',
        externalId: id,
        metadata: { shelf: id },
        collections: [],
        createdAt: 1,
        present: true,
      });
    }
  });

  afterAll(async () => {
    await passages.close();
    rmSync(folder, { recursive: true });
  });

  beforeEach(() => {
    retrievals = [];
    warnings = 0;
  });

  function vectorsBy(embed: Embeddings['embed']): QueryVectors {
    if (relevance === undefined) throw new Error('no relevance file is shipped');
    return openQueryVectors(
      { model: { id: modelId, dimensions: 3 + meaningless, languages: ['en'] }, embed },
      passages,
      relevance,
    );
  }

  function ask(asked: SearchRequest, change: Partial<SearchTools> = {}, from = scope): Promise<SearchOutcome> {
    if (relevance === undefined) throw new Error('no relevance file is shipped');
    return search(
      {
        passages: {
          retrieve: (organization, retrieval) => {
            retrievals.push(retrieval);
            return passages.retrieve(organization, retrieval);
          },
          nearestWords: passages.nearestWords,
          frequenciesOf: passages.frequenciesOf,
          fetch: passages.fetch,
        },
        vectors: vectorsBy(async (texts) => texts.map(vectorOf)),
        readStates: async (_, ids) => records.filter((record) => ids.includes(record._id)),
        readAssets: async (_, ids) => records.filter((record) => ids.includes(record._id)),
        languages: passages.languages,
        tuning: async () => noTuning,
        collectionIds: async (_, externalIds) => [...externalIds],
        slots: { run: (work) => work() },
        analyse,
        wordsOf: ({ text, analysedAs }) => analyse(text, analysedAs),
        analyseQuery,
        relevance,
        log: {
          warn: () => {
            warnings += 1;
          },
          error: () => {
            warnings += 1;
          },
        },
        onLeak: () => {
          throw new Error('the index leaked');
        },
        onSuperseded: () => undefined,
        ...change,
      },
      from,
      asked,
    );
  }

  it('finds a code, highlights it and returns its location', async () => {
    const { response } = await ask(request('gx-4471'));
    const [first] = response.items;
    expect(first).toMatchObject({
      assetId: 'pumps',
      revision: 1,
      filename: 'pumps.txt',
      kind: 'document',
      location: { lineStart: 1, lineEnd: 1 },
      metadata: { shelf: 'pumps' },
      pinned: false,
      speaker: null,
      language: null,
      snippet: 'Replace the pump seal GX-4471 every year.',
      highlights: [{ start: 22, end: 29 }],
      sourceReference: { externalId: 'pumps', sourceUrl: 'https://example.com/pumps.txt', sourceVersion: 'v1' },
    });
    expect(response).toMatchObject({ hasMore: false });
    expect(response.terms).toContain('gx-4471');
  });

  it('highlights inflected words, and distinguishes matches by word and by meaning', async () => {
    const {
      response: { items, terms },
    } = await ask(request('dogs'));
    expect(items.map((item) => item.assetId)).toEqual(['pets', 'pets']);
    for (const { snippet, highlights } of items)
      for (const { start, end } of highlights) expect(snippet.slice(start, end)).toMatch(/^dogs?$/);
    expect(items.map((item) => item.matchType)).toEqual(['both', 'both']);
    expect(terms).toEqual(['dogs']);
    const byMeaning = await ask(request('puppy'));
    expect(
      byMeaning.response.items.map(({ assetId, matchType, highlights }) => ({ assetId, matchType, highlights })),
    ).toEqual([
      { assetId: 'pets', matchType: 'semantic', highlights: [] },
      { assetId: 'pets', matchType: 'semantic', highlights: [] },
    ]);
    expect(byMeaning.response.terms).toEqual([]);
  });

  it('orders by relevance, every item at or above the floor', async () => {
    const {
      response: { items },
    } = await ask(request('dog pump weather'));
    expect(items.map((item) => item.score)).toEqual(items.map((item) => item.score).sort((one, other) => other - one));
    for (const item of items) expect(item.relevance).toBeGreaterThanOrEqual(relevance?.floor ?? 1);
  });

  it('passes principals and filter on unchanged', async () => {
    await ask(request('dog'));
    await ask(request('dog', { principals: [], filter: { assetIds: ['pets'], kind: 'document' } }));
    expect(retrievals.map(({ principals, filter }) => ({ principals, filter }))).toEqual([
      { principals: null, filter: {} },
      { principals: [], filter: { assetIds: ['pets'], kind: 'document' } },
    ]);
  });

  it('shows a restricted file only to its principals', async () => {
    for (const principals of [null, [], ['group:staff']]) {
      const { response } = await ask(request('secret budget', { principals }));
      expect(response.items).toEqual([]);
    }
    const { response } = await ask(request('secret budget', { principals: ['group:board', 'x'] }));
    expect(response.items.map((item) => item.assetId)).toEqual(['secret']);
  });

  it('groups by file: the best passage, with all moments in the order of the file', async () => {
    const { response } = await ask(request('dog', { group: 'file' }));
    expect(response.items).toHaveLength(1);
    expect(response.items[0]).toMatchObject({ assetId: 'pets', momentCount: 2 });
    expect(response.items[0]?.moments?.map((moment) => moment.location.lineStart)).toEqual([1, 2]);
  });

  it('searches by words if the model fails, and reports it', async () => {
    const { response } = await ask(request('pump seal'), {
      vectors: vectorsBy(async () => {
        throw new Error('away');
      }),
    });
    expect(warnings).toBe(1);
    expect(response.items[0]).toMatchObject({ assetId: 'pumps', matchType: 'keyword' });
  });

  it('does not embed a query in another script with an English model', async () => {
    await ask(request('насос'), {
      vectors: vectorsBy(async () => {
        throw new Error('was asked');
      }),
    });
    expect(retrievals[0]?.vectors).toEqual([]);
    expect(warnings).toBe(0);
  });

  it('finds nothing in an empty library, and reports that it is empty', async () => {
    const outcome = await ask(request('dog'), {}, scopeOf('6e3ad0c8-0000-4000-8000-000000000002'));
    expect(outcome).toEqual({
      response: { items: [], withheldAsWeak: 0, hasMore: false, terms: [] },
      emptyLibrary: true,
      results: 0,
      passageIds: [],
    });
  });

  it('retrieves again if a passage was removed between finding and reading it', async () => {
    let fetches = 0;
    const { response } = await ask(request('gx-4471'), {
      passages: {
        retrieve: passages.retrieve,
        nearestWords: passages.nearestWords,
        frequenciesOf: passages.frequenciesOf,
        fetch: async (organization, keys) => (fetches++ === 0 ? [] : passages.fetch(organization, keys)),
      },
    });
    expect(fetches).toBe(2);
    expect(response.items[0]?.assetId).toBe('pumps');
  });
});
