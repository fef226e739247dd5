import type { Candidate, RetrievalResult } from '../../adapters/passages/port.ts';
import { shippedRelevance } from '../../models/relevance/registry.ts';
import { scopeOf } from '../../models/scope.ts';
import type { AssetRecord } from './check.ts';
import { candidatesPerLeg, retrieveChecked } from './retrieve.ts';
import { assetRecord } from './testing/asset-record.ts';

const scope = scopeOf('6e3ad0c8-0000-4000-8000-000000000000');
const [relevance] = shippedRelevance();

function candidate(assetId: string, fields: Partial<Candidate> = {}): Candidate {
  return {
    assetId,
    revision: 1,
    ordinal: 0,
    attributesVersion: 1,
    frequencies: [2],
    positions: [0, 0],
    forms: null,
    length: 20,
    cosine: null,
    model: null,
    analysedAs: 'en',
    ...fields,
  };
}

function result(candidates: Candidate[]): RetrievalResult {
  return { candidates, statistics: { passages: 1000, averageLength: 20, documentFrequencies: [2] } };
}

/** A search over a sequence of retrievals, with the documents of each reading. */
function run(retrievals: RetrievalResult[], readings: AssetRecord[][], principals: string[] | null = null) {
  if (relevance === undefined) throw new Error('no relevance file is shipped');
  const limits: number[] = [];
  const dropped: string[] = [];
  const superseded: string[] = [];
  let reading = 0;
  const checked = retrieveChecked(
    {
      relevance,
      readAssets: () => Promise.reject(new Error('whole documents are read without need')),
      readStates: async (_, ids) =>
        (readings[Math.min(reading++, readings.length - 1)] ?? []).filter((one) => ids.includes(one._id)),
      onLeak: (hit) => dropped.push(hit.assetId),
      onSuperseded: (hit) => superseded.push(`${hit.assetId}@${hit.revision}`),
    },
    scope,
    principals,
    [1],
    async (limit) => {
      limits.push(limit);
      return retrievals[Math.min(limits.length, retrievals.length) - 1] ?? result([]);
    },
  );
  return checked.then((found) => ({
    shown: found.hits.map((hit) => `${hit.candidate.assetId}@${hit.candidate.revision}`),
    weak: found.withheldAsWeak,
    limits,
    dropped,
    superseded,
  }));
}

describe('retrieving and checking', () => {
  it('ranks a table of contents below the text that it leads to', async () => {
    const candidates = [
      candidate('contents', { frequencies: [9], isContents: true }),
      candidate('text', { frequencies: [1] }),
    ];
    const found = await run([result(candidates)], [['contents', 'text'].map((id) => assetRecord(id))]);
    expect(found.shown).toEqual(['text@1', 'contents@1']);
  });

  it('silently drops candidates that are deleted, of another revision or without a source', async () => {
    const found = await run(
      [
        result([
          candidate('kept'),
          candidate('gone'),
          candidate('deleted'),
          candidate('missing'),
          candidate('old'),
          candidate('old', { revision: 2 }),
        ]),
      ],
      [
        [
          assetRecord('kept'),
          assetRecord('deleted', { deletedAt: 5 }),
          assetRecord('missing', { sourceMissingSince: 5 }),
          assetRecord('old', { activeRevision: 2 }),
        ],
      ],
    );
    expect(found).toMatchObject({ shown: ['kept@1', 'old@2'], dropped: [], weak: 0 });
  });

  it('reports permanently superseded rows, and none of revisions that may become active', async () => {
    const found = await run(
      [
        result([
          candidate('gone'),
          candidate('old'),
          candidate('old', { revision: 2 }),
          candidate('old', { revision: 3 }),
          candidate('deleted'),
          candidate('secret'),
          candidate('first'),
        ]),
      ],
      [
        [
          assetRecord('old', { activeRevision: 2 }),
          assetRecord('deleted', { deletedAt: 5, activeRevision: 2 }),
          assetRecord('secret', { aclMode: 'restricted', attributesVersion: 2 }),
          assetRecord('first', { activeRevision: null }),
        ],
      ],
    );
    expect([...new Set(found.superseded)].sort()).toEqual(['gone@1', 'old@1']);
  });

  it('counts a forbidden hit once, and never shows it', async () => {
    const found = await run(
      [result([candidate('secret'), candidate('revoked')])],
      [
        [
          assetRecord('secret', { aclMode: 'restricted', principals: ['ann'] }),
          assetRecord('revoked', { aclMode: 'restricted', attributesVersion: 2 }),
        ],
      ],
      ['bob'],
    );
    expect(found).toMatchObject({ shown: [], dropped: ['secret'], weak: 0 });
  });

  it('counts weak passages only of visible files', async () => {
    const weak = { frequencies: [0], cosine: 0.01 };
    const found = await run(
      [result([candidate('kept', weak), candidate('secret', weak), candidate('deleted', weak)])],
      [
        [
          assetRecord('kept'),
          assetRecord('secret', { aclMode: 'restricted', attributesVersion: 2 }),
          assetRecord('deleted', { deletedAt: 1 }),
        ],
      ],
    );
    expect(found).toMatchObject({ shown: [], weak: 1 });
  });

  it('retrieves again if a revision became active meanwhile, so that one of the two is found', async () => {
    const found = await run(
      [result([candidate('file')]), result([candidate('file', { revision: 2 })])],
      [[assetRecord('file', { activeRevision: 2 })]],
    );
    expect(found.shown).toEqual(['file@2']);
    expect(found.limits).toHaveLength(2);
  });

  it('stops retrieving if the new revision does not match', async () => {
    const found = await run([result([candidate('file')])], [[assetRecord('file', { activeRevision: 2 })]]);
    expect(found.shown).toEqual([]);
    expect(found.limits).toHaveLength(2);
  });

  it('retrieves more candidates if stale rows displaced others', async () => {
    const stale = Array.from({ length: candidatesPerLeg }, (_, index) => candidate('deleted', { ordinal: index }));
    const found = await run(
      [result(stale), result([...stale, candidate('kept')])],
      [[assetRecord('deleted', { deletedAt: 5 }), assetRecord('kept')]],
    );
    expect(found.shown).toEqual(['kept@1']);
    expect(found.limits.slice(0, 2)).toEqual([candidatesPerLeg, candidatesPerLeg * 2]);
  });
});
