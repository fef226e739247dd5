import { stemsOnly } from '../../../models/passage-words.ts';
import { stepsOf } from './changes.ts';
import { numberOf, ordinalOf, revisionNumberOf, textOf } from './connection.ts';
import { RunKeeper } from './merge-runs.ts';
import { IndexedLibrary } from './testing/indexed-library.ts';
import { postingsOf } from './testing/postings-of.ts';

/** A seeded pseudorandom generator. */
let state = 5;
const random = (below: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const stems = Array.from({ length: 12 }, (_, at) => `stem${at}`);
const passages = (count: number): { stems: string }[] =>
  Array.from({ length: count }, () => ({
    stems: Array.from({ length: random(6) }, () => stems[random(stems.length)] ?? '').join(' '),
  }));

describe('the word index', () => {
  const library = new IndexedLibrary();
  const { connection } = library;
  afterAll(() => connection.close());

  /** For each stem the postings of all counted passages, from their words. */
  function expected(): object {
    const found = new Map<string, number[][]>(stems.map((stem) => [stem, []]));
    for (const row of connection.lists(
      'select p.id, p.stems, p.length from revisions r join passages p on p.id >= r.number * 2097152 and p.id < r.number * 2097152 + r.count order by p.id',
    )) {
      const words = stemsOnly(textOf(row[1])).split(' ');
      for (const stem of new Set(words))
        found.get(stem)?.push([numberOf(row[0]), words.filter((word) => word === stem).length, numberOf(row[2])]);
    }
    return Object.fromEntries(found);
  }

  /** The same as the index has them; without those that removed revisions left, and rows that are not counted any more. */
  function indexed(): object {
    const counts = new Map(
      connection.lists('select number, count, revision from revisions').map((row) => [row[0], row]),
    );
    return Object.fromEntries(
      stems.map((stem) => [
        stem,
        postingsOf(connection, 1, stem).filter(([id = 0]) => {
          const row = counts.get(revisionNumberOf(id));
          return row !== undefined && (numberOf(row[2]) > 0 || ordinalOf(id) < numberOf(row[1]));
        }),
      ]),
    );
  }

  it('has the words of all counted passages, each once, through changes that are interrupted or rolled back', () => {
    const keeper = new RunKeeper(connection);
    const organizationId = 'organization';
    for (let turn = 0; turn < 600; turn += 1) {
      const assetId = `asset-${random(25)}`;
      const revision = 1 + random(2);
      const change = [
        library.publication(assetId, passages(random(15) === 0 ? 600 : random(12)), { revision }),
        library.publication(assetId, passages(1 + random(12)), { revision }),
        { kind: 'discard', organizationId, assetId, revision } as const,
        { kind: 'removeFile', organizationId, assetId } as const,
      ][random(4)];
      if (change === undefined) throw new Error('there is no such change');
      const isLost = random(6) === 0;
      connection.database.exec('begin');
      const steps = stepsOf(connection, change);
      for (let left = 1 + random(5); left > 0 && steps.next().done !== true; left -= 1);
      keeper.look(organizationId);
      for (let left = random(8); left > 0 && keeper.step(); left -= 1);
      connection.database.exec(isLost ? 'rollback' : 'commit');
      if (isLost) keeper.restart();
      if (turn % 10 === 0) expect([turn, indexed()]).toEqual([turn, expected()]);
    }
    keeper.look(organizationId);
    while (keeper.step());
    expect(indexed()).toEqual(expected());
    expect(connection.lists('select distinct run from postings where run not in (select number from runs)')).toEqual(
      [],
    );
    library.change({ kind: 'removeOrganization', organizationId, assetId: '' });
    for (const table of ['runs', 'postings', 'passages', 'stem_counts', 'revisions'])
      expect([table, connection.all(`select * from ${table}`)]).toEqual([table, []]);
  });
});
