import { numberOf, ordinalSpan, revisionNumberOf, textOf, type Connection } from './connection.ts';
import type { Rebuilding } from './messages.ts';
import { addRun } from './word-runs.ts';

/** Passages that one run gets. */
const together = 2048;

/**
 * Makes the word index of a file of an earlier version, which has a full-text table instead, and removes that table.
 * Memory is bounded by the passages of one run. An interrupted one starts again: the earlier version may have written
 * to the file in between.
 * @param tell is called once before the first passages, and then after each run
 */
export function rebuildWords(connection: Connection, tell: (progress: Rebuilding) => void): void {
  if (connection.get("select 1 from sqlite_schema where name = 'words'") === undefined) return;
  const passages = numberOf(connection.get('select sum(count) as count from revisions')?.['count']);
  let indexed = 0;
  tell({ indexed, passages });
  connection.database.exec('delete from postings; delete from block_bounds; delete from runs;');
  for (const row of connection.all('select number from organizations order by number')) {
    const organization = numberOf(row['number']);
    for (let after = -1; ;) {
      const rows = connection.lists(
        `select p.id, p.stems, p.length from revisions r cross join passages p on p.id >= r.number * ${ordinalSpan} and p.id < r.number * ${ordinalSpan} + r.count
         where r.organization = ? and p.id > ? and r.number >= ? order by r.number, p.id limit ${together}`,
        organization,
        after,
        revisionNumberOf(Math.max(0, after)),
      );
      if (rows.length === 0) break;
      connection.database.exec('begin');
      addRun(
        connection,
        organization,
        rows.map((each) => ({ id: numberOf(each[0]), stems: textOf(each[1]), length: numberOf(each[2]) })),
      );
      connection.database.exec('commit');
      after = numberOf(rows.at(-1)?.[0]);
      indexed += rows.length;
      tell({ indexed, passages });
    }
  }
  connection.database.exec('drop table words');
}
