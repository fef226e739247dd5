import { testApp, type TestApp } from '../../test/support/app.ts';
import { assets, type Asset } from '../../models/asset.ts';
import { scopeOf } from '../../models/scope.ts';
import { assetReader } from './read-assets.ts';
import { testAsset } from '../../test/support/asset.ts';

const organizationId = '6e3ad0c8-0000-4000-8000-00000000000a';
const principals = Array.from({ length: 5000 }, (_, number) => `principal-${number}`);

function asset(id: string, fields: Partial<Asset> = {}): Asset {
  return testAsset({
    _id: id,
    organizationId,
    registeredVersions: ['v'],
    aclMode: 'restricted',
    principals,
    activeRevision: 1,
    ...fields,
  });
}

describe('reading the documents of found assets', () => {
  let test: TestApp;
  const ids = Array.from({ length: 130 }, (_, number) => `asset-${number}`);
  beforeAll(async () => {
    test = await testApp();
    await test.app.records.collection(assets, scopeOf(organizationId)).insertNew(ids.map((id) => asset(id)));
  });
  afterAll(() => test.close());

  it('keeps only the principals of the request, of thousands', async () => {
    const found = await assetReader(test.app.records)(
      scopeOf(organizationId),
      [...ids, 'absent'],
      new Set(['principal-7', 'somebody else']),
    );
    expect(found.map((each) => each._id)).toEqual(ids);
    expect(found.every((each) => JSON.stringify(each.principals) === '["principal-7"]')).toBe(true);
    expect(JSON.stringify(found).length).toBeLessThan(ids.length * 1000);
  });

  it('yields to the event loop between reads', async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await assetReader(test.app.records)(scopeOf(organizationId), ids, new Set());
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(2);
  });

  it('finds nothing of another organization', async () => {
    expect(
      await assetReader(test.app.records)(
        scopeOf('6e3ad0c8-0000-4000-8000-00000000000b'),
        ids,
        new Set(['principal-7']),
      ),
    ).toEqual([]);
  });
});
