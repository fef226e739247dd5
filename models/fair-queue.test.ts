import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

/** Serves a number of items and returns their owners. */
function served(queue: FairQueue<string>, count: number): string[] {
  return Array.from({ length: count }, () => queue.shift() ?? 'nobody');
}

describe('a fair queue', () => {
  it('serves an owner with few items before one with many, regardless of arrival', () => {
    const queue = new FairQueue<string>(4);
    for (let item = 0; item < 1000; item++) queue.push('large', 'large');
    served(queue, 500);
    for (let item = 0; item < 4; item++) queue.push('small', 'small');
    expect(served(queue, 6)).toEqual(['small', 'small', 'small', 'small', 'large', 'large']);
    // A new owner with many items starts at the current virtual time, so it does not precede owners that return with
    // few.
    const later = new FairQueue<string>(4);
    for (let item = 0; item < 50; item++) {
      later.push('small', 'small');
      served(later, 1);
    }
    for (let item = 0; item < 1000; item++) later.push('large', 'large');
    later.push('small', 'small');
    expect(served(later, 3)).toContain('small');
  });

  it('alternates between two owners with many items', () => {
    const queue = new FairQueue<string>(4);
    for (let item = 0; item < 1000; item++) queue.push('one', 'one');
    served(queue, 100);
    for (let item = 0; item < 1000; item++) queue.push('other', 'other');
    expect(served(queue, 100).filter((owner) => owner === 'other')).toHaveLength(50);
  });

  it('limits the advantage of an idle owner to the head start', () => {
    const queue = new FairQueue<string>(4);
    for (let item = 0; item < 10_000; item++) queue.push('large', 'large');
    served(queue, 5000);
    for (let item = 0; item < 1000; item++) queue.push('back', 'back');
    const next = served(queue, 1000);
    expect(next.filter((owner) => owner === 'back').length).toBeLessThanOrEqual(500 + 4);
  });

  it('gives an owner that returns often its share, and the others theirs', () => {
    const queue = new FairQueue<string>(16);
    for (let item = 0; item < 2000; item++) queue.push('large', 'large');
    const counts = { large: 0, often: 0 };
    for (let round = 0; round < 100; round++) {
      for (let item = 0; item < 10; item++) queue.push('often', 'often');
      for (const owner of served(queue, 10)) counts[owner === 'often' ? 'often' : 'large']++;
    }
    expect(counts.large).toBeGreaterThanOrEqual(500 - 16);
  });

  it('keeps the order of items of an owner and neither loses nor adds any, also with removals', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), owner: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('shift' as const), owner: fc.constant('') }),
      fc.record({ kind: fc.constant('remove' as const), owner: fc.constantFrom('a', 'b', 'c') }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.nat(8), (steps, headStart) => {
        const queue = new FairQueue<{ owner: string; number: number }>(headStart);
        const waiting = new Map<string, { owner: string; number: number }[]>([
          ['a', []],
          ['b', []],
          ['c', []],
        ]);
        for (const [number, { kind, owner }] of steps.entries()) {
          const own = waiting.get(owner) ?? [];
          if (kind === 'push') {
            const item = { owner, number };
            own.push(item);
            queue.push(owner, item);
          } else if (kind === 'remove') {
            const item = own.splice(own.length >> 1, 1)[0];
            if (item !== undefined) queue.remove(owner, item);
          } else {
            const item = queue.shift();
            const all = [...waiting.values()].flat();
            if (item === undefined) expect(all).toEqual([]);
            else expect(waiting.get(item.owner)?.shift()).toBe(item);
          }
          expect(queue.length).toBe([...waiting.values()].reduce((sum, { length }) => sum + length, 0));
        }
      }),
    );
  });
});
