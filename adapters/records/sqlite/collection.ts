import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Change, Collection, ConditionalChange, Filter, PartsList, Picked, Query } from '../port.ts';
import { checkChange } from '../change.ts';
import { fixes } from '../paths.ts';
import { checkDocument, ownerField } from '../scoping.ts';
import type { DocumentCache } from './document-cache.ts';
import { candidatesOf, maxCandidates } from './fragments.ts';
import { inTimeFunction } from './functions.ts';
import type { AnswerValue, WriteRequest } from './messages.ts';
import { partsSql, unpackParts, type PartCache } from './parts.ts';
import type { Readers } from './readers.ts';
import {
  boundLimit,
  columnsOf,
  fieldExpression,
  rowsOf,
  selectOf,
  tableName,
  whereOf,
  type Rows,
  type Sql,
  type Value,
} from './sql.ts';
import type { Statements } from './statements.ts';
import type { WriteChannel } from './write-channel.ts';

/**
 * The ways to the file: reads of single documents on this thread, other reads and all writes in threads of their own.
 */
export interface Connections {
  /** Statements of this thread. */
  statements: Statements;
  documents: DocumentCache;
  parts: PartCache;
  readers: Readers;
  writer: WriteChannel;
  /** Throws when the store is closed. */
  check(): void;
  /** Called with each statement that selects rows by a filter, before it runs. */
  watch(sql: string, values: readonly Value[]): void;
}

const idsPerStatement = 500;

