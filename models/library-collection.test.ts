import fc from 'fast-check';
import type { OutboxEntry } from './asset.ts';
import { withMembership, type MembershipEntry } from './library-collection.ts';

function membershipOf(outbox: readonly OutboxEntry[]): MembershipEntry | undefined {
  return outbox.find((entry) => entry.kind === 'membership');
}

/** Records members: for each collection the state with the highest version. */
function apply(
  recorded: Map<string, { isMember: boolean; version: number }>,
  entry: MembershipEntry | undefined,
): void {
  if (entry === undefined) return;
  for (const [ids, isMember] of [
    [entry.joined, true],
    [entry.left, false],
  ] as const) {
    for (const id of ids)
      if ((recorded.get(id)?.version ?? -1) < entry.attributesVersion)
        recorded.set(id, { isMember, version: entry.attributesVersion });
  }
}

describe('the pending membership changes of an asset', () => {
  it('are one entry with the joined and left collections', () => {
    const first = withMembership([{ id: 'attributes:2', kind: 'attributes', notBefore: 0 }], ['a'], ['b', 'c'], 2);
    expect(first).toEqual([
      { id: 'attributes:2', kind: 'attributes', notBefore: 0 },
      { id: 'membership:2', kind: 'membership', notBefore: 0, attributesVersion: 2, joined: ['b', 'c'], left: ['a'] },
    ]);
    expect(membershipOf(withMembership(first, ['b', 'c'], ['a'], 3))).toMatchObject({
      id: 'membership:3',
      joined: ['a'],
      left: ['b', 'c'],
    });
    expect(withMembership([], ['a'], ['a'], 2)).toEqual([]);
  });

  it('give the right count when applied late, twice or out of order', () => {
    const sets = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'));
    const steps = fc.array(fc.record({ collections: sets, drained: fc.boolean() }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(steps, fc.infiniteStream(fc.nat()), (given, chances) => {
        let outbox: OutboxEntry[] = [];
        let collections: string[] = [];
        const entries: MembershipEntry[] = [];
        for (const [at, step] of given.entries()) {
          outbox = withMembership(outbox, collections, step.collections, at + 1);
          collections = step.collections;
          const entry = membershipOf(outbox);
          if (entry !== undefined) entries.push(entry);
          if (step.drained) outbox = [];
        }
        const recorded = new Map<string, { isMember: boolean; version: number }>();
        const mixed = entries
          .map((entry) => ({ entry, key: chances.next().value }))
          .sort((one, other) => one.key - other.key);
        for (const { entry } of [...mixed, ...mixed]) apply(recorded, entry);
        expect(
          [...recorded]
            .filter(([, { isMember }]) => isMember)
            .map(([id]) => id)
            .sort(),
        ).toEqual([...collections].sort());
      }),
      { numRuns: 500 },
    );
  });
});
