import { batchId, edgeChangeBatches, liveEdges, type EdgeChange } from '../../models/edge-change.ts';
import { systemScope } from '../../models/scope.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { EdgeChanges } from './edge-changes.ts';
import { EdgeFollower } from './edge-follower.ts';

const change = (key: string): EdgeChange => ({ kind: 'object', bucketId: 'b', key });

/** An edge that writes down what it applies. */
function edge(test: TestApp, nodeId: string): { follower: EdgeFollower; applied: string[] } {
  const applied: string[] = [];
  const follower = new EdgeFollower(
    { ...test.app, nodeId },
    {
      apply: (each) => applied.push(each.kind === 'object' ? each.key : each.kind),
      reset: () => applied.push('reset'),
      acknowledged: () => undefined,
    },
  );
  return { follower, applied };
}

describe('changes for edges', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await testApp();
  });
  afterEach(() => test.close());

  it('are numbered without gaps, by several processes at a time', async () => {
    const others = [test.app.edgeChanges, new EdgeChanges(test.app.records), new EdgeChanges(test.app.records)];
    const keys = Array.from({ length: 60 }, (_, index) => String(index));
    const positions = await Promise.all(
      keys.map(async (key, index) => {
        await new Promise((resolve) => setTimeout(resolve, index % 7));
        return others[index % 3]?.append([change(key)]);
      }),
    );
    const batches = (await test.app.edgeChanges.after(0, 1000)) ?? [];
    expect(batches.map(({ position }) => position)).toEqual(batches.map((_, index) => index + 1));
    const written = new Map(batches.flatMap(({ position, changes }) => changes.map((each) => [each, position])));
    expect([...written].map(([each]) => (each.kind === 'object' ? each.key : '')).sort()).toEqual([...keys].sort());
    for (const [each, position] of written)
      if (each.kind === 'object') expect(positions[Number(each.key)]).toBe(position);
  });

  it('are applied in their order by each edge, which acknowledges them', async () => {
    await test.app.edgeChanges.append([change('before')]);
    expect(await test.app.edgeChanges.acknowledged()).toBe(Infinity);
    const [one, two] = [edge(test, 'one'), edge(test, 'two')];
    await one.follower.start();
    await two.follower.start();
    const position = await test.app.edgeChanges.append([change('a'), change('b')]);
    await one.follower.look();
    expect(one.applied).toEqual(['reset', 'a', 'b']);
    await test.app.edgeChanges.append([change('c')]);
    await two.follower.look();
    expect(two.applied).toEqual(['reset', 'a', 'b', 'c']);
    expect(await test.app.edgeChanges.acknowledged()).toBe(position);
    await one.follower.stop();
    expect(await test.app.edgeChanges.acknowledged()).toBe(position + 1);
    await two.follower.stop();
    expect(await test.app.edgeChanges.acknowledged()).toBe(Infinity);
  });

  it('are not waited for where an edge has not been heard of for a while', async () => {
    const { follower } = edge(test, 'gone');
    await follower.start();
    await test.app.edgeChanges.append([change('a')]);
    test.ahead.records += 25_000;
    expect(await test.app.edgeChanges.acknowledged()).toBe(Infinity);
    await follower.stop();
  });

  it('are removed after a while, but not before they are settled; a late reader drops all', async () => {
    const batches = test.app.records.collection(edgeChangeBatches, systemScope);
    const late = edge(test, 'late');
    await late.follower.start();
    const settle = (position: number): Promise<unknown> =>
      batches.update(batchId(position), {}, { unset: ['openSince'] });
    for (const key of ['a', 'b', 'c', 'd']) await test.app.edgeChanges.append([change(key)]);
    await late.follower.look();
    for (const key of ['e', 'f']) await test.app.edgeChanges.append([change(key)]);
    test.ahead.records += 11 * 60_000;
    await test.app.edgeChanges.clean();
    expect(await batches.count({})).toBe(6);
    for (const position of [1, 2, 3, 4, 5, 6]) await settle(position);
    await test.app.edgeChanges.clean();
    expect((await batches.find({ filter: {}, limit: 10 })).map(({ position }) => position)).toEqual([6]);
    expect(await test.app.edgeChanges.append([change('g')])).toBe(7);
    expect(await test.app.records.collection(liveEdges, systemScope).count({})).toBe(0);
    await late.follower.look();
    expect(late.applied).toEqual(['reset', 'a', 'b', 'c', 'd', 'reset']);
    expect(late.follower.position).toBe(7);
    await late.follower.stop();
  });

  it('that an edge cannot read make it say so, until it can', async () => {
    const { follower } = edge(test, 'cut off');
    expect(follower.isLost).toBe(true);
    const collection = test.app.records.collection;
    test.app.records.collection = () => {
      throw new Error('away');
    };
    await follower.start();
    expect([follower.isLost, follower.position]).toEqual([true, null]);
    test.app.records.collection = collection;
    await follower.look();
    expect([follower.isLost, follower.position]).toEqual([false, 0]);
    await follower.stop();
  });
});
