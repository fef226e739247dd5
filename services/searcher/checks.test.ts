import fc from 'fast-check';
import type { Candidate, RetrievalResult } from '../../adapters/passages/port.ts';
import { analyse, analyseQuery } from '../../models/analyser/analyser.ts';
import type { SearchRequest } from '../../models/api.ts';
import { passageIdOf, type Passage } from '../../models/passage.ts';
import { shippedRelevance } from '../../models/relevance/registry.ts';
import { scopeOf } from '../../models/scope.ts';
import { isSuperseded, judge, type AssetRecord } from './check.ts';
import { grader } from './grade.ts';
import { compareHits, groupByFile, momentsOf, pageOf, promote, type Hit } from './order.ts';
import { search, type SearchTools } from './search.ts';
import { boostsOf, noTuning } from './tuning/tuning.ts';

const scope = scopeOf('6e3ad0c8-0000-4000-8000-000000000000');
const [relevance] = shippedRelevance();
const people = ['ann', 'bob', 'cay'];

/** A library: the documents of its files, and what its index finds for a query. */
interface World {
  records: AssetRecord[];
  candidates: Candidate[];
  principals: string[] | null;
  group: 'file' | null;
  offset: number;
  limit: number;
  pins: string[];
  isBoosted: boolean;
}

const idOf = (file: number): string => `file-${file}`;

const record = fc.record({
  aclMode: fc.constantFrom('open' as const, 'restricted' as const),
  principals: fc.subarray(people),
  attributesVersion: fc.integer({ min: 1, max: 2 }),
  activeRevision: fc.constantFrom(null, 1, 1, 2),
  sourceMissingSince: fc.constantFrom(null, null, null, 5),
  deletedAt: fc.constantFrom(null, null, null, 5),
  createdAt: fc.integer({ min: 1, max: 3 }),
  kind: fc.constantFrom('document' as const, 'video' as const),
});

const candidate = fc.record({
  file: fc.integer({ min: 0, max: 24 }),
  revision: fc.integer({ min: 1, max: 2 }),
  ordinal: fc.integer({ min: 0, max: 3 }),
  attributesVersion: fc.integer({ min: 1, max: 2 }),
  occurrences: fc.integer({ min: 0, max: 3 }),
  isContents: fc.boolean(),
});

const worlds: fc.Arbitrary<World> = fc
  .record({
    files: fc.array(record, { minLength: 1, maxLength: 22, size: 'max' }),
    found: fc.uniqueArray(candidate, {
      maxLength: 80,
      size: 'max',
      selector: ({ file, revision, ordinal }) => `${file}/${revision}/${ordinal}`,
    }),
    principals: fc.option(fc.subarray(people)),
    group: fc.constantFrom(null, 'file' as const),
    offset: fc.constantFrom(0, 0, 3),
    limit: fc.integer({ min: 1, max: 10 }),
    pinned: fc.uniqueArray(fc.integer({ min: 0, max: 24 }), { maxLength: 3 }),
    isBoosted: fc.boolean(),
  })
  .map(({ files, found, pinned, ...rest }) => ({
    ...rest,
    pins: pinned.map(idOf),
    records: files.map((fields, file) => ({
      ...fields,
      _id: idOf(file),
      filename: `${idOf(file)}.txt`,
      metadata: {},
      externalId: idOf(file),
      sourceUrl: `https://example.com/${idOf(file)}`,
      sourceVersion: 'v1',
    })),
    candidates: found.map(({ file, occurrences, isContents, ...fields }) => ({
      ...fields,
      assetId: idOf(file),
      frequencies: [occurrences],
      positions: Array.from({ length: occurrences }, (_, place) => [place, 0]).flat(),
      forms: null,
      length: 20,
      // What no word finds is found by meaning.
      cosine: occurrences === 0 ? 0.1 : null,
      model: null,
      analysedAs: 'en',
      ...(isContents ? { isContents: true } : {}),
    })),
  }));

const boosts = boostsOf([{ name: 'videos', match: { kind: 'video' }, factor: 1.5 }]);

function resultOf({ candidates }: World): RetrievalResult {
  return {
    candidates: structuredClone(candidates),
    statistics: { passages: 1000, averageLength: 20, documentFrequencies: [2] },
  };
}

/** What is told of a search: its answer by the ids of passages, and what was reported. */
interface Told {
  items: { passage: string; score: number; pinned: boolean; moments: number }[];
  withheldAsWeak: number;
  hasMore: boolean;
  results: number;
  leaked: string[];
  superseded: string[];
}

