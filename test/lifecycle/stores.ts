import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** All files of a data folder, recursively. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Files of a data folder that contain one of the words, ignoring case, with the words; including database logs and
 * freed pages.
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

/** Tables with rows that contain one of the words in any column, with their number. */
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

/** Rows of the records that contain one of the words, by table, for comparison. */
export function recordsHolding(folder: string, word: string): { [table: string]: string[] } {
  const database = new DatabaseSync(join(folder, 'records.db'), { readOnly: true });
  try {
    // Tables without documents are indexes, which contain hashes only.
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
