import type { NearFile } from '../../adapters/passages/port.ts';
import { scopeOf } from '../../models/scope.ts';
import type { AssetRecord } from './check.ts';
import { related, type RelatedTools } from './related.ts';
import { assetRecord } from './testing/asset-record.ts';

const scope = scopeOf('6e3ad0c8-0000-4000-8000-000000000000');

/**
 * The ids of the files related to one, and how often states were read. After the states of the others were read for the
 * first time, the index has changed to `later`, and the documents have to `current`.
 */
async function found(
  index: NearFile[],
  later: NearFile[],
  records: AssetRecord[],
  current: AssetRecord[],
  limit: number,
) {
  let readings = 0;
  const among = (all: AssetRecord[], ids: readonly string[]): AssetRecord[] =>
    all.filter(({ _id }) => ids.includes(_id));
  const unused = (): never => {
    throw new Error('vectors find related files, not words');
  };
  const tools: RelatedTools = {
    passages: {
      nearestFiles: async (_, { limit: most }) => (readings === 0 ? index : later).slice(0, most),
      vectorsOf: async () => [Float32Array.of(1, 0)],
      frequenciesOf: unused,
      countOf: unused,
      fetch: unused,
      retrieve: unused,
    },
    models: [{ id: 'model', dimensions: 2 }],
    languages: async () => ['en'],
    readStates: async (_, ids) => {
      readings += 1;
      return among(readings === 1 ? records : current, ids);
    },
    readAssets: async (_, ids) => among(readings === 0 ? records : current, ids),
    onLeak: () => undefined,
    onSuperseded: () => undefined,
  };
  const { items } = await related(tools, scope, { assetId: 'own', limit, principals: null });
  return { ids: items.map(({ assetId }) => assetId), readings };
}

function near(assetId: string, cosine: number, revision = 1): NearFile {
  return { assetId, revision, ordinal: 0, attributesVersion: 1, cosine };
}

describe('related files that change while they are read', () => {
  const index = [near('a', 0.9), near('b', 0.8), near('c', 0.7)];
  const records = ['own', 'a', 'b', 'c'].map((id) => assetRecord(id));

  it('are read once where nothing changes', async () => {
    const { ids, readings } = await found(index, index, records, records, 2);
    expect(ids).toEqual(['a', 'b']);
    expect(readings).toBe(1);
  });

  it('are found by their next revision', async () => {
    const current = records.map((asset) => (asset._id === 'a' ? { ...asset, activeRevision: 2 } : asset));
    const later = [near('a', 0.85, 2), near('b', 0.8), near('c', 0.7)];
    const { ids, readings } = await found(index, later, records, current, 2);
    expect(ids).toEqual(['a', 'b']);
    expect(readings).toBe(2);
  });

  it('are not shown to those who may not see them any more, and others take their place', async () => {
    const withdrawn = { aclMode: 'restricted' as const, principals: ['ann'], attributesVersion: 2 };
    const current = records.map((asset) => (asset._id === 'a' ? { ...asset, ...withdrawn } : asset));
    const { ids } = await found(index, index, records, current, 2);
    expect(ids).toEqual(['b', 'c']);
  });
});
