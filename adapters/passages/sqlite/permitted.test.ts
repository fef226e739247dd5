import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { attributes, retrieval } from '../conformance-data.ts';
import { stepsOf } from './changes.ts';
import { counterOf, openConnection, rowId } from './connection.ts';
import type { Write } from './messages.ts';
import { Permitted, PermittedCache, type PermittedRevision } from './permitted.ts';
import { runsOf, withChanged } from './slot-runs.ts';
import { comparable } from './statements.ts';
import { passageRow } from './testing/passage-row.ts';

const organizationId = 'organization';

/** What a list permits, without the places of what it does not permit any more. */
function contentOf(list: Permitted): PermittedRevision[] {
  let free = 0;
  return [...list.numbers].flatMap((number, at) => {
    const [count = 0, offset = 0] = [list.counts[at], list.offsets[at]];
    // Places do not overlap.
    expect(offset).toBeGreaterThanOrEqual(free);
    free = offset + count;
    expect(free).toBeLessThanOrEqual(list.passages);
    expect(list.indexOf(number)).toBe(count === 0 ? -1 : at);
    expect([list.has(rowId(number, count - 1)), list.has(rowId(number, count))]).toEqual([count > 0, false]);
    return count === 0 ? [] : [list.at(at)];
  });
}

describe('the permitted revisions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-permitted-'));
  const path = join(folder, 'passages.db');
  const writer = openConnection(path, 'writer');
  const reader = openConnection(path, 'reader');
  const lasting = new PermittedCache(reader);
  afterAll(() => {
    reader.close();
    writer.close();
    rmSync(folder, { recursive: true });
  });

  function carryOut(write: Write): void {
    writer.database.exec('begin immediate');
    for (const steps = stepsOf(writer, write); steps.next().done !== true;);
    writer.database.exec('commit');
  }

  function publish(assetId: string, revision: number, count: number, more: object): void {
    const rows = Array.from({ length: count }, (_, ordinal) => passageRow(ordinal, '', 0));
    const last = { embeddingModel: null, rows, vectors: new Float32Array(), vectorSizes: new Uint32Array(count) };
    carryOut({
      kind: 'publish',
      organizationId,
      assetId,
      revision,
      count,
      attributes: attributes(assetId, more),
      last,
    });
  }

  const readers = [null, ['few'], ['many'], ['few', 'many']].flatMap((principals) =>
    [{}, { kind: 'document' as const }, { assetIds: ['asset-1', 'asset-3'] }].map((filter) => ({
      ...retrieval({ terms: [], principals }),
      filter,
    })),
  );
  const listOf = (cache: PermittedCache, asked: (typeof readers)[number], model: string | null = null): Permitted => {
    const organization = Number(reader.get('select number from organizations')?.['number'] ?? 0);
    return cache.get(organization, asked, model, counterOf(reader, 'retrievable'));
  };
  const expectSame = (): void => {
    for (const asked of readers)
      expect(contentOf(listOf(lasting, asked))).toEqual(contentOf(listOf(new PermittedCache(reader), asked)));
  };

  let version = 0;
  const restricted = fc.record({
    aclMode: fc.constantFrom('open' as const, 'restricted' as const),
    principals: fc.subarray(['few', 'many', 'nobody']),
    present: fc.boolean(),
    kind: fc.constantFrom('document' as const, 'audio' as const),
  });
  const step = fc.record({
    file: fc.nat({ max: 11 }),
    action: fc.constantFrom('publish', 'publish', 'again', 'permit', 'permit', 'discard', 'remove'),
    count: fc.integer({ min: 1, max: 20 }),
    fields: restricted,
  });
  const revisions = new Map<number, number>();

  it('follow every change as if they were listed anew', () => {
    const [first] = readers;
    if (first === undefined) throw new Error('there are no readers');
    publish('first', 1, 1, { attributesVersion: 1 });
    const list = listOf(lasting, first);
    for (const { file, action, count, fields } of fc.sample(step, { numRuns: 150, seed: 7 })) {
      version += 1;
      const assetId = `asset-${file}`;
      const more = { ...fields, attributesVersion: version };
      const revision = revisions.get(file) ?? 0;
      if (action === 'publish') revisions.set(file, revision + 1);
      if (action === 'publish') publish(assetId, revision + 1, count, more);
      else if (action === 'again' && revision > 0) publish(assetId, revision, count, more);
      else if (action === 'permit')
        carryOut({ kind: 'setAttributes', organizationId, assetId, attributes: attributes(assetId, more) });
      else if (action === 'discard') carryOut({ kind: 'discard', organizationId, assetId, revision });
      else if (action === 'remove') carryOut({ kind: 'removeFile', organizationId, assetId });
      expectSame();
    }
    // The list of the first reader is the same object: it was changed and not made anew.
    expect(listOf(lasting, first)).toBe(list);
    expect(list.changes).toBeGreaterThan(25);
  });

  it('follow a change again where reading it failed', () => {
    let isFailing = false;
    const cache = new PermittedCache({
      ...reader,
      lists(sql, ...values) {
        if (isFailing && sql.includes('live')) throw new Error('the disk failed');
        return reader.lists(sql, ...values);
      },
    });
    const asked = { ...retrieval({ terms: [], principals: ['few'] }), filter: {} };
    const assets = (): unknown[] =>
      contentOf(listOf(cache, asked)).map(
        (revision) => reader.get('select asset_id from live where number = ?', revision.number)?.['asset_id'],
      );
    const restrictedTo = (principals: string[], attributesVersion: number): object => ({
      aclMode: 'restricted',
      principals,
      attributesVersion,
    });
    publish('secret', 1, 1, restrictedTo(['few'], 1));
    expect(assets()).toContain('secret');
    carryOut({
      kind: 'setAttributes',
      organizationId,
      assetId: 'secret',
      attributes: attributes('secret', restrictedTo([], 2)),
    });
    isFailing = true;
    expect(assets).toThrow('the disk failed');
    isFailing = false;
    expect(assets()).not.toContain('secret');
  });

  it('are listed anew where more has changed than the file remembers', () => {
    const [first] = readers;
    if (first === undefined) throw new Error('there are no readers');
    const list = listOf(lasting, first);
    writer.database.exec('begin immediate');
    for (let change = 0; change < 5000; change += 1)
      writer.run("update live set kind = 'audio' where asset_id = 'first'");
    writer.database.exec('commit');
    expect(reader.get('select count(*) as count from changed')).toEqual({ count: 4096 });
    expectSame();
    expect(listOf(lasting, first)).not.toBe(list);
  });
});

