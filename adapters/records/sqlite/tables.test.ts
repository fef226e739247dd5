import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { systemRuntime } from '../../../models/runtime.ts';
import { defineCollection } from '../../../models/collection.ts';
import type { Json } from '../../../models/json.ts';
import { systemScope } from '../../../models/scope.ts';
import { openSqliteRecords } from './records.ts';

interface Held {
  _id: string;
  value?: Json;
  within?: { value?: Json };
}

const held = defineCollection<Held>({
  name: 'held',
  owner: 'deployment',
  indexes: [
    { name: 'value', fields: ['value'] },
    { name: 'within', fields: ['within.value'] },
  ],
});

const folder = mkdtempSync(join(tmpdir(), 'ply-tables-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a change sets columns to the values of the document', async () => {
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  await records.prepare([held]);
  const collection = records.collection(held, systemScope);
  const database = new DatabaseSync(join(folder, 'records.db'), { readOnly: true });
  const columns = (id: string): unknown[] =>
    Object.values(
      database
        .prepare(
          `SELECT
      "value" IS json_extract(doc, '$.value') AND typeof("value") = typeof(json_extract(doc, '$.value')),
      "within.value" IS json_extract(doc, '$.within.value') AND typeof("within.value") = typeof(json_extract(doc, '$.within.value'))
    FROM held WHERE _id = ?`,
        )
        .get(id) ?? {},
    );
  const values = fc.oneof(
    fc.jsonValue() as fc.Arbitrary<Json>,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'binary' }),
    fc.boolean(),
    fc.constantFrom<Json>(
      '',
      '\0',
      'a\0b',
      '\ud800',
      'ä"\\\n',
      -0,
      1e21,
      2 ** 53,
      Number.MAX_SAFE_INTEGER,
      5.5,
      null,
      [],
      {},
    ),
  );
  let changes = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(values, fc.option(values, { nil: undefined })), { minLength: 1, maxLength: 4 }),
        async (wanted) => {
          const id = `d-${changes++}`;
          await collection.insert({ _id: id, within: {} });
          for (const [value, within] of wanted) {
            await collection.update(
              id,
              {},
              within === undefined
                ? { set: { value: value ?? null }, unset: ['within.value'] }
                : { set: { value: value ?? null, 'within.value': within ?? null } },
            );
            expect(columns(id)).toEqual([1, 1]);
          }
        },
      ),
      { numRuns: 60 },
    );
  } finally {
    database.close();
    await records.close();
  }
});
