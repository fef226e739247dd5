import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemRuntime } from '../../../models/runtime.ts';
import { attributes, index, newScope, passage, retrieval } from '../conformance-data.ts';
import { stepsOf } from './changes.ts';
import { numberOf, revisionNumberOf } from './connection.ts';
import type { Rebuilding } from './messages.ts';
import { rebuildWords } from './rebuild-words.ts';
import { openSqlitePassages } from './sqlite.ts';
import { IndexedLibrary } from './testing/indexed-library.ts';
import { postingsOf } from './testing/postings-of.ts';

/** The full-text table of earlier versions, as they made it. */
const fullText =
  "create virtual table words using fts5(stems, content='', contentless_delete=1, tokenize=\"ascii tokenchars '_'\")";

describe('the word index of a file of an earlier version', () => {
  const library = new IndexedLibrary();
  afterAll(() => library.connection.close());
  const { connection } = library;
  const stems = ['all', 'common', 'own7', 'own1200', 'counted', 'later'];
  /** Without what a removed revision left. */
  function indexed(): object {
    const numbers = new Set(connection.lists('select number from revisions').map((row) => numberOf(row[0])));
    return [1, 2].map((organization) =>
      stems.map((stem) =>
        postingsOf(connection, organization, stem).filter(([id = 0]) => numbers.has(revisionNumberOf(id))),
      ),
    );
  }
  const tables = (): unknown[] => connection.all("select name from sqlite_schema where name like 'words%'");

  it('is made from its passages, in portions that it tells of, also after an interruption', () => {
    for (let file = 0; file < 1500; file += 1)
      library.publish(`asset-${file}`, [{ stems: 'all common common' }, { stems: `all own${file}` }, { stems: '' }]);
    library.remove('asset-3');
    library.change({
      ...library.publication('other', [{ stems: 'all common' }]),
      organizationId: 'another organization',
    });
    // A long file of which a part is counted.
    const rows = Array.from({ length: 1200 }, (_, at) => ({ stems: at < 500 ? 'counted all' : 'later all' }));
    stepsOf(connection, library.publication('long', rows)).next();
    const before = indexed();
    expect(postingsOf(connection, 1, 'counted')).toHaveLength(500);

    connection.database.exec(fullText);
    const told: Rebuilding[] = [];
    const interrupted = new Error('interrupted');
    expect(() =>
      rebuildWords(connection, ({ indexed: done }) => {
        if (done > 0) throw interrupted;
      }),
    ).toThrow(interrupted);
    expect(indexed()).not.toEqual(before);
    rebuildWords(connection, (progress) => told.push(progress));
    expect(told).toEqual([0, 2048, 4096, 4997, 4998].map((done) => ({ indexed: done, passages: 4998 })));
    expect(indexed()).toEqual(before);
    expect(tables()).toEqual([]);

    rebuildWords(connection, () => {
      throw new Error('it is of this version');
    });
  });

  it('is made when the program opens it, which says so, and finds words at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
    const said: unknown[] = [];
    const open = (): ReturnType<typeof openSqlitePassages> =>
      openSqlitePassages({
        folder,
        runtime: systemRuntime,
        readerThreads: 1,
        log: { info: (...args: readonly unknown[]) => void said.push(args[0]), warn: () => undefined },
      });
    const scope = newScope();
    const before = await open();
    await index(before, scope, [passage(0, 'word'), passage(1, 'other')], attributes('a'));
    await before.close();
    expect(said).toEqual([]);
    const file = new DatabaseSync(join(folder, 'passages.db'));
    file.exec(`delete from postings; delete from runs; ${fullText}; insert into words values ('1_word')`);
    file.close();

    const after = await open();
    expect(said).toEqual([
      { indexed: 0, passages: 2 },
      { indexed: 2, passages: 2 },
    ]);
    const { candidates } = await after.retrieve(scope, retrieval({ terms: [['word']] }));
    expect(candidates.map(({ ordinal }) => ordinal)).toEqual([0]);
    await after.close();
    rmSync(folder, { recursive: true });
  });
});
