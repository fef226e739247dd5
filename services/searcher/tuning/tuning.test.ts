import { memoryRecords, type MemoryRecords } from '../../../test/support/memory-records.ts';
import { scopeOf } from '../../../models/scope.ts';
import { promote, type Hit } from '../order.ts';
import { writeBoost, writePin, writeSynonyms } from './rule-store.ts';
import { boostsOf, tuningReader, type Tuning } from './tuning.ts';

const scope = scopeOf('6e3ad0c8-0000-4000-8000-00000000000a');

describe('boosts', () => {
  const file = { kind: 'document' as const, metadata: { shelf: 'a', tags: ['x', 1], year: 2001, constructor: 'c' } };
  it.each<[string, Parameters<typeof boostsOf>[0][number]['match'], boolean]>([
    ['a kind', { kind: 'document' }, true],
    ['another kind', { kind: 'video' }, false],
    ['a value', { metadata: { shelf: 'a' } }, true],
    ['any of several', { metadata: { shelf: ['b', 'a'] } }, true],
    ['none of several', { metadata: { shelf: ['b', 'c'] } }, false],
    ['a member of a list', { metadata: { tags: 'x' } }, true],
    ['a member of another sort', { metadata: { tags: '1' } }, false],
    ['all keys', { metadata: { shelf: 'a', year: 2001 }, kind: 'document' }, true],
    ['one key that differs', { metadata: { shelf: 'a', year: 2002 } }, false],
    ['a key that is not there', { metadata: { toString: 'a' } }, false],
  ])('match by %s', (_, match, matches) => {
    expect(boostsOf([{ name: 'b', match, factor: 3 }])(file)).toBe(matches ? 3 : 1);
  });

  it('multiply', () => {
    expect(
      boostsOf([
        { name: 'a', match: { kind: 'document' }, factor: 3 },
        { name: 'b', match: { metadata: { shelf: 'a' } }, factor: 0.5 },
      ])(file),
    ).toBe(1.5);
  });
});

describe('pins', () => {
  const hit = (assetId: string, ordinal: number, score: number): Hit => ({
    relevance: score,
    score,
    evidence: score,
    createdAt: 1,
    candidate: {
      assetId,
      revision: 1,
      ordinal,
      attributesVersion: 1,
      frequencies: [1],
      positions: [0, 0],
      forms: null,
      length: 1,
      cosine: null,
      model: null,
      analysedAs: 'en',
    },
  });
  it('move the best passage of each found file to the front, in their order, with decreasing scores', () => {
    const ordered = [hit('a', 0, 9), hit('b', 3, 8), hit('b', 1, 7), hit('c', 0, 6)];
    const moved = promote(ordered, ['c', 'none', 'b']);
    expect(
      moved.map(({ candidate, isPinned, score }) => [candidate.assetId, candidate.ordinal, isPinned === true, score]),
    ).toEqual([
      ['c', 0, true, 11],
      ['b', 3, true, 10],
      ['a', 0, false, 9],
      ['b', 1, false, 7],
    ]);
    expect(promote(ordered, ['none'])).toBe(ordered);
  });
});

describe('the tuning of organizations', () => {
  let records: MemoryRecords;
  let compiled: number;
  let tuningOf: (organization: typeof scope) => Promise<Tuning>;
  const factor = (tuning: Tuning): number => tuning.boostOf?.({ kind: 'document', metadata: {} }) ?? 1;
  beforeEach(() => {
    records = memoryRecords();
    compiled = 0;
    records.before = async (operation) => {
      if (operation === 'getMany') compiled += 1;
    };
    tuningOf = tuningReader(records);
  });

  it('is compiled once for each version', async () => {
    await writeBoost(records, scope, 'b', { name: 'b', match: { kind: 'document' }, factor: 2 });
    const tuning = await tuningOf(scope);
    expect(factor(tuning)).toBe(2);
    expect(await tuningOf(scope)).toBe(tuning);
    expect(compiled).toBe(1);
  });

  it('holds in every process as soon as a change is stored', async () => {
    const other = tuningReader(records);
    const matches = async (): Promise<(number | undefined)[]> =>
      Promise.all(
        [tuningOf, other].map(async (read) => (await (await read(scope)).dictionary(['en']))?.find('a').length),
      );
    expect(await matches()).toEqual([undefined, undefined]);
    await writeSynonyms(records, scope, [{ term: 'a', expansions: ['b'] }]);
    expect(await matches()).toEqual([1, 1]);
    await writeSynonyms(records, scope, []);
    expect(await matches()).toEqual([undefined, undefined]);
  });

  it('limits the number of rules', async () => {
    for (let at = 0; at < 100; at += 1)
      await writeBoost(records, scope, `b${at}`, { name: `b${at}`, match: { kind: 'document' }, factor: 2 });
    await expect(
      writeBoost(records, scope, 'one-more', { name: 'one-more', match: { kind: 'document' }, factor: 2 }),
    ).rejects.toMatchObject({ type: 'validation_error' });
    await writeBoost(records, scope, 'b7', { name: 'b7', match: { kind: 'document' }, factor: 3 });
    await expect(
      writePin(records, scope, { query: 'x', assetIds: ['00000000-0000-4000-8000-000000000000'] }),
    ).rejects.toMatchObject({ type: 'asset_not_found' });
  });
});
