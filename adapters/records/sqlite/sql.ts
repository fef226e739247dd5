import type { CollectionDefinition, IndexDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Condition, Filter, Query } from '../port.ts';
import { checkedPath } from '../paths.ts';
import { ownerField } from '../scoping.ts';

/** A value that a statement takes: booleans travel as 1 and 0. */
export type Value = string | number | null;

/** A piece of SQL with a parameter (`?`) for each value. */
export interface Sql {
  text: string;
  values: Value[];
}

/**
 * A parameter for a limit or offset. SQLite looks at the value of a bare `?` when it plans, and therefore plans the
 * statement again each time a value is bound, which takes several times as long as a read of one document.
 */
export const boundLimit = '?+0';

/** Name of the SQL function contains(text, lower-case needle). */
export const containsFunction = 'ply_contains';

/** A name of a table, column or trigger as statements spell it. Names are checked where definitions are read. */
export function quoted(name: string): string {
  return `"${name}"`;
}

/** The table of a collection, quoted. */
export function tableName(definition: { name: string }): string {
  if (!/^[a-z][a-z0-9_]{0,60}$/.test(definition.name)) throw new Error(`${definition.name} is no collection name`);
  return quoted(definition.name);
}

/** Name of a collection's index in the file. */
export function indexName(definition: { name: string }, index: { name: string }): string {
  if (!/^[a-z][a-z0-9_]{0,60}$/.test(index.name)) throw new Error(`${index.name} is no index name`);
  return `${definition.name}.${index.name}`;
}

const columns = new WeakMap<object, ReadonlySet<string>>();

/**
 * The fields of a collection that its indexes hold. Each has a column of its own, named by its path, next to the
 * document: a change of the document then touches only those indexes whose fields it changes.
 */
export function columnsOf(
  definition: Pick<CollectionDefinition<StoredRecord>, 'indexes' | 'substrings'>,
): ReadonlySet<string> {
  const known = columns.get(definition);
  if (known !== undefined) return known;
  const { indexes, substrings = [] } = definition;
  const fields = [...indexes.flatMap((index) => index.fields), ...substrings];
  if (substrings.length > 0) fields.push(ownerField);
  const found = new Set(fields.filter((path) => path !== '_id').map(checkedPath));
  columns.set(definition, found);
  return found;
}

/** A field's value as its column holds it, read from the document that an expression names. */
export function extracted(path: string, document = 'doc'): string {
  return `json_extract(${document},'$.${checkedPath(path)}')`;
}

/**
 * The expression that reads a field: its column if it has one. Indexes and queries must spell it alike, or the index is
 * not used.
 */
export function fieldExpression(path: string, columns: ReadonlySet<string>): string {
  if (checkedPath(path) === '_id') return '_id';
  return columns.has(path) ? `"${path}"` : extracted(path);
}

/** The statement that creates an index. A sparse one leaves out documents without its last field. */
export function createIndex(definition: CollectionDefinition<StoredRecord>, index: IndexDefinition): string {
  const columns = columnsOf(definition);
  const expressions = index.fields.map((path) => fieldExpression(path, columns));
  const filter = index.sparse === true ? ` WHERE ${expressions.at(-1) ?? '_id'} IS NOT NULL` : '';
  return `CREATE ${index.unique === true ? 'UNIQUE ' : ''}INDEX "${indexName(definition, index)}" ON ${tableName(definition)} (${expressions.join(', ')})${filter}`;
}

/** The conditions of a filter, narrowed to an owner, joined by AND. `columns` are those of the collection. */
export function whereOf(filter: Filter, owner: string | null, columns: ReadonlySet<string>): Sql {
  const clauses: string[] = [];
  const values: Value[] = [];
  if (owner !== null) equal(ownerField, owner, columns, clauses, values);
  for (const [path, condition] of Object.entries(filter)) addCondition(path, condition, columns, clauses, values);
  return { text: clauses.length === 0 ? '1' : clauses.join(' AND '), values };
}

/** Where the rows of a query are, the condition that they match, and its values. */
export interface Rows {
  from: string;
  where: string;
  values: Value[];
}

/**
 * The rows of a collection that a filter matches.
 * @param candidates row ids that bound the search: the table is then reached by them alone. CROSS JOIN keeps the order
 *   of the tables: https://sqlite.org/optoverview.html#crossjoin
 */
export function rowsOf(
  definition: CollectionDefinition<StoredRecord>,
  filter: Filter,
  owner: string | null,
  candidates: Sql | null = null,
): Rows {
  const table = tableName(definition);
  const { text, values } = whereOf(filter, owner, columnsOf(definition));
  return candidates === null
    ? { from: table, where: text, values }
    : {
        from: `(${candidates.text}) CROSS JOIN ${table} ON ${table}.rowid = candidate`,
        where: text,
        values: [...candidates.values, ...values],
      };
}

/**
 * A query as one statement with one column, the document or `answer`. A page begins after the last document of the page
 * before: spelled so that the first sort field bounds the walk of the index.
 * @param rows where the rows are and which of them match: `rowsOf`
 */
