import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { getLoadablePath } from 'sqlite-vec';
import { partsOfStem } from '../../../models/analyser/spelling.ts';

/** Ordinals of one revision: row ids are `revision number * ordinalSpan + ordinal`, below 2^53. */
export const ordinalSpan = 2 ** 21;

/** A passage's id: the number of its revision's row, and its ordinal there. */
export function rowId(revision: number, ordinal: number): number {
  return revision * ordinalSpan + ordinal;
}

/** Number of the revision of a passage's id. */
export function revisionNumberOf(id: number): number {
  return Math.floor(id / ordinalSpan);
}

/**
 * The ordinal in a passage's id. Ids exceed 32 bits, for which the remainder operator is many times slower.
 */
export function ordinalOf(id: number): number {
  return id - revisionNumberOf(id) * ordinalSpan;
}

/**
 * Revision numbers that are reserved for an organization at a time: rows of such a run are adjacent on disk.
 */
export const revisionRun = 1024;

const largestPlanCount = 200;

/** Changes of retrievable revisions that the file keeps, for readers that follow them. */
const maxNoted = 4096;

const schema = `
create table if not exists organizations (
  number integer primary key, id text not null unique,
  next_revision integer not null default 0, revision_end integer not null default 0,
  passages integer not null default 0, words integer not null default 0);
create table if not exists identity (value text not null);
create table if not exists counters (name text primary key, value integer not null) without rowid;
insert or ignore into counters values ('revision_runs', 1), ('relaid', 0), ('reworded', 0), ('retrievable', 0), ('published', 0);
create table if not exists openings (number integer primary key, opening integer not null, changes integer not null);
create table if not exists overwritten (number integer primary key, change integer not null);
create index if not exists overwritten_by_change on overwritten (change);
create table if not exists files (
  number integer primary key, organization integer not null, asset_id text not null, attributes_version integer not null default -1,
  open integer not null default 0, present integer not null default 0, kind text not null default 'document',
  external_id text not null default '', created_at integer not null default 0, unique (organization, asset_id));
create index if not exists files_by_external_id on files (organization, external_id);
create table if not exists marks (
  organization integer not null, mark blob not null, file integer not null, primary key (organization, mark, file)) without rowid;
create index if not exists marks_by_file on marks (file);
create table if not exists revisions (
  number integer primary key, organization integer not null, file integer not null, revision integer not null,
  model text, published integer not null default 0, count integer not null default 0, passages integer not null default 0,
  unique (file, revision));
create table if not exists live (
  organization integer not null, number integer not null, file integer not null, count integer not null, open integer not null,
  present integer not null, kind text not null, created_at integer not null, model text, asset_id text not null,
  revision integer not null, primary key (organization, number)) without rowid;
create index if not exists live_by_file on live (file);
create trigger if not exists live_added after insert on live begin update counters set value = value + 1 where name in ('retrievable', 'published'); end;
create trigger if not exists live_removed after delete on live begin update counters set value = value + 1 where name in ('retrievable', 'published'); end;
create trigger if not exists live_changed after update on live begin update counters set value = value + 1 where name = 'retrievable'; end;
create table if not exists changed (
  change integer primary key autoincrement, organization integer not null, number integer not null);
create trigger if not exists live_added_noted after insert on live begin insert into changed (organization, number) values (new.organization, new.number); end;
create trigger if not exists live_removed_noted after delete on live begin insert into changed (organization, number) values (old.organization, old.number); end;
create trigger if not exists live_changed_noted after update on live begin insert into changed (organization, number) values (new.organization, new.number); end;
create trigger if not exists changed_bounded after insert on changed begin delete from changed where change <= new.change - ${maxNoted}; end;
create trigger if not exists live_counted after update of count on live begin update counters set value = value + 1 where name = 'published'; end;
create table if not exists passages (
  id integer primary key, length integer not null, analysed_as text not null, primary_language text, speaker text,
  stems text not null, language text, location text not null, text text not null, timings text);
create trigger if not exists passage_added after insert on passages begin update counters set value = value + 1 where name = 'reworded'; end;
create trigger if not exists passage_removed after delete on passages begin update counters set value = value + 1 where name = 'reworded'; end;
create table if not exists vectors (id integer primary key, vector blob not null, model text);
create table if not exists other_models (
  organization integer not null, model text not null, number integer not null, primary key (organization, model, number)) without rowid;
create index if not exists other_models_by_number on other_models (number);
create index if not exists live_by_model on live (organization, model);
create table if not exists runs (
  number integer primary key autoincrement, organization integer not null, passages integer not null, state integer not null,
  format integer not null default 0);
create index if not exists runs_by_organization on runs (organization);
create table if not exists postings (
  run integer not null, stem text not null, first integer not null, last integer not null, block blob not null,
  primary key (run, stem, first)) without rowid;
create table if not exists block_bounds (
  run integer not null, stem text not null, blocks blob not null, primary key (run, stem)) without rowid;
create table if not exists stem_counts (
  organization integer not null, stem text not null, passages integer not null, primary key (organization, stem)) without rowid;
create table if not exists stem_parts (
  organization integer not null, part text not null, stem text not null, primary key (organization, part, stem)) without rowid;
create table if not exists language_counts (
  organization integer not null, language text not null, passages integer not null, primary key (organization, language)) without rowid;
`;

