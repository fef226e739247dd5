import { testApp, type TestApp } from '../../test/support/app.ts';
import { derivedKey, readBlocks, writeBlocks } from '../../mixins/blocks/blocks.ts';
import { newRun } from '../../mixins/indexing/runs.ts';
import { assets, type Asset } from '../../models/asset.ts';
import type { Block } from '../../models/block.ts';
import type { Run } from '../../models/job.ts';
import { scopeOf } from '../../models/scope.ts';
import { embedRevision } from './embed-revision.ts';
import { testAsset } from '../../test/support/asset.ts';

const organizationId = '6e3ad0c8-0000-4000-8000-00000000000a';
const scope = scopeOf(organizationId);

function asset(run: Partial<Run>, fields: Partial<Asset> = {}): Asset {
  return testAsset({
    organizationId,
    language: 'en',
    activeRevision: 1,
    latestRevision: 2,
    run: { ...newRun('job', 2, 0), stage: 'embedding', ...run },
    ...fields,
  });
}

async function* blocks(...texts: string[]): AsyncGenerator<Block> {
  for (const text of texts) yield { text, location: {}, group: '' };
}

describe('the embedding stage', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await testApp();
    await writeBlocks(
      test.app.blobs,
      derivedKey(organizationId, 'asset', 1, 'blocks.ndjson'),
      blocks('The turbine blade cracked.'),
    );
  });
  afterEach(() => test.close());

  const work = (read: Asset) =>
    embedRevision(test.app, {
      asset: read,
      signal: new AbortController().signal,
      progress: () => undefined,
      setFailureOutbox: () => undefined,
    });

  it('reembeds a file from the blocks of its active revision, and stores them in the new revision', async () => {
    const read = asset({ purpose: 'reembed' });
    await test.app.records.collection(assets, scope).insert(read);
    expect((await work(read)).facts.passages).toBe(1);
    expect(await test.app.passages.countOf(scope, 'asset', 2)).toBe(1);
    const kept: string[] = [];
    for await (const block of readBlocks(test.app.blobs, derivedKey(organizationId, 'asset', 2, 'blocks.ndjson')))
      kept.push(block.text);
    expect(kept).toEqual(['The turbine blade cracked.']);
  });

  it('uses the blocks of its own revision if the file was read again', async () => {
    const read = asset({ purpose: 'index' });
    await test.app.records.collection(assets, scope).insert(read);
    await writeBlocks(
      test.app.blobs,
      derivedKey(organizationId, 'asset', 2, 'blocks.ndjson'),
      blocks('The pump leaks.'),
    );
    await work(read);
    const [found] = await test.app.passages.fetch(scope, [{ assetId: 'asset', revision: 2, ordinal: 0 }]);
    expect(found?.text).toBe('The pump leaks.');
  });

  it('publishes with the current permissions, and publishes nothing if the file has a newer run', async () => {
    const read = asset({});
    const collection = test.app.records.collection(assets, scope);
    await collection.insert(read);
    await writeBlocks(
      test.app.blobs,
      derivedKey(organizationId, 'asset', 2, 'blocks.ndjson'),
      blocks('The pump leaks.'),
    );
    await collection.update('asset', {}, { set: { aclMode: 'restricted', principals: ['ann'], attributesVersion: 2 } });
    await work(read);
    const retrieval = { filter: {}, terms: [['pump']], vectors: [], limit: 10 };
    expect((await test.app.passages.retrieve(scope, { ...retrieval, principals: null })).candidates).toEqual([]);
    expect((await test.app.passages.retrieve(scope, { ...retrieval, principals: ['ann'] })).candidates).toHaveLength(1);
    await collection.update('asset', {}, { set: { 'run.jobId': 'another' } });
    await expect(work(read)).rejects.toThrow('newer revision');
  });
});
