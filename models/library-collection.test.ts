import fc from 'fast-check';
import type { OutboxEntry } from './asset.ts';
import { withMembership, type MembershipEntry } from './library-collection.ts';

function membershipOf(outbox: readonly OutboxEntry[]): MembershipEntry | undefined {
  return outbox.find((entry) => entry.kind === 'membership');
}

/** What is written down of members: for each collection what was told with the highest version. */
function tell(told: Map<string, { isMember: boolean; version: number }>, entry: MembershipEntry | undefined): void {
  if (entry === undefined) return;
  for (const [ids, isMember] of [[entry.joined, true], [entry.left, false]] as const) {
    for (const id of ids) if ((told.get(id)?.version ?? -1) < entry.attributesVersion) told.set(id, { isMember, version: entry.attributesVersion });
  }
}

describe('what an asset owes to the count of members', () => {
  it('holds what was joined and left, in one entry', () => {
    const first = withMembership([{ id: 'attributes:2', kind: 'attributes', notBefore: 0 }], ['a'], ['b', 'c'], 2);
    expect(first).toEqual([{ id: 'attributes:2', kind: 'attributes', notBefore: 0 }, { id: 'membership:2', kind: 'membership', notBefore: 0, attributesVersion: 2, joined: ['b', 'c'], left: ['a'] }]);
    expect(membershipOf(withMembership(first, ['b', 'c'], ['a'], 3))).toMatchObject({ id: 'membership:3', joined: ['a'], left: ['b', 'c'] });
    expect(withMembership([], ['a'], ['a'], 2)).toEqual([]);
  });

  it('makes the count right whenever it is told: late, twice, or behind a later one', () => {
    const sets = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'));
    const steps = fc.array(fc.record({ collections: sets, drained: fc.boolean() }), { minLength: 1, maxLength: 12 });
    fc.assert(fc.property(steps, fc.infiniteStream(fc.nat()), (given, chances) => {
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
      const told = new Map<string, { isMember: boolean; version: number }>();
      const mixed = entries.map((entry) => ({ entry, key: chances.next().value })).sort((one, other) => one.key - other.key);
      for (const { entry } of [...mixed, ...mixed]) tell(told, entry);
      expect([...told].filter(([, { isMember }]) => isMember).map(([id]) => id).sort()).toEqual([...collections].sort());
    }), { numRuns: 500 });
  });
});
