import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Change, Collection, Filter, Haste, Picked, Query } from '../port.ts';
import { checkChange } from '../change.ts';
import { checkDocument, ownerField } from '../scoping.ts';
import type { Channel } from './channel.ts';
import { findsOne, isDirect } from './direct.ts';
import type { Freshness } from './freshness.ts';
import type { ReadRequest, WriteRequest } from './messages.ts';
import { unsure, type ParsedDocuments } from './parsed.ts';
import { PointReads } from './point.ts';
import { columnsOf, fieldExpression, selectOf, tableName, whereOf, type Value } from './sql.ts';
import type { Statements } from './statements.ts';

/** The three ways to the file: point reads at once on this thread, other reads and all writes in workers. */
export interface Connections {
  points: Statements;
  /** The same for statements that find one document, with rows as lists. */
  single: Statements;
  /** Documents that were read by their ids, parsed. */
  parsed: ParsedDocuments;
  /** Which of them need not be read again. */
  freshness: Freshness;
  reader: Channel<ReadRequest>;
  writer: Channel<WriteRequest>;
  /** Throws when the store is closed. */
  check(): void;
  /** Sees each statement that chooses rows by a filter, before it is run. */
  watch(sql: string, values: readonly Value[]): void;
}

const inOneRead = 500;

type WriterAnswer = Awaited<ReturnType<Channel<WriteRequest>['send']>>;

