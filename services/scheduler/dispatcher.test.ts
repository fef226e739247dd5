import { testHouse, type TestHouse } from '../../test/support/house.ts';
import * as transitions from '../../mixins/runs/transitions.ts';
import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import { systemScope } from '../../models/scope.ts';
import { Dispatcher } from './dispatcher.ts';
import { testAsset } from '../../test/support/asset.ts';

function waitingAsset(organizationId: string, place: number): Asset {
  const id = `${organizationId}-${place}`;
  return testAsset({ _id: id, organizationId, run: transitions.newRun(`job-${id}`, 1, place) });
}

describe('dispatching for many organizations', () => {
  let test: TestHouse;
  beforeAll(async () => {
    test = await testHouse();
  });
  afterAll(() => test.close());

  it('also looks at those that one round does not reach', async () => {
    const assets = test.house.records.collection(assetsDefinition, systemScope);
    const organizations = Array.from({ length: 503 }, (_, number) => `organization-${String(number).padStart(4, '0')}`);
    await assets.insertNew(organizations.flatMap((organizationId) => [1, 2].map((place) => waitingAsset(organizationId, place))));
    const dispatcher = new Dispatcher(test.house, assets, 'extracting', () => 250);
    const dispatched = async (): Promise<Asset[]> => assets.find({ filter: { 'run.phase': 'dispatched' }, limit: 2000 });
    expect(await dispatcher.round()).toBe(500);
    const first = await dispatched();
    expect(first.map((asset) => asset.organizationId).sort()).toEqual(organizations.slice(0, 500));
    // All of it is done; the first 500 organizations still have work, and so have the three behind them.
    for (const asset of first) await assets.update(asset._id, {}, { set: { 'run.phase': 'ended' } });
    expect(await dispatcher.round()).toBe(500);
    const second = new Set((await dispatched()).map((asset) => asset.organizationId));
    expect(organizations.slice(500).every((organizationId) => second.has(organizationId))).toBe(true);
  }, 60_000);
});
