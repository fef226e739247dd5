import type { Db } from 'mongodb';
import { keyedIndexes, keysField, keysOf } from '../../adapters/records/mongo/keys.ts';
import { collections } from '../../app/collections.ts';
import type { StoredRecord } from '../../models/collection.ts';
import type { Fixture } from './fixture.ts';

/** A document as the first version stored it in MongoDB. */
export type FirstDocument = StoredRecord & { [field: string]: unknown };

/** The first version's documents of a collection. */
export function documentsOf(fixture: Fixture, collection: string): FirstDocument[] {
  const table = fixture.databases['records.db']?.tables.find(({ name }) => name === collection);
  return (table?.rows ?? []).flatMap(([, text]) =>
    typeof text === 'string' ? [JSON.parse(text) as FirstDocument] : [],
  );
}

/** With its keys as text, as the first version's MongoDB adapter wrote them. */
export function asStored(collection: string, document: FirstDocument): FirstDocument {
  const definition = collections.find(({ name }) => name === collection);
  const keyed = definition === undefined ? [] : keyedIndexes(definition);
  return keyed.length === 0 ? document : { ...document, [keysField]: keysOf(keyed, document) };
}

/** Writes the records of a fixture into an empty MongoDB database. */
export async function writeToMongo(fixture: Fixture, db: Db): Promise<void> {
  for (const { name } of fixture.databases['records.db']?.tables ?? []) {
    const documents = documentsOf(fixture, name).map((document) => asStored(name, document));
    if (documents.length > 0) await db.collection<FirstDocument>(name).insertMany(documents);
  }
}
