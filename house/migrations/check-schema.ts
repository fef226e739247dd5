import type { Records } from '../../adapters/records/port.ts';
import { firstSchema, knownSchema, schemaDocuments, type SchemaDocument } from '../../models/migrations.ts';
import { systemScope } from '../../models/scope.ts';

/** The stores were written by a later version in a form that this one does not read. */
export class NewerSchema extends Error {
  constructor(store: string, found: number, known: number) {
    super(
      `The ${store} are of schema ${found}, written by a later version of Ply; this version reads schema ${known} and earlier ones. `
      + 'Nothing was changed. Start that later version again, or restore a backup that was made before the upgrade into another folder or database.',
    );
    this.name = 'NewerSchema';
  }
}

/**
 * Reads what the stores hold, in one read, and describes them where no version has done so yet.
 * @param known what this program reads; that of this version unless a test says otherwise
 * @throws NewerSchema where this program would misread them
 */
export async function checkSchema(records: Records, known: number = knownSchema): Promise<SchemaDocument> {
  const documents = records.collection(schemaDocuments, systemScope);
  let found = await documents.get('schema');
  if (found === null) {
    // Of several processes that start together one describes the stores, and all read the same.
    await documents.insertNew([firstSchema]);
    found = (await documents.get('schema')) ?? firstSchema;
  }
  if (found.records > known) throw new NewerSchema('records', found.records, known);
  if (found.passages > known) throw new NewerSchema('passages', found.passages, known);
  return found;
}