/** A collection of the SQLite file, narrowed to an owner unless that is null. */
export function sqliteCollection<T extends StoredRecord>(definition: CollectionDefinition<T>, owner: string | null, haste: Haste, connections: Connections): Collection<T> {
  const { points, single, parsed, freshness, reader, writer } = connections;
  const { name } = definition;
  const table = tableName(definition);
  const columns = columnsOf(definition);
  const pointReads = new PointReads(definition, columns);
  const byId = `SELECT doc FROM ${table} WHERE _id = ?`;
  const byIds = `SELECT _id, doc FROM ${table} WHERE _id IN (SELECT value FROM json_each(?))`;
  const guarded = owner === null ? null : ownerField;

  const parse = (text: unknown): T => JSON.parse(String(text)) as T;
  const mine = (document: object): boolean => owner === null || Reflect.get(document, ownerField) === owner;
  const keyOf = (id: string): string => `${name}/${id}`;
  const write = async (request: WriteRequest, size: number): Promise<WriterAnswer> => {
    freshness.written(name);
    try {
      return await writer.send(name, request, size, haste);
    } finally {
      freshness.written(name);
    }
  };
  /** Sends a change of one document. What it says then, where that is certain, is to be learnt in `learn`: at once, before anything else is sent. */
  const changeOne = async <A>(key: string, request: WriteRequest, size: number, learn: (answer: WriterAnswer, version: number) => A): Promise<A> => {
    const sent = freshness.sent(name, key);
    let answer: WriterAnswer;
    try {
      answer = await write(request, size);
    } catch (error) {
      freshness.done(name, sent);
      throw error;
    }
    return learn(answer, freshness.done(name, sent) ? freshness.ofDocument(name, key) : unsure);
  };
  /** The document that a statement finds, which finds one at most and answers its text alone: the caller's own, but for what lies within it. */
  const one = (sql: string, values: readonly Value[], key: string, version: number): T | null => {
    const document = parsed.unchanged(key, version) ?? read(sql, values, key, version);
    return document !== null && mine(document) ? ({ ...document } as T) : null;
  };
  const read = (sql: string, values: readonly Value[], key: string, version: number): object | null => {
    const row = single.of(sql).get(...values);
    // Lists have their columns under '0' and so on.
    return row === undefined ? null : parsed.parse(key, String(row['0']), version);
  };
  const sizeOf = (values: readonly unknown[]): number => values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 200);

  return {
    async insert(document) {
      checkDocument(definition, owner, document);
      const doc = JSON.stringify(document);
      await write({ kind: 'insert', table, id: document._id, doc }, doc.length);
    },

    async insertNew(documents) {
      if (documents.length === 0) return [];
      for (const document of documents) checkDocument(definition, owner, document);
      const docs = documents.map((document) => JSON.stringify(document));
      const inserted = await write({ kind: 'insertNew', table, ids: documents.map(({ _id }) => _id), docs }, sizeOf(docs));
      return Array.isArray(inserted) ? inserted : [];
    },

    async get(id) {
      connections.check();
      const key = keyOf(id);
      return one(byId, [id], key, freshness.ofDocument(name, key));
    },

    async getMany(ids) {
      connections.check();
      // A search reads hundreds: they are shared as they are remembered.
      const documents = ids.map((id): object | undefined => {
        const key = keyOf(id);
        return parsed.unchanged(key, freshness.ofDocument(name, key));
      });
      const unread = ids.filter((_, place) => documents[place] === undefined);
      const read = new Map<string, object>();
      for (let start = 0; start < unread.length; start += inOneRead) {
        for (const row of points.of(byIds).all(JSON.stringify(unread.slice(start, start + inOneRead)))) {
          const id = String(row['_id']);
          const key = keyOf(id);
          read.set(id, parsed.parse(key, String(row['doc']), freshness.ofDocument(name, key)));
        }
      }
      return ids.map((id, place) => documents[place] ?? read.get(id)).filter((document) => document !== undefined && mine(document)) as Readonly<T>[];
    },

    async find(query: Query) {
      connections.check();
      const point = pointReads.of(query);
      if (point !== null) {
        connections.watch(point.text, point.values);
        const document = one(point.text, point.values, `${name} ${point.values.join(' ')}`, freshness.ofCollection(name));
        return document === null ? [] : [document];
      }
      const findsOneAtMost = findsOne(definition, query);
      const { text, values } = selectOf(definition, query, findsOneAtMost ? null : owner, columns);
      connections.watch(text, values);
      if (findsOneAtMost) return points.of(text).all(...values).map((row) => parse(row['doc'])).filter(mine);
      if (isDirect(definition, query, owner)) {
        return points.of(text).all(...values).map((row) => parse(row['doc']));
      }
      const rows = await reader.send(name, { sql: text, values }, sizeOf(values));
      return Array.isArray(rows) ? rows.map(parse) : [];
    },

    async pick(query: Query, paths: readonly string[]) {
      connections.check();
      const { text, values } = selectOf(definition, query, owner, columns, `json_array(${paths.map((path) => fieldExpression(path, columns)).join(', ')})`);
      connections.watch(text, values);
      if (isDirect(definition, query, owner)) return points.of(text).all(...values).map((row) => JSON.parse(String(row['doc'])) as Picked);
      const rows = await reader.send(name, { sql: text, values }, sizeOf(values));
      return Array.isArray(rows) ? rows.map((row) => JSON.parse(row) as Picked) : [];
    },

    async count(filter: Filter) {
      connections.check();
      const { text, values } = whereOf(filter, owner, columns);
      const sql = `SELECT count(*) FROM ${table} WHERE ${text}`;
      connections.watch(sql, values);
      const rows = await reader.send(name, { sql, values }, sizeOf(values));
      return Array.isArray(rows) ? Number(rows[0]) : 0;
    },

    async update(id: string, filter: Filter, change: Change) {
      checkChange(change, guarded);
      const { text, values } = whereOf(filter, owner, columns);
      const json = JSON.stringify(change);
      const key = keyOf(id);
      return changeOne(key, { kind: 'update', table, id, where: text, values, change: json }, json.length + sizeOf(values), (answer, version) =>
        (typeof answer === 'string' ? ({ ...parsed.changed(key, answer, version) } as T) : null));
    },

    async put(document) {
      checkDocument(definition, owner, document);
      const doc = JSON.stringify(document);
      const key = keyOf(document._id);
      await changeOne(key, { kind: 'put', table, id: document._id, doc, owner }, doc.length, (_answer, version) => {
        if (version !== unsure) parsed.learn(key, doc, version);
      });
    },

    async remove(id: string, filter: Filter = {}) {
      const { text, values } = whereOf(filter, owner, columns);
      return changeOne(keyOf(id), { kind: 'remove', table, id, where: text, values }, sizeOf(values), (answer) => answer === true);
    },

    async removeMany(filter: Filter, limit: number) {
      const { text, values } = whereOf(filter, owner, columns);
      connections.watch(`SELECT rowid FROM ${table} WHERE ${text}`, values);
      freshness.removed(name);
      try {
        return Number(await write({ kind: 'removeMany', table, where: text, values, limit }, sizeOf(values)));
      } finally {
        freshness.removed(name);
      }
    },
  };
}
