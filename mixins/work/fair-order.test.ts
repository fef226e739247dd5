import fc from 'fast-check';
import { FairOrder } from './fair-order.ts';

describe('the fair order of organizations', () => {
  it('gives every organization an equal share of slots while all have work', () => {
    const order = new FairOrder();
    const served = new Map<string, number>();
    for (let round = 0; round < 100; round++) {
      for (const [organizationId, count] of order.share(
        new Map([
          ['a', 1000],
          ['b', 1000],
          ['c', 1000],
        ]),
        2,
      ))
        served.set(organizationId, (served.get(organizationId) ?? 0) + count);
    }
    const counts = [...served.values()];
    expect(counts).toHaveLength(3);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  it('serves five jobs of a new organization before ten thousand of another', () => {
    const order = new FairOrder();
    for (let round = 0; round < 500; round++) order.share(new Map([['large', 8]]), 2);
    const shares = [1, 2, 3, 4, 5].map(
      () =>
        order
          .share(
            new Map([
              ['large', 8],
              ['small', 1],
            ]),
            2,
          )
          .get('small') ?? 0,
    );
    expect(shares).toEqual([1, 1, 1, 1, 1]);
  });

  it('prefers a few jobs of an organization that was idle', () => {
    const order = new FairOrder();
    order.share(
      new Map([
        ['a', 1],
        ['b', 1],
      ]),
      2,
    );
    for (let round = 0; round < 50; round++) order.share(new Map([['a', 8]]), 2);
    expect([
      ...order.share(
        new Map([
          ['a', 8],
          ['b', 8],
        ]),
        8,
      ),
    ]).toEqual([['b', 8]]);
    const then = order.share(
      new Map([
        ['a', 8],
        ['b', 8],
      ]),
      8,
    );
    expect([then.get('a'), then.get('b')]).toEqual([4, 4]);
  });

  it('reserves slots, and divides the others among recently active organizations', () => {
    const order = new FairOrder();
    expect(order.shareOut(new Map([['a', { room: 100, out: 0 }]]), 12, 0, 0).get('a')).toBe(9);
    const beside = order.shareOut(
      new Map([
        ['a', { room: 91, out: 9 }],
        ['small', { room: 8, out: 0 }],
      ]),
      12,
      9,
      1000,
    );
    expect(Object.fromEntries(beside)).toEqual({ small: 4 });
    // While the small one comes and goes, the other keeps to its share; alone again for a while, it has all.
    expect(order.shareOut(new Map([['a', { room: 100, out: 2 }]]), 12, 2, 9000).get('a')).toBe(2);
    expect(order.shareOut(new Map([['a', { room: 100, out: 4 }]]), 12, 4, 12_000).get('a')).toBe(5);
  });

  it('fills slots and window if many have few jobs, and reserves none of a few slots', () => {
    const order = new FairOrder();
    const many = new Map(Array.from({ length: 40 }, (_, number) => [`o${number}`, { room: 8, out: 0 }]));
    expect([...order.shareOut(many, 12, 0, 0).values()].reduce((sum, count) => sum + count, 0)).toBe(24);
    expect(order.shareOut(new Map([['a', { room: 8, out: 0 }]]), 3, 0, 0).get('a')).toBe(6);
  });

  it('does not exceed slots or jobs, and leaves no slot empty while a job waits', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.integer({ min: 1, max: 9 })), fc.nat(12)),
          { maxLength: 30 },
        ),
        (rounds) => {
          const order = new FairOrder();
          for (const [waiting, places] of rounds) {
            const shares = order.share(new Map(Object.entries(waiting)), places);
            const total = [...shares.values()].reduce((sum, count) => sum + count, 0);
            expect(total).toBe(
              Math.min(
                places,
                Object.values(waiting).reduce((sum, count) => sum + count, 0),
              ),
            );
            for (const [organizationId, count] of shares)
              expect(count).toBeLessThanOrEqual(waiting[organizationId] ?? 0);
          }
        },
      ),
    );
  });
});
