import { DatabaseSync } from 'node:sqlite';
import { defineCollection, type StoredRecord } from '../../../models/collection.ts';
import { PointReads } from './point.ts';
import { boundLimit, columnsOf } from './sql.ts';

interface Note extends StoredRecord {
  organizationId: string;
  key: string;
  kind: string;
}
const notes = defineCollection<Note>({ name: 'notes', owner: 'organization', indexes: [{ name: 'key', fields: ['organizationId', 'key'], unique: true }, { name: 'kind', fields: ['kind'] }] });

describe('reads of single documents', () => {
  const reads = new PointReads(notes, columnsOf(notes));

  it('have a statement that is made once for each set of fields', () => {
    const text = 'SELECT doc FROM "notes" WHERE "organizationId" = ? AND "key" = ?';
    expect(reads.of({ filter: { organizationId: 'o', key: 'a' }, limit: 1 })).toEqual({ text, values: ['o', 'a'] });
    expect(reads.of({ filter: { organizationId: 'p', key: 'b' }, limit: 5 })).toEqual({ text, values: ['p', 'b'] });
  });

  it('are none where several may be found, or where something else is asked for', () => {
    expect(reads.of({ filter: { kind: 'x' }, limit: 1 })).toBeNull();
    expect(reads.of({ filter: { organizationId: 'o' }, limit: 1 })).toBeNull();
    expect(reads.of({ filter: { organizationId: 'o', key: { $in: ['a'] } }, limit: 1 })).toBeNull();
    expect(reads.of({ filter: { organizationId: 'o', key: null }, limit: 1 })).toBeNull();
    expect(reads.of({ filter: { organizationId: 'o', key: 'a' }, limit: 0 })).toBeNull();
    expect(reads.of({ filter: { organizationId: 'o', key: 'a' }, limit: 1, skip: 1 })).toBeNull();
  });
});

describe('a bound limit', () => {
  it('limits, whatever is bound', () => {
    const database = new DatabaseSync(':memory:');
    database.exec('CREATE TABLE numbers (number INTEGER); INSERT INTO numbers VALUES (1), (2), (3), (4)');
    const page = database.prepare(`SELECT number FROM numbers ORDER BY number LIMIT ${boundLimit} OFFSET ${boundLimit}`);
    expect(page.all(2, 1).map((row) => row['number'])).toEqual([2, 3]);
    expect(page.all(3, 0).map((row) => row['number'])).toEqual([1, 2, 3]);
    database.close();
  });
});
