import { leftOvers } from './left-overs.ts';

describe('telling of left-over revisions', () => {
  it('tells the same one once in a while, and remembers no more than it must', () => {
    const told: string[] = [];
    let now = 0;
    const tell = leftOvers(({ assetId, revision }) => told.push(`${assetId}@${revision}`), () => now);
    const meet = (assetId: string): void => tell({ organizationId: 'o', assetId, revision: 1 });
    meet('a');
    meet('a');
    meet('b');
    expect(told).toEqual(['a@1', 'b@1']);
    now = 10_000;
    meet('a');
    expect(told).toEqual(['a@1', 'b@1', 'a@1']);
    for (let other = 0; other < 1000; other += 1) meet(`other-${other}`);
    meet('a');
    expect(told.filter((each) => each === 'a@1')).toHaveLength(3);
  });
});