/*
 * Models of vectors: `revisions.model` and `live.model` are the model of a revision's first vectors. Vectors of another
 * model have it in `vectors.model`, and their revision has a row in `other_models`. Most revisions have one model.
 */

/** A row by column name. */
export type Row = Record<string, SQLOutputValue>;

/** A row by column index. */
export type ListRow = Record<number, SQLOutputValue>;

/** A connection with a cache of prepared statements by their text. */
export interface Connection {
  database: DatabaseSync;
  prepare(sql: string): StatementSync;
  run(sql: string, ...values: SQLInputValue[]): number;
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: SQLInputValue[]): Row[];
  /** Rows by column index (`row[0]`): faster for many rows. */
  lists(sql: string, ...values: SQLInputValue[]): ListRow[];
  close(): void;
}

/**
 * Opens the passages file. The writer creates the tables; the others open them read-only. `lookup` only reads rows by
 * id, and has no functions for vectors.
 */
export function openConnection(path: string, role: 'writer' | 'reader' | 'lookup'): Connection {
  const database = new DatabaseSync(path, {
    allowExtension: role !== 'lookup',
    readOnly: role !== 'writer',
    timeout: 10_000,
  });
  if (role !== 'lookup') {
    database.loadExtension(getLoadablePath());
    database.enableLoadExtension(false);
  }
  if (role === 'writer') {
    // Removed content is overwritten, so that it cannot be recovered from freed pages.
    database.exec(
      'pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on;',
    );
    database.exec('pragma cache_size = -32768; pragma journal_size_limit = 67108864; pragma temp_store = memory;');
    bringUpToDate(database);
  } else {
    database.exec(
      `pragma cache_size = ${role === 'lookup' ? -1024 : -8192}; pragma mmap_size = 1073741824; pragma temp_store = memory;`,
    );
  }
  const statements = new Map<string, StatementSync>();
  const listing = new Map<string, StatementSync>();
  function kept(among: Map<string, StatementSync>, sql: string): StatementSync {
    const known = among.get(sql);
    if (known !== undefined) return known;
    if (among.size >= largestPlanCount) among.clear();
    const made = database.prepare(sql);
    if (among === listing) made.setReturnArrays(true);
    among.set(sql, made);
    return made;
  }
  const prepare = (sql: string): StatementSync => kept(statements, sql);
  return {
    database,
    prepare,
    run: (sql, ...values) => Number(prepare(sql).run(...values).changes),
    get: (sql, ...values) => prepare(sql).get(...values),
    all: (sql, ...values) => prepare(sql).all(...values),
    lists: (sql, ...values) => kept(listing, sql).all(...values),
    close: () => database.close(),
  };
}

/**
 * Creates what a new file or one of an earlier version lacks. In one transaction: if it is interrupted, the next start
 * finds the file as it was.
 */
function bringUpToDate(database: DatabaseSync): void {
  database.exec('begin immediate');
  try {
    const hadParts = database.prepare("select 1 from sqlite_schema where name = 'stem_parts'").get() !== undefined;
    database.exec(schema);
    addMissingColumns(database);
    if (!hadParts) addMissingParts(database);
    database.exec('commit');
  } catch (error) {
    // Which ends the transaction.
    database.close();
    throw error;
  }
}

/** Adds the columns that a file of an earlier version lacks. */
function addMissingColumns(database: DatabaseSync): void {
  for (const [table, column, type] of [
    ['passages', 'timings', 'text'],
    ['vectors', 'model', 'text'],
    ['runs', 'format', 'integer not null default 0'],
  ] as const) {
    const known = database.prepare(`select name from pragma_table_info('${table}')`).all();
    if (!known.some((each) => each['name'] === column))
      database.exec(`alter table ${table} add column ${column} ${type}`);
  }
}

/** Adds the parts of words, which find misspelled words, to a file of an earlier version. */
function addMissingParts(database: DatabaseSync): void {
  const add = database.prepare('insert or ignore into stem_parts values (?, ?, ?)');
  for (const { organization = null, stem } of database
    .prepare('select organization, stem from stem_counts')
    .iterate()) {
    for (const part of partsOfStem(String(stem))) add.run(organization, part, String(stem));
  }
}

/**
 * The counters of the file:
 * - `reworded`: passages that were added or removed, retrievable or not;
 * - `relaid`: overwrites of retrievable passages;
 * - `published`: changes of the set of retrievable passages, including `relaid`;
 * - `retrievable`: changes of what searches return, including permissions. It does not change while a long file is
 *   written;
 * - `revision_runs`: runs of revision numbers that were assigned.
 */
export type Counter = 'relaid' | 'reworded' | 'published' | 'retrievable' | 'revision_runs';

/** The value of a counter. */
export function counterOf(connection: Connection, name: Counter): number {
  return numberOf(connection.get('select value from counters where name = ?', name)?.['value']);
}

/** Increments counters. */
export function increment(connection: Connection, ...names: [Counter, ...Counter[]]): void {
  connection.run(
    `update counters set value = value + 1 where name in (${names.map((name) => `'${name}'`).join(', ')})`,
  );
}

/** A text column's value; an empty text for other types. */
export function textOf(value: SQLOutputValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A text column's value or null. */
export function textOrNull(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** A number column's value; 0 for other types. */
export function numberOf(value: SQLOutputValue | undefined): number {
  return Number(value ?? 0);
}
