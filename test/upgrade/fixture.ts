import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';

/** A table: the statement that creates it, and its rows by column index. */
export interface DumpedTable {
  name: string;
  sql: string;
  /** Bytes are `{ base64 }`. */
  rows: (string | number | null | { base64: string })[][];
}

/** A database as JSON. */
export interface DumpedDatabase {
  tables: DumpedTable[];
  /** Statements that create its indexes. */
  indexes: string[];
}

/** The data folder that a version's program left. */
export interface Fixture {
  organizationId: string;
  adminKey: string;
  standardKey: string;
  /** The value of `PLY_SECRET_KEY`. */
  secretKey: string;
  databases: { [file: string]: DumpedDatabase };
  /** Blobs by path. */
  blobs: { [path: string]: string };
}

/** Placeholder in a fixture for the address of the source. */
export const sourcePlaceholder = 'http://source.fixture';

function plain(value: SQLOutputValue): DumpedTable['rows'][number][number] {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'object' && value !== null ? { base64: Buffer.from(value).toString('base64') } : value;
}

/** The rows of a full-text table without content: ids and indexed words. */
function indexedWords(database: DatabaseSync, table: string): DumpedTable['rows'] {
  database.exec(`create virtual table temp.indexed using fts5vocab('main', '${table}', 'instance')`);
  const rows = new Map<number, string[]>();
  for (const { doc, term } of database.prepare('select doc, term from temp.indexed order by doc, "offset"').iterate())
    rows.set(Number(doc), [...(rows.get(Number(doc)) ?? []), String(term)]);
  return [...rows].map(([id, words]) => [id, words.join(' ')]);
}

/** Reads a database into JSON, without the shadow tables of full-text tables. */
export function dumpDatabase(path: string): DumpedDatabase {
  const database = new DatabaseSync(path);
  const made = database
    .prepare("select name, type, sql from sqlite_schema where sql is not null and name not like 'sqlite_%'")
    .all();
  const virtual = made.filter(({ sql }) => /^create virtual/i.test(String(sql))).map(({ name }) => String(name));
  const isShadow = (name: string): boolean => virtual.some((each) => name.startsWith(`${each}_`));
  const tables = made
    .filter(({ type, name }) => type === 'table' && !isShadow(String(name)))
    .map(({ name, sql }): DumpedTable => {
      if (virtual.includes(String(name)))
        return { name: String(name), sql: String(sql), rows: indexedWords(database, String(name)) };
      const rows = database.prepare(`select * from "${String(name)}"`);
      rows.setReturnArrays(true);
      return { name: String(name), sql: String(sql), rows: rows.all().map((row) => Object.values(row).map(plain)) };
    });
  const indexes = made.filter(({ type }) => type === 'index').map(({ sql }) => String(sql));
  database.close();
  return { tables, indexes };
}

function bindable(value: DumpedTable['rows'][number][number]): SQLInputValue {
  return typeof value === 'object' && value !== null ? Buffer.from(value.base64, 'base64') : value;
}

function restoreDatabase(path: string, { tables, indexes }: DumpedDatabase): void {
  const database = new DatabaseSync(path);
  database.exec('pragma journal_mode = wal; begin');
  for (const { name, sql, rows } of tables) {
    database.exec(sql);
    const [first] = rows;
    if (first === undefined) continue;
    const columns = /^create virtual/i.test(sql) ? ' (rowid, stems)' : '';
    const insert = database.prepare(`insert into "${name}"${columns} values (${first.map(() => '?').join(', ')})`);
    for (const row of rows) insert.run(...row.map(bindable));
  }
  for (const sql of indexes) database.exec(sql);
  database.exec('commit');
  database.close();
  chmodSync(path, 0o600);
}

/** Reads a fixture with its files at `sourceUrl`. */
export function readFixture(name: string, sourceUrl: string): Fixture {
  const text = readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8').replaceAll(
    sourcePlaceholder,
    sourceUrl,
  );
  return JSON.parse(text) as Fixture;
}

/** Writes a fixture as a data folder. */
export function writeDataFolder(fixture: Fixture, folder: string): void {
  mkdirSync(join(folder, 'blobs'), { recursive: true });
  for (const [name, dump] of Object.entries(fixture.databases)) restoreDatabase(join(folder, name), dump);
  for (const [path, text] of Object.entries(fixture.blobs)) {
    mkdirSync(dirname(join(folder, 'blobs', path)), { recursive: true });
    writeFileSync(join(folder, 'blobs', path), text);
  }
}
