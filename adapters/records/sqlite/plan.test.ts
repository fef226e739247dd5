import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { CollectionDefinition, IndexDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Condition, Query } from '../port.ts';
import { planOf, slowSteps } from './plan.ts';
import { columnsOf, createIndex, indexName, rowsOf, selectOf, tableName } from './sql.ts';
import { Statements } from './statements.ts';

const models = new URL('../../../models/', import.meta.url);
const definitions: CollectionDefinition<StoredRecord>[] = [];
for (const file of readdirSync(models).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
  const module: { [name: string]: unknown } = await import(new URL(file, models).href);
  definitions.push(...Object.values(module).filter(isDefinition));
}

function isDefinition(value: unknown): value is CollectionDefinition<StoredRecord> {
  return typeof value === 'object' && value !== null && 'indexes' in value && 'owner' in value && 'name' in value;
}

const database = new DatabaseSync(':memory:');
const statements = new Statements(database);
for (const definition of definitions) {
  database.exec(
    `CREATE TABLE ${tableName(definition)} (_id TEXT PRIMARY KEY NOT NULL${[...columnsOf(definition)].map((path) => `, "${path}"`).join('')}, doc TEXT NOT NULL)`,
  );
  for (const index of definition.indexes) database.exec(createIndex(definition, index));
}
afterAll(() => database.close());

function plan(definition: CollectionDefinition<StoredRecord>, query: Query): string {
  const { text, values } = selectOf(query, rowsOf(definition, query.filter, null), columnsOf(definition));
  return planOf(statements, text, values).join('; ');
}

/** Indexes that begin with the same fields serve a query alike. */
function equals(definition: CollectionDefinition<StoredRecord>, index: IndexDefinition): string[] {
  return definition.indexes
    .filter(({ fields }) => index.fields.every((path, position) => fields[position] === path))
    .map((each) => indexName(definition, each));
}

describe.each(
  definitions.flatMap((definition) =>
    definition.indexes.map((index) => ({ definition, index, name: indexName(definition, index) })),
  ),
)('index $name', ({ definition, index }) => {
  // A sparse index serves queries that fix its last field, for only those are sure not to want what it leaves out.
  const shortest = index.sparse === true ? index.fields.length : 1;
  // A query that fixes the id is served by that alone.
  const prefixes = index.fields
    .map((_, position) => position + 1)
    .filter(
      (length) =>
        length >= shortest && (length < 2 || !index.fields.slice(0, length).includes('_id') || index.sparse === true),
    );

  it.each(prefixes)('serves a query that fixes its first %i fields and sorts by the rest', (length) => {
    const filter = Object.fromEntries(index.fields.slice(0, length).map((path): [string, Condition] => [path, 'x']));
    for (const direction of [1, -1] as const) {
      const rest = index.fields.slice(length);
      const found = plan(definition, { filter, sort: rest.map((path) => [path, direction] as const), limit: 20 });
      expect(slowSteps(found.split('; '))).toEqual([]);
      if (rest.length > 0 || length === index.fields.length) expect(found).toMatch(/USING (?:COVERING )?INDEX /);
      if (rest.length > 0)
        expect(
          equals(definition, index).some((name) => found.includes(`INDEX ${name} `) || found.endsWith(`INDEX ${name}`)),
        ).toBe(true);
      if (rest.length > 0) {
        const paged = plan(definition, {
          filter,
          sort: rest.map((path) => [path, direction] as const),
          limit: 20,
          after: rest.map(() => 'x'),
        });
        expect(slowSteps(paged.split('; '))).toEqual([]);
        expect(paged).toMatch(direction === 1 ? />\?\)/ : /<\?\)/);
      }
    }
  });

  it('serves a range over its last field, in order', () => {
    const last = index.fields.at(-1) ?? '';
    const fixed = index.fields.slice(0, -1).map((path): [string, Condition] => [path, 'x']);
    for (const range of [{ $lte: 5 }, { $gt: 'x' }, { $exists: true }] satisfies Condition[]) {
      const found = plan(definition, {
        filter: Object.fromEntries([...fixed, [last, range]]),
        sort: [[last, 1]],
        limit: 20,
      });
      expect(slowSteps(found.split('; '))).toEqual([]);
    }
  });
});

describe('slow steps', () => {
  it('are scans and sorts, but not lists of values', () => {
    const definition: CollectionDefinition<StoredRecord> = {
      name: 'plain',
      owner: 'deployment',
      indexes: [{ name: 'a', fields: ['a', 'b'] }],
    };
    database.exec('CREATE TABLE "plain" (_id TEXT PRIMARY KEY NOT NULL, a, b, doc TEXT NOT NULL)');
    for (const index of definition.indexes) database.exec(createIndex(definition, index));
    const slow = (query: Query): number => slowSteps(plan(definition, query).split('; ')).length;
    expect(slow({ filter: { c: 1 }, limit: 1 })).toBe(1);
    expect(slow({ filter: { a: 1 }, sort: [['c', 1]], limit: 1 })).toBe(1);
    expect(slow({ filter: { a: { $in: [1, 2] } }, limit: 1 })).toBe(0);
    expect(slow({ filter: { _id: { $in: ['x'] } }, limit: 1 })).toBe(0);
  });
});
