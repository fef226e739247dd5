import { stepsOf } from './changes.ts';
import { numberOf, revisionNumberOf } from './connection.ts';
import { RunKeeper } from './merge-runs.ts';
import { IndexedLibrary } from './testing/indexed-library.ts';
import { postingsOf } from './testing/postings-of.ts';
import { passageRow } from './testing/passage-row.ts';

const stems = ['all', ...Array.from({ length: 30 }, (_, at) => `stem${at}`), 'ünï', '字', '😀'];

describe('the runs of the word index', () => {
  let library: IndexedLibrary;
  beforeEach(() => {
    library = new IndexedLibrary();
  });
  afterEach(() => library.connection.close());

  function publishMany(from: number, to: number): void {
    for (let file = from; file < to; file += 1)
      library.publish(`asset-${file}`, [
        { stems: `all ${stems[file % stems.length]} ${stems[(file * 7) % stems.length]}` },
        { stems: `all all own${file}` },
      ]);
  }

  const runs = (): number[] =>
    library.connection
      .lists('select passages from runs where state = 0 order by number')
      .map((row) => numberOf(row[0]));

  const indexed = (): object =>
    Object.fromEntries(stems.map((stem) => [stem, postingsOf(library.connection, 1, stem)]));

  /** Merges until nothing is due. */
  function merge(keeper = new RunKeeper(library.connection)): void {
    while (keeper.step());
  }

  it('become few without losing or repeating a posting', () => {
    publishMany(0, 100);
    const before = indexed();
    expect(runs()).toHaveLength(100);
    merge();
    expect(indexed()).toEqual(before);
    // At most 64 at a time.
    expect(runs()).toEqual([128, 72]);
    expect(library.connection.all('select distinct run from postings')).toHaveLength(2);
    publishMany(100, 107);
    const keeper = new RunKeeper(library.connection);
    merge(keeper);
    expect(runs()).toHaveLength(9);
    publishMany(107, 108);
    merge(keeper);
    expect(runs()).toEqual([128, 72, 16]);
    expect(postingsOf(library.connection, 1, 'own107')).toHaveLength(1);
  });

  it('of an earlier format, without bounds of their blocks, are written again', () => {
    const { connection } = library;
    library.changeTogether(
      Array.from({ length: 80 }, (_, file) =>
        library.publication(
          `asset-${file}`,
          Array.from({ length: 16 }, () => ({ stems: `all own${file}` })),
        ),
      ),
    );
    const bounds = (): unknown[] => connection.all('select stem, blocks from block_bounds');
    const [before, bounded] = [indexed(), bounds()];
    expect(bounded).toHaveLength(1);
    merge();
    expect(connection.all('select number from runs')).toEqual([{ number: 1 }]);
    connection.database.exec('update runs set format = 0; delete from block_bounds');
    merge();
    expect(connection.all('select number, format from runs')).toEqual([{ number: 2, format: 1 }]);
    expect(indexed()).toEqual(before);
    expect(bounds()).toEqual(bounded);
    // The bounds of removed runs are removed with them.
    library.change({ kind: 'removeOrganization', organizationId: 'organization', assetId: '' });
    expect(bounds()).toEqual([]);
  });

  it('find the same at every step of a merge, also beside other changes', () => {
    publishMany(0, 64);
    const before = indexed();
    const keeper = new RunKeeper(library.connection);
    for (let steps = 0; keeper.step(); steps += 1) expect([steps, indexed()]).toEqual([steps, before]);
    // Overwriting a published passage changes its postings wherever they are.
    publishMany(64, 128);
    keeper.step();
    keeper.step();
    library.change({
      kind: 'write',
      organizationId: 'organization',
      assetId: 'asset-3',
      revision: 1,
      embeddingModel: null,
      rows: [passageRow(0, 'other all all all', 4)],
      vectors: new Float32Array(),
      vectorSizes: new Uint32Array(1),
    });
    const changed = indexed();
    merge(keeper);
    expect(indexed()).toEqual(changed);
    expect(postingsOf(library.connection, 1, 'other')).toHaveLength(1);
    expect(
      postingsOf(library.connection, 1, 'all').filter(([, often, words]) => often === 3 && words === 4),
    ).toHaveLength(1);
  });

  it('lose nothing if a merge is interrupted, or its transaction is rolled back', () => {
    publishMany(0, 64);
    const before = indexed();
    const interrupted = new RunKeeper(library.connection);
    interrupted.step();
    interrupted.step();
    const keeper = new RunKeeper(library.connection);
    for (let steps = 0; steps < 20; steps += 1) {
      library.connection.database.exec('begin');
      keeper.step();
      const isLost = steps % 3 === 2;
      library.connection.database.exec(isLost ? 'rollback' : 'commit');
      if (isLost) keeper.restart();
      expect(indexed()).toEqual(before);
    }
    merge(keeper);
    expect(indexed()).toEqual(before);
    expect(runs()).toEqual([128]);
    expect(library.connection.all('select distinct state from runs')).toEqual([{ state: 0 }]);
  });

  it('lose the postings of removed revisions once they are many', () => {
    for (let file = 0; file < 500; file += 1)
      library.publish(
        `many-${file}`,
        Array.from({ length: 10 }, () => ({ stems: 'all removed' })),
      );
    publishMany(0, 10);
    const keeper = new RunKeeper(library.connection);
    merge(keeper);
    for (let file = 0; file < 500; file += 1) library.remove(`many-${file}`);
    merge(keeper);
    expect(postingsOf(library.connection, 1, 'removed')).toHaveLength(5000);
    keeper.look('organization');
    merge(keeper);
    expect(postingsOf(library.connection, 1, 'removed')).toEqual([]);
    expect(postingsOf(library.connection, 1, 'all')).toHaveLength(20);
    expect(runs()).toEqual([20]);
  });

  it('stay as they are if a passage is written again with the same words', () => {
    const passages = [{ stems: 'all same' }, { stems: 'all old' }];
    library.publish('asset', passages);
    library.publish('asset', passages);
    expect(runs()).toEqual([2]);
    library.publish('asset', [{ stems: 'all same' }, { stems: 'all new' }]);
    expect(runs()).toEqual([2, 1]);
    expect(postingsOf(library.connection, 1, 'old')).toEqual([]);
    expect(postingsOf(library.connection, 1, 'all')).toHaveLength(2);
  });

  it('have each passage once if a removal is interrupted and its revision is written again', () => {
    const passages = Array.from({ length: 1200 }, () => ({ stems: 'all again' }));
    library.publish('asset', passages);
    const discard = { kind: 'discard', organizationId: 'organization', assetId: 'asset', revision: 1 } as const;
    const interrupted = stepsOf(library.connection, discard);
    interrupted.next();
    interrupted.next();
    library.publish('asset', passages);
    const [live] = library.connection.lists('select number, count from live');
    const again = postingsOf(library.connection, 1, 'again').filter(
      ([id = 0]) => revisionNumberOf(id) === numberOf(live?.[0]),
    );
    expect(again).toHaveLength(1200);
    expect(new Set(again.map(([id]) => id)).size).toBe(1200);
    // The next removal takes what the interrupted one left.
    library.change(discard);
    for (const table of ['live', 'revisions', 'passages', 'stem_counts'])
      expect([table, library.connection.all(`select * from ${table}`)]).toEqual([table, []]);
  });

  it('go with their organization, also while they are merged', () => {
    publishMany(0, 64);
    const keeper = new RunKeeper(library.connection);
    keeper.step();
    keeper.step();
    library.change({ kind: 'removeOrganization', organizationId: 'organization', assetId: '' });
    merge(keeper);
    expect(library.connection.all('select * from runs')).toEqual([]);
    expect(library.connection.all('select * from postings')).toEqual([]);
  });
});
