import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Json, JsonObject } from '../../../models/json.ts';
import { pathsOf, type JsonChange } from '../change.ts';
import { valueAt } from '../paths.ts';
import type { FragmentTables } from './fragment-tables.ts';
import type { WriteRequest } from './messages.ts';
import { extracted } from './sql.ts';

const documentColumns = ['_id', 'doc'];
/** Text that a parameter holds as the document does: any other character may be an escape in the document. */
const plainText = /^[ -~]*$/;
/** Forms of changes whose columns are kept. */
const maxForms = 500;

/** A value of a column as a statement takes it. */
type ColumnValue = string | bigint | null;

/** What a statement sets, and its further parameters. */
interface Assignments {
  text: string;
  values: readonly ColumnValue[];
}

/**
 * The tables of the file as the writer knows them: `_id`, the document, and for each field that an index holds a column
 * named by its path. The columns are read from the documents, in the same statement that writes these.
 */
export class Tables {
  readonly #database: DatabaseSync;
  /** Columns besides id and document, by the table's quoted name. */
  readonly #columns = new Map<string, readonly string[]>();
  /** Columns that changes of a form touch, by the table and the paths: changes have few forms. */
  readonly #touched = new LRUCache<string, readonly string[]>({ max: maxForms });

  readonly #fragments: FragmentTables;

  constructor(database: DatabaseSync, fragments: FragmentTables) {
    this.#database = database;
    this.#fragments = fragments;
  }

  /** The beginning of a statement that inserts a document: its parameters are the id and the document. */
  insertion(table: string): string {
    const columns = this.#columnsOf(table);
    const names = columns.map((path) => `, "${path}"`).join('');
    return `INSERT INTO ${table} (_id, doc${names}) VALUES (?1, ?2${columns.map((path) => `, ${extracted(path, '?2')}`).join('')})`;
  }

  /** What a statement sets that replaces a whole document by the one it could not insert. */
  replacement(table: string): string {
    return ['doc', ...this.#columnsOf(table).map((path) => `"${path}"`)]
      .map((column) => `${column} = excluded.${column}`)
      .join(', ');
  }

  /**
   * What a statement sets that replaces a document by its changed form, the first parameter: of the columns only those
   * whose values differ, because a statement rewrites each index that holds a column which it sets.
   * @param taken parameters of the statement that are others
   */
  assignments(
    table: string,
    change: JsonChange,
    before: ReadonlyMap<string, Json | undefined>,
    after: JsonObject,
    taken: number,
  ): Assignments {
    let text = 'doc = ?1';
    const values: ColumnValue[] = [];
    for (const path of this.touched(table, change)) {
      const value = valueAt(after, path);
      if (isSame(before.get(path), value)) continue;
      const known = columnValue(value);
      text += `, "${path}" = ${known === undefined ? extracted(path, '?1') : `?${taken + values.push(known)}`}`;
    }
    return { text, values };
  }

  /** Columns whose values a change may alter: it names their field, one that holds it, or one within it. */
  touched(table: string, change: JsonChange): readonly string[] {
    const paths = pathsOf(change);
    const form = `${table} ${paths.join(' ')}`;
    const known = this.#touched.get(form);
    if (known !== undefined) return known;
    const touched = this.#columnsOf(table).filter((column) =>
      paths.some((path) => path === column || column.startsWith(`${path}.`) || path.startsWith(`${column}.`)),
    );
    this.#touched.set(form, touched);
    return touched;
  }

  /**
   * Creates tables, columns and indexes. An index whose declaration has changed is created again, one that is not
   * declared any more is dropped. Where another version has prepared a table, it may have written without keeping the
   * indexes of fragments, so these are created again as well.
   */
  prepare(request: WriteRequest & { kind: 'prepare' }): void {
    this.#columns.clear();
    this.#touched.clear();
    for (const { name, table, columns, indexes, substrings } of request.collections) {
      this.#database.exec(
        `CREATE TABLE IF NOT EXISTS ${table} (_id TEXT PRIMARY KEY NOT NULL${columns.map((path) => `, "${path}"`).join('')}, doc TEXT NOT NULL)`,
      );
      this.#addColumns(table, columns);
      const rows = this.#database
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
        .all(name);
      const existing = new Map(rows.map((row) => [String(row['name']), String(row['sql'])]));
      const former = [...existing].filter(
        ([old, sql]) => !indexes.some((index) => index.name === old && index.sql === sql),
      );
      const added = indexes.filter((index) => existing.get(index.name) !== index.sql);
      for (const [old] of former) this.#database.exec(`DROP INDEX "${old}"`);
      for (const index of added) this.#database.exec(index.sql);
      for (const path of substrings) this.#fragments.prepare(name, path, former.length + added.length > 0);
    }
    this.#columns.clear();
    this.#touched.clear();
  }

  /** A table that was created before a field was declared gets its column, filled from the documents. */
  #addColumns(table: string, declared: readonly string[]): void {
    const known = this.#columnsOf(table);
    const missing = declared.filter((path) => !known.includes(path));
    if (missing.length === 0) return;
    for (const path of missing) this.#database.exec(`ALTER TABLE ${table} ADD COLUMN "${path}"`);
    this.#database.exec(`UPDATE ${table} SET ${missing.map((path) => `"${path}" = ${extracted(path)}`).join(', ')}`);
  }

  #columnsOf(table: string): readonly string[] {
    let columns = this.#columns.get(table);
    if (columns === undefined) {
      columns = this.#database
        .prepare(`PRAGMA table_info(${table})`)
        .all()
        .map((row) => String(row['name']))
        .filter((name) => !documentColumns.includes(name));
      this.#columns.set(table, columns);
    }
    return columns;
  }
}

/** What a column is set to, where it need not be read from the document once more; undefined if it must. */
function columnValue(value: Json | undefined): ColumnValue | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') return plainText.test(value) ? value : undefined;
  // A number is bound as one with a fraction, which a column would keep.
  return Number.isSafeInteger(value) ? BigInt(Number(value)) : undefined;
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));
}
