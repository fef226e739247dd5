import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Every file of a data folder, however deep. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Files of a data folder whose bytes hold one of the words, in whatever case, each with the words: databases and their
 * logs too, freed pages included.
 */
export function filesHolding(folder: string, words: readonly string[]): { [file: string]: string[] } {
  const found: { [file: string]: string[] } = {};
  for (const file of filesUnder(folder)) {
    const bytes = readFileSync(file).toString('latin1').toLowerCase();
    const held = words.filter((word) => bytes.includes(word.toLowerCase()));
    if (held.length > 0) found[relative(folder, file)] = held;
  }
  return found;
}

/** Tables of the databases with a row in which one of the words stands in any column, each with how many. */
export function tablesHolding(folder: string, words: readonly string[]): { [table: string]: number } {
  const found: { [table: string]: number } = {};
  for (const name of ['records.db', 'passages.db', 'counters.sqlite']) {
    const database = new DatabaseSync(join(folder, name), { readOnly: true });
    try {
      const tables = database.prepare("select name from sqlite_schema where type = 'table' and name <> 'words'").all();
      for (const { name: table } of tables) {
        let rows = 0;
        const all = database.prepare(`select * from "${String(table)}"`);
        all.setReadBigInts(true);
        for (const row of all.iterate()) {
          const text = Object.values(row)
            .map((value) =>
              ArrayBuffer.isView(value)
                ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
                : String(value),
            )
            .join('\n')
            .toLowerCase();
          if (words.some((word) => text.includes(word.toLowerCase()))) rows += 1;
        }
        if (rows > 0) found[`${name}: ${String(table)}`] = rows;
      }
    } finally {
      database.close();
    }
  }
  return found;
}

/** Whole rows of the records, by table, that hold one of the words: to be compared before and after. */
export function recordsHolding(folder: string, word: string): { [table: string]: string[] } {
  const database = new DatabaseSync(join(folder, 'records.db'), { readOnly: true });
  try {
    // Tables without documents are indexes: they hold hashes only.
    const tables = database
      .prepare(
        "select name from sqlite_schema t where type = 'table' and 'doc' in (select name from pragma_table_info(t.name))",
      )
      .all()
      .map(({ name }) => String(name));
    return Object.fromEntries(
      tables.map((table) => [
        table,
        database
          .prepare(`select doc from "${table}" where instr(doc, ?) > 0 order by _id`)
          .all(word)
          .map(({ doc }) => String(doc)),
      ]),
    );
  } finally {
    database.close();
  }
}
