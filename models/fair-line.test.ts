import fc from 'fast-check';
import { FairLine } from './fair-line.ts';

/** Serves so many, and answers whose they were. */
function served(line: FairLine<string>, count: number): string[] {
  return Array.from({ length: count }, () => line.shift() ?? 'nobody');
}

describe('a fair line', () => {
  it('serves the few of one before the many of another, whoever came first', () => {
    const line = new FairLine<string>(4);
    for (let item = 0; item < 1000; item++) line.push('large', 'large');
    served(line, 500);
    for (let item = 0; item < 4; item++) line.push('small', 'small');
    expect(served(line, 6)).toEqual(['small', 'small', 'small', 'small', 'large', 'large']);
    // A newcomer with many begins where the others are, so it does not go before those who come again and again with few.
    const later = new FairLine<string>(4);
    for (let item = 0; item < 50; item++) {
      later.push('small', 'small');
      served(later, 1);
    }
    for (let item = 0; item < 1000; item++) later.push('large', 'large');
    later.push('small', 'small');
    expect(served(later, 3)).toContain('small');
  });

  it('serves two with many in turns', () => {
    const line = new FairLine<string>(4);
    for (let item = 0; item < 1000; item++) line.push('one', 'one');
    served(line, 100);
    for (let item = 0; item < 1000; item++) line.push('other', 'other');
    expect(served(line, 100).filter((owner) => owner === 'other')).toHaveLength(50);
  });

  it('lets nobody save up more than the head start, however long it was away', () => {
    const line = new FairLine<string>(4);
    for (let item = 0; item < 10_000; item++) line.push('large', 'large');
    served(line, 5000);
    for (let item = 0; item < 1000; item++) line.push('back', 'back');
    const next = served(line, 1000);
    expect(next.filter((owner) => owner === 'back').length).toBeLessThanOrEqual(500 + 4);
  });

  it('gives one that comes again and again its share, and the others theirs', () => {
    const line = new FairLine<string>(16);
    for (let item = 0; item < 2000; item++) line.push('large', 'large');
    const counts = { large: 0, often: 0 };
    for (let round = 0; round < 100; round++) {
      for (let item = 0; item < 10; item++) line.push('often', 'often');
      for (const owner of served(line, 10)) counts[owner === 'often' ? 'often' : 'large']++;
    }
    expect(counts.large).toBeGreaterThanOrEqual(500 - 16);
  });

  it('keeps the order of each owner, loses nothing and invents nothing, whatever is taken out', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), owner: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('shift' as const), owner: fc.constant('') }),
      fc.record({ kind: fc.constant('remove' as const), owner: fc.constantFrom('a', 'b', 'c') }),
    );
    fc.assert(fc.property(fc.array(step, { maxLength: 200 }), fc.nat(8), (steps, headStart) => {
      const line = new FairLine<{ owner: string; number: number }>(headStart);
      const waiting = new Map<string, { owner: string; number: number }[]>([['a', []], ['b', []], ['c', []]]);
      for (const [number, { kind, owner }] of steps.entries()) {
        const own = waiting.get(owner) ?? [];
        if (kind === 'push') {
          const item = { owner, number };
          own.push(item);
          line.push(owner, item);
        } else if (kind === 'remove') {
          const item = own.splice(own.length >> 1, 1)[0];
          if (item !== undefined) line.remove(owner, item);
        } else {
          const item = line.shift();
          const all = [...waiting.values()].flat();
          if (item === undefined) expect(all).toEqual([]);
          else expect(waiting.get(item.owner)?.shift()).toBe(item);
        }
        expect(line.length).toBe([...waiting.values()].reduce((sum, { length }) => sum + length, 0));
      }
    }));
  });
});
