import { testApp, type TestApp } from '../../test/support/app.ts';
import { assets, type Asset } from '../../models/asset.ts';
import { scopeOf } from '../../models/scope.ts';
import { stateFields } from './check.ts';
import { assetReader, stateReader } from './read-assets.ts';
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

describe('reading the states of found files', () => {
  let test: TestApp;
  const scope = scopeOf(organizationId);
  beforeAll(async () => {
    test = await testApp();
    await test.app.records
      .collection(assets, scope)
      .insertNew([asset('large'), asset('small', { principals: ['principal-7'] }), asset('open', { aclMode: 'open' })]);
  });
  afterAll(() => test.close());

  it('gives the fields of the check and of thousands of principals those of the request', async () => {
    const read = stateReader(test.app.records);
    const found = await read(scope, ['open', 'absent', 'small', 'large'], new Set(['principal-7', 'somebody else']));
    expect(found.map(({ _id, principals }) => [_id, principals.includes('principal-7')])).toEqual([
      ['open', true],
      ['small', true],
      ['large', true],
    ]);
    for (const state of found) for (const field of stateFields) expect(state[field]).not.toBeUndefined();
    expect(JSON.stringify(found).length).toBeLessThan(2000);
    expect(await read(scopeOf('6e3ad0c8-0000-4000-8000-00000000000b'), ['small'], new Set())).toEqual([]);
  });

  it('sees a withdrawn grant at once', async () => {
    const read = stateReader(test.app.records);
    const granted = new Set(['principal-7']);
    for (const id of ['small', 'large']) {
      expect((await read(scope, [id], granted))[0]?.principals).toContain('principal-7');
      await test.app.records
        .collection(assets, scope)
        .update(id, {}, { set: { principals: ['other'] }, increment: { attributesVersion: 1 } });
      const [state] = await read(scope, [id], granted);
      expect([state?.principals, state?.attributesVersion]).toEqual([['other'], 2]);
    }
  });
});