export function selectOf(query: Query, rows: Rows, columns: ReadonlySet<string>, answer = 'doc'): Sql {
  const values = [...rows.values];
  const sort = query.sort ?? [];
  const clauses = [rows.where];
  if (query.after !== undefined) clauses.push(afterOf(sort, query.after, columns, values));
  const order =
    sort.length === 0
      ? ''
      : ` ORDER BY ${sort.map(([path, direction]) => `${fieldExpression(path, columns)} ${direction === 1 ? 'ASC' : 'DESC'}`).join(', ')}`;
  values.push(query.limit, query.skip ?? 0);
  return {
    text: `SELECT ${answer} FROM ${rows.from} WHERE ${clauses.join(' AND ')}${order} LIMIT ${boundLimit} OFFSET ${boundLimit}`,
    values,
  };
}

function afterOf(
  sort: NonNullable<Query['sort']>,
  after: readonly (string | number)[],
  columns: ReadonlySet<string>,
  values: Value[],
): string {
  const first = sort[0];
  if (first === undefined || after.length !== sort.length || sort.some(([, direction]) => direction !== first[1])) {
    throw new Error('a page after a document needs one value for each sort field, all of one direction');
  }
  const past = first[1] === 1 ? '>' : '<';
  values.push(after[0] ?? null);
  const alternatives = sort.map(([path], index) => {
    const ties = sort.slice(0, index).map(([tied]) => `${fieldExpression(tied, columns)} = ?`);
    values.push(...after.slice(0, index + 1));
    return `(${[...ties, `${fieldExpression(path, columns)} ${past} ?`].join(' AND ')})`;
  });
  return `${fieldExpression(first[0], columns)} ${past}= ? AND (${alternatives.join(' OR ')})`;
}

function addCondition(
  path: string,
  condition: Condition,
  columns: ReadonlySet<string>,
  clauses: string[],
  values: Value[],
): void {
  if (condition === null || typeof condition !== 'object') return equal(path, condition, columns, clauses, values);
  const field = fieldExpression(path, columns);
  const { $in, $ne, $gt, $gte, $lt, $lte, $exists, $contains, $has, $hasAny, ...unknown } = condition;
  // Ignoring an unknown condition would widen the result.
  const [unknownOperator] = Object.keys(unknown);
  if (unknownOperator !== undefined) throw new Error(`${unknownOperator} is no condition`);
  if ($in !== undefined) {
    const known = JSON.stringify($in.filter((value) => value !== null));
    clauses.push(
      $in.includes(null)
        ? `(${field} IN (SELECT value FROM json_each(?)) OR ${field} IS NULL)`
        : `${field} IN (SELECT value FROM json_each(?))`,
    );
    values.push(known);
  }
  if ($ne !== undefined) {
    clauses.push(`${field} IS NOT ?`);
    values.push(bound($ne));
  }
  for (const [operator, limit] of [
    ['>', $gt],
    ['>=', $gte],
    ['<', $lt],
    ['<=', $lte],
  ] as const) {
    if (limit === undefined) continue;
    // Numbers sort before texts: the second bound keeps a comparison within the kind of its operand, as MongoDB does.
    const guard =
      typeof limit === 'number'
        ? operator.startsWith('>')
          ? ` AND ${field} < ''`
          : ''
        : operator.startsWith('<')
          ? ` AND ${field} >= ''`
          : '';
    clauses.push(`${field} ${operator} ?${guard}`);
    values.push(limit);
  }
  // A range over everything but null walks an index, which IS NOT NULL alone would not.
  if ($exists !== undefined) clauses.push($exists ? `${field} >= -9e999` : `${field} IS NULL`);
  if ($contains !== undefined) {
    clauses.push(`${containsFunction}(${field}, ?)`);
    values.push($contains.toLowerCase());
  }
  if ($has !== undefined) {
    const match =
      typeof $has === 'boolean' ? 'type = ?' : "type NOT IN ('true', 'false', 'array', 'object') AND value IS ?";
    clauses.push(
      `(json_type(doc,'$.${checkedPath(path)}') = 'array' AND EXISTS (SELECT 1 FROM json_each(doc,'$.${path}') WHERE ${match}))`,
    );
    values.push(typeof $has === 'boolean' ? String($has) : $has);
  }
  if ($hasAny !== undefined) {
    // Booleans and null are matched by their type: as values they would be numbers, or equal to nothing.
    const match =
      "(type IN ('integer', 'real', 'text') AND value IN (SELECT value FROM json_each(?))) OR type IN (SELECT value FROM json_each(?))";
    clauses.push(
      `(json_type(doc,'$.${checkedPath(path)}') = 'array' AND EXISTS (SELECT 1 FROM json_each(doc,'$.${path}') WHERE ${match}))`,
    );
    const named = (value: unknown): boolean => value === null || typeof value === 'boolean';
    values.push(
      JSON.stringify($hasAny.filter((value) => !named(value))),
      JSON.stringify($hasAny.filter(named).map(String)),
    );
  }
}

function equal(
  path: string,
  value: string | number | boolean | null,
  columns: ReadonlySet<string>,
  clauses: string[],
  values: Value[],
): void {
  const field = fieldExpression(path, columns);
  if (value === null) {
    clauses.push(`${field} IS NULL`);
    return;
  }
  clauses.push(`${field} = ?`);
  values.push(bound(value));
  // json_extract returns 1 for true, so the type is compared as well.
  if (typeof value === 'boolean') clauses.push(`json_type(doc,'$.${path}') = '${String(value)}'`);
}

function bound(value: string | number | boolean | null): Value {
  return typeof value === 'boolean' ? Number(value) : value;
}