it('many revisions are added to a long list in one pass', () => {
  const revisionsOf = (numbers: readonly number[]): PermittedRevision[] =>
    numbers.map((number) => ({ number, count: 2, vectors: comparable.none }));
  const even = Array.from({ length: 100_000 }, (_, at) => at * 2);
  const odd = even.slice(0, 1000).map((number) => number + 1);
  const list = new Permitted(revisionsOf(even));
  const began = performance.now();
  list.change(new Map(revisionsOf(odd).map((revision) => [revision.number, revision])));
  // One by one it took seconds.
  expect(performance.now() - began).toBeLessThan(1000);
  const anew = new Permitted(revisionsOf([...even, ...odd]));
  expect(list.passages).toBe(anew.passages);
  for (const column of ['numbers', 'counts', 'offsets'] as const) {
    expect(list[column].length).toBe(anew[column].length);
    expect(list[column].every((value, at) => value === anew[column][at])).toBe(true);
  }
});

it('runs of slots follow the changes of what is permitted', () => {
  const segmentSlots = 16;
  const place = fc.record({ slots: fc.nat({ max: 9 }), gap: fc.nat({ max: 2 }) });
  fc.assert(
    fc.property(
      fc.array(place, { minLength: 1, maxLength: 30 }),
      fc.infiniteStream(fc.boolean()),
      fc.array(fc.nat({ max: 40 }), { maxLength: 40 }),
      (given, isPermitted, changed) => {
        let start = 0;
        const places = new Map(
          given.map(({ slots, gap }, number) => {
            const own = { start: start + gap, slots, count: slots };
            start += gap + slots;
            return [number, own];
          }),
        );
        const codes = { places, segmentSlots };
        const permitted = new Permitted(
          [...places.keys()]
            .filter(() => isPermitted.next().value)
            .map((number) => ({ number, count: 1, vectors: comparable.own })),
        );
        const before = runsOf(permitted, codes);
        for (const number of new Set(changed)) {
          const now = permitted.indexOf(number) < 0 ? { number, count: 1, vectors: comparable.own } : null;
          permitted.change(new Map([[number, now]]));
        }
        const now = withChanged(before, new Set(changed), permitted, codes);
        expect(slotsIn(now, segmentSlots)).toEqual(slotsIn(runsOf(permitted, codes), segmentSlots));
      },
    ),
  );
});

/** The slots of runs, which must ascend, and must not be over two segments. */
function slotsIn(runs: Uint32Array, segmentSlots: number): number[] {
  const slots: number[] = [];
  for (let at = 0; at < runs.length; at += 2) {
    const [start = 0, count = 0] = runs.subarray(at, at + 2);
    expect(start).toBeGreaterThan(slots.at(-1) ?? -1);
    expect(Math.floor(start / segmentSlots)).toBe(Math.floor((start + count - 1) / segmentSlots));
    for (let slot = start; slot < start + count; slot += 1) slots.push(slot);
  }
  return slots;
}