/** A collection of the SQLite file, narrowed to an owner unless that is null. */
export function sqliteCollection<T extends StoredRecord>(
  definition: CollectionDefinition<T>,
  owner: string | null,
  connections: Connections,
): Collection<T> {
  const { statements, readers, writer } = connections;
  const { name } = definition;
  const documents = connections.documents.of(name);
  const touched = writer.touchedOf(name);
  const isUntouched = (id: string, version: number): boolean => !touched.isTouched(id, version);
  // Apart from the others: whatever an id is, it is no query.
  const answers = connections.documents.of(`${name}?`);
  const table = tableName(definition);
  const columns = columnsOf(definition);
  const byId = `SELECT doc FROM ${table} WHERE _id = ?`;
  const byIds = `SELECT _id, doc FROM ${table} WHERE _id IN (SELECT value FROM json_each(?))`;
  const guarded = owner === null ? null : ownerField;

  const parse = (text: unknown): T => JSON.parse(String(text)) as T;
  const isOwned = (document: object): boolean => owner === null || Reflect.get(document, ownerField) === owner;
  const write = (request: WriteRequest, size: number): Promise<AnswerValue> => writer.send(name, request, size);
  const read = ({ text: sql, values }: Sql): Promise<string[]> => readers.read(owner ?? '', name, { sql, values });

  const changeRequest = (
    { id, filter, change }: ConditionalChange,
    isWanted: boolean,
  ): [request: WriteRequest, size: number] => {
    checkChange(change, guarded);
    const { text, values } = whereOf(filter, owner, columns);
    const json = JSON.stringify(change);
    return [{ kind: 'update', table, id, where: text, values, change: json, isWanted }, json.length + sizeOf(values)];
  };

  /** The rows of a filter for a reader thread, by the fragments of a text where these leave few candidates. */
  const boundedRows = async (filter: Filter): Promise<Rows & { hasCandidates: boolean }> => {
    const candidates = candidatesOf(definition, filter, owner);
    const isSelective =
      candidates !== null &&
      Number(
        (
          await read({
            text: `SELECT count(*) FROM (${candidates.text} LIMIT ${boundLimit})`,
            values: [...candidates.values, maxCandidates + 1],
          })
        )[0],
      ) <= maxCandidates;
    const rows = rowsOf(definition, filter, owner, isSelective ? candidates : null);
    // First, so that rows which other conditions exclude are counted as well.
    return { ...rows, where: `${inTimeFunction}() AND ${rows.where}`, hasCandidates: isSelective };
  };
  /** Runs a query in a reader thread; resolves with its one column. */
  const select = async (query: Query, answer?: string): Promise<string[]> => {
    const rows = await boundedRows(query.filter);
    const statement = selectOf(query, rows, columns, answer);
    // The sort of a bounded number of candidates is no slow query.
    if (!rows.hasCandidates) connections.watch(statement.text, statement.values);
    return read(statement);
  };

  return {
    async insert(document) {
      checkDocument(definition, owner, document);
      const doc = JSON.stringify(document);
      await write({ kind: 'insert', table, id: document._id, doc }, doc.length);
    },

    async insertNew(given) {
      if (given.length === 0) return [];
      for (const document of given) checkDocument(definition, owner, document);
      const docs = given.map((document) => JSON.stringify(document));
      const ids = given.map(({ _id }) => _id);
      const inserted = await write({ kind: 'insertNew', table, ids, docs }, sizeOf(docs));
      return Array.isArray(inserted) ? inserted : [];
    },

    async get(id) {
      connections.check();
      const { version } = touched;
      let document = documents.current(id, isUntouched);
      if (document === undefined) {
        const row = statements.of(byId).get(id);
        if (row === undefined) return null;
        document = documents.parse(id, String(row['doc']), version);
      }
      return isOwned(document) ? ({ ...document } as T) : null;
    },

    async getMany(ids) {
      connections.check();
      const { version } = touched;
      const found: (object | undefined)[] = [];
      const unread: string[] = [];
      for (const id of ids) {
        const document = documents.current(id, isUntouched);
        found.push(document);
        if (document === undefined) unread.push(id);
      }
      const read = new Map<string, object>();
      for (let start = 0; start < unread.length; start += idsPerStatement) {
        for (const row of statements.of(byIds).all(JSON.stringify(unread.slice(start, start + idsPerStatement)))) {
          const id = String(row['_id']);
          read.set(id, documents.parse(id, String(row['doc']), version));
        }
      }
      const own: object[] = [];
      for (const [index, document = read.get(ids[index] ?? '')] of found.entries())
        if (document !== undefined && isOwned(document)) own.push(document);
      return own as Readonly<T>[];
    },

    async getParts<K extends keyof T & string>(
      ids: readonly string[],
      fields: readonly K[],
      list: PartsList<K> | null = null,
    ) {
      connections.check();
      const { version } = touched;
      const cached = connections.parts.of(name, fields);
      const found: (object | null)[] = [];
      const unread: number[] = [];
      for (const [index, id] of ids.entries()) {
        const kept = cached.current(id, isUntouched);
        const part = kept === undefined ? documents.current(id, isUntouched) : kept;
        found.push(part ?? null);
        if (part === undefined) unread.push(index);
      }
      if (unread.length > 0) {
        const packed = await readers.readParts(owner ?? '', name, {
          sql: partsSql(table),
          values: [JSON.stringify(unread.map((index) => ids[index]))],
          parts: {
            fields: [...new Set<string>([...fields, ownerField])],
            list: list === null ? null : { field: list.field, among: [...list.among] },
          },
        });
        const absent = new Set(unread);
        unpackParts(packed, (key, part, characters) => {
          const index = unread[key] ?? -1;
          absent.delete(index);
          found[index] = part;
          if (characters !== null) cached.keep(ids[index] ?? '', part, characters, version);
        });
        for (const index of absent) cached.keep(ids[index] ?? '', null, 0, version);
      }
      return found.filter((part) => part !== null && isOwned(part)) as Readonly<Pick<T, K>>[];
    },

    async find(query: Query) {
      connections.check();
      if (!findsOne(definition, query, owner)) return (await select(query)).map(parse);
      const { version } = touched;
      const key = `${owner ?? ''}${JSON.stringify(query)}`;
      let document = answers.current(key, (_, read) => read === version);
      if (document === undefined) {
        const { text, values } = selectOf(query, rowsOf(definition, query.filter, owner), columns);
        connections.watch(text, values);
        const row = statements.of(text).get(...values);
        if (row === undefined) return [];
        document = answers.parse(key, String(row['doc']), version);
      }
      return [{ ...document } as T];
    },

    async pick(query: Query, paths: readonly string[]) {
      connections.check();
      const fields = paths.map((path) => fieldExpression(path, columns));
      return (await select(query, `json_array(${fields.join(', ')})`)).map((row) => JSON.parse(row) as Picked);
    },

    async count(filter: Filter) {
      connections.check();
      // A count within an index takes a tenth of a microsecond a row, and asking for the time twice as much.
      const { from, where, values } = isIndexed(filter, columns)
        ? rowsOf(definition, filter, owner)
        : await boundedRows(filter);
      const sql = `SELECT count(*) FROM ${from} WHERE ${where}`;
      connections.watch(sql, values);
      return Number((await read({ text: sql, values }))[0] ?? 0);
    },

    async distinct(filter: Filter, path: string, { after, limit }: { after: string; limit: number }) {
      connections.check();
      const { text, values } = whereOf(filter, owner, columns);
      const field = fieldExpression(path, columns);
      // A skip scan: each step finds the next text in the index (https://sqlite.org/lang_with.html).
      const next = (bound: string): string =>
        `SELECT min(${field}) FROM ${table} WHERE ${text} AND ${field} > ${bound}`;
      connections.watch(next('?'), [...values, after]);
      const sql =
        `WITH RECURSIVE found(value) AS (${next('?')} UNION ALL SELECT (${next('found.value')}) FROM found ` +
        `WHERE found.value IS NOT NULL) SELECT value FROM found WHERE value IS NOT NULL LIMIT ${boundLimit}`;
      const all = [...values, after, ...values, limit];
      return read({ text: sql, values: all });
    },

    async largestSums(filter: Filter, path: string, summed: string, limit: number) {
      connections.check();
      const { from, where, values } = await boundedRows(filter);
      const [text, number] = [path, summed].map((each) => fieldExpression(each, columns));
      // That groups are sorted is no slow step: their rows are what is summed.
      const sql = `FROM ${from} WHERE ${where} AND typeof(${text}) = 'text'`;
      connections.watch(`SELECT ${table}.rowid ${sql}`, values);
      const grouped = `SELECT json_array(${text}, coalesce(sum(${number}), 0)) ${sql} GROUP BY ${text} ORDER BY sum(${number}) DESC, ${text} LIMIT ${boundLimit}`;
      const rows = await read({ text: grouped, values: [...values, limit] });
      return rows.map((row) => JSON.parse(row) as [string, number]);
    },

    async update(id: string, filter: Filter, change: Change) {
      const updated = await write(...changeRequest({ id, filter, change }, true));
      return typeof updated === 'string' ? parse(updated) : null;
    },

    async updateAll(changes) {
      // All are made before the first is sent: one that no store can do is refused before any is done.
      const requests = changes.map((change) => changeRequest(change, false));
      // Sent in one turn, they travel together.
      const updated = await Promise.all(requests.map(([request, size]) => write(request, size)));
      return updated.filter((isUpdated) => isUpdated === true).length;
    },

    async put(document) {
      checkDocument(definition, owner, document);
      const doc = JSON.stringify(document);
      await write({ kind: 'put', table, id: document._id, doc, owner }, doc.length);
    },

    async remove(id: string, filter: Filter = {}) {
      const { text, values } = whereOf(filter, owner, columns);
      return (await write({ kind: 'remove', table, id, where: text, values }, sizeOf(values))) === true;
    },

    async removeMany(filter: Filter, limit: number) {
      const { text, values } = whereOf(filter, owner, columns);
      connections.watch(`SELECT rowid FROM ${table} WHERE ${text}`, values);
      return Number(await write({ kind: 'removeMany', table, where: text, values, limit }, sizeOf(values)));
    },
  };
}

/**
 * Whether a query finds at most one document because it fixes every field of a unique index: such a read takes
 * microseconds, and less than the way to another thread and back.
 */
function findsOne(definition: CollectionDefinition<StoredRecord>, query: Query, owner: string | null): boolean {
  const filter = owner === null ? query.filter : { ...query.filter, [ownerField]: owner };
  return (
    query.after === undefined &&
    definition.indexes.some((index) => index.unique === true && fixes(filter, index.fields))
  );
}

/** Whether a filter asks only for values that indexes hold. */
function isIndexed(filter: Filter, columns: ReadonlySet<string>): boolean {
  return Object.entries(filter).every(
    ([path, condition]) => columns.has(path) && (condition === null || typeof condition !== 'object'),
  );
}

/** About how many characters a request with these values has. */
function sizeOf(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 200);
}
