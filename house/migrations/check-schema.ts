import type { Collection, Records } from '../../adapters/records/port.ts';
import { firstSchema, knownSchema, schemaDocuments, type SchemaDocument } from '../../models/migrations.ts';
import { systemScope } from '../../models/scope.ts';
import { migrations, type Migration } from './steps.ts';

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
 * Of a later version's migrations those that this program does not know are not done any more: it may write documents as they
 * were before. The later version, when it comes again or still serves beside this one, goes through them once more. The token
 * grows, so that a process which migrates just now starts from what is written here.
 */
async function takeBack(documents: Collection<SchemaDocument>, read: SchemaDocument, steps: readonly Migration[]): Promise<SchemaDocument> {
  for (let found: SchemaDocument | null = read; found !== null; found = await documents.get('schema')) {
    const done = found.done.filter((id) => steps.some((step) => step.id === id));
    if (done.length === found.done.length) return found;
    const written = await documents.update('schema', { token: found.token }, { set: { done, at: null, lease: null, token: found.token + 1 } });
    if (written !== null) return written;
  }
  return read;
}

/**
 * Reads what the stores hold, in one read, and describes them where no version has done so yet. It comes before anything
 * else is done with them, so that a program which does not know them changes nothing: no table, no index.
 * @param known what this program reads; that of this version unless a test says otherwise
 * @param steps the migrations that it knows
 * @throws NewerSchema where this program would misread them
 */
export async function checkSchema(records: Records, known: number = knownSchema, steps: readonly Migration[] = migrations): Promise<SchemaDocument> {
  await records.prepare([schemaDocuments]);
  const documents = records.collection(schemaDocuments, systemScope);
  let found = await documents.get('schema');
  if (found === null) {
    // Of several processes that start together one describes the stores, and all read the same.
    await documents.insertNew([firstSchema]);
    found = (await documents.get('schema')) ?? firstSchema;
  }
  if (found.records > known) throw new NewerSchema('records', found.records, known);
  if (found.passages > known) throw new NewerSchema('passages', found.passages, known);
  return takeBack(documents, found, steps);
}