/** Checks every candidate by the whole document of its file, then grades, orders and pages what may be shown. */
function checkingEverything(world: World): Told {
  if (relevance === undefined) throw new Error('no relevance file is shipped');
  const granted = new Set(world.principals);
  const records = new Map(world.records.map((asset) => [asset._id, asset]));
  const result = resultOf(world);
  const gradeOf = grader(relevance, result, [1]);
  const [leaked, superseded] = [new Set<string>(), new Set<string>()];
  const hits: Hit[] = [];
  let withheldAsWeak = 0;
  for (const found of result.candidates) {
    const asset = records.get(found.assetId);
    const verdict = judge(found, asset, granted);
    if (verdict === 'leaked') leaked.add(passageIdOf(found));
    if (verdict !== 'shown' && isSuperseded(found, asset)) superseded.add(`${found.assetId}@${found.revision}`);
    if (verdict !== 'shown' || asset === undefined) continue;
    const grade = gradeOf(found);
    if (grade.relevance < relevance.floor) withheldAsWeak += 1;
    else {
      const score = grade.score * (world.isBoosted ? boosts(asset) : 1);
      const placed = found.isContents === true ? score * relevance.floor : score;
      hits.push({ candidate: found, ...grade, score: placed, createdAt: asset.createdAt });
    }
  }
  const ordered = promote(hits.sort(compareHits), world.pins);
  const told = (hit: Hit, moments: number): Told['items'][number] => ({
    passage: passageIdOf(hit.candidate),
    score: hit.score,
    pinned: hit.isPinned === true,
    moments,
  });
  const [hitPage, filePage] = [
    pageOf(ordered, world.offset, world.limit),
    pageOf(groupByFile(ordered), world.offset, world.limit),
  ];
  return {
    items:
      world.group === null
        ? hitPage.page.map((hit) => told(hit, 0))
        : filePage.page.map((group) => told(group.best, momentsOf(group).length)),
    withheldAsWeak,
    hasMore: (world.group === null ? hitPage : filePage).hasMore,
    results: ordered.length,
    leaked: [...leaked].sort(),
    superseded: [...superseded].sort(),
  };
}

function passageOf(address: { assetId: string; revision: number; ordinal: number }): Passage & typeof address {
  return {
    ...address,
    text: 'dog',
    stems: 'dog',
    length: 1,
    location: { lineStart: 1, lineEnd: 1 },
    language: null,
    speaker: null,
    analysedAs: 'en',
  };
}

/** Runs the search; `current` are the documents from the reading of the states on. */
async function searching(world: World, current = world.records): Promise<Told & { read: number; retrievals: number }> {
  if (relevance === undefined) throw new Error('no relevance file is shipped');
  const [leaked, superseded] = [new Set<string>(), new Set<string>()];
  const read = new Set<string>();
  let retrievals = 0;
  const among = (records: AssetRecord[], ids: readonly string[]): AssetRecord[] =>
    records.filter(({ _id }) => ids.includes(_id));
  const tools: SearchTools = {
    passages: {
      retrieve: async () => {
        retrievals += 1;
        return resultOf(world);
      },
      nearestWords: async () => [],
      frequenciesOf: async (_, stems) => stems.map(() => 2),
      fetch: async (_, keys) => keys.map(passageOf),
    },
    vectors: { of: async () => [], invalidate: () => undefined },
    readStates: async (_, ids) => among(retrievals > 1 ? current : world.records, ids),
    readAssets: async (_, ids) => {
      for (const id of ids) read.add(id);
      return among(current, ids);
    },
    languages: async () => ['en'],
    tuning: async () => ({
      ...noTuning,
      boostOf: world.isBoosted ? boosts : null,
      pinsOf: () => world.pins,
    }),
    collectionIds: async (_, externalIds) => [...externalIds],
    slots: { run: (work) => work() },
    analyse,
    wordsOf: ({ text, analysedAs }) => analyse(text, analysedAs),
    analyseQuery,
    relevance,
    log: { warn: () => undefined, error: () => undefined },
    onLeak: (hit) => leaked.add(passageIdOf({ ordinal: 0, ...hit })),
    onSuperseded: (hit) => superseded.add(`${hit.assetId}@${hit.revision}`),
  };
  const { principals, group, offset, limit } = world;
  const request: SearchRequest = { query: 'dog', limit, offset, group, filter: {}, principals };
  const { response, results, passageIds } = await search(tools, scope, request);
  return {
    items: response.items.map(({ score, pinned, moments = [] }, index) => ({
      passage: passageIds[index] ?? '',
      score,
      pinned,
      moments: moments.length,
    })),
    withheldAsWeak: response.withheldAsWeak,
    hasMore: response.hasMore,
    results,
    leaked: [...leaked].sort(),
    superseded: [...superseded].sort(),
    read: read.size,
    retrievals,
  };
}

describe('a search that reads few documents', () => {
  it('answers and reports the same as one that checks every candidate by its whole document', async () => {
    let shown = 0;
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const { read, retrievals: _, ...told } = await searching(world);
        expect(told).toEqual(checkingEverything(world));
        if (!world.isBoosted) expect(read).toBeLessThanOrEqual(world.limit);
        shown += told.items.length;
      }),
      { numRuns: 400 },
    );
    expect(shown).toBeGreaterThan(100);
  });

  it('neither shows nor counts what changed after the states were read', async () => {
    let changes = 0;
    await fc.assert(
      fc.asyncProperty(worlds, fc.array(record, { minLength: 22, maxLength: 22 }), async (world, later) => {
        const current = world.records.map((asset, file) => ({ ...asset, ...later[file], createdAt: asset.createdAt }));
        const { items, results, retrievals, withheldAsWeak } = await searching(world, current);
        const expected = checkingEverything({ ...world, records: current });
        const granted = new Set(world.principals);
        for (const { passage } of items) {
          const found = world.candidates.find((each) => passageIdOf(each) === passage);
          expect(found).toBeDefined();
          const asset = current.find(({ _id }) => _id === found?.assetId);
          if (found !== undefined) expect(judge(found, asset, granted)).toBe('shown');
        }
        if (retrievals === 1) return;
        changes += 1;
        expect({ items, results, withheldAsWeak }).toEqual({
          items: expected.items,
          results: expected.results,
          withheldAsWeak: expected.withheldAsWeak,
        });
      }),
      { numRuns: 200 },
    );
    expect(changes).toBeGreaterThan(20);
  });
});
