import type { Collection, Records } from '../../adapters/records/port.ts';
import { firstSchema, knownSchema, schemaDocuments, type SchemaDocument } from '../../models/migrations.ts';
import { systemScope } from '../../models/scope.ts';
import { migrations, type Migration } from './steps.ts';

/** A later version has written the stores in a form that this version cannot read. */
export class NewerSchema extends Error {
  constructor(store: string, found: number, known: number) {
    super(
      `The ${store} are of schema ${found}, written by a later version of Ply; this version reads schema ${known} and earlier ones. ` +
        'Nothing was changed. Start that later version again, or restore a backup that was made before the upgrade into another folder or database.',
    );
    this.name = 'NewerSchema';
  }
}

/**
 * Marks the migrations that this program does not know as not done, because it may write documents of the earlier form.
 * The later version runs them again. The token is incremented, so that a process that is migrating now starts again
 * from this document.
 */
async function takeBack(
  documents: Collection<SchemaDocument>,
  read: SchemaDocument,
  steps: readonly Migration[],
): Promise<SchemaDocument> {
  for (let found: SchemaDocument | null = read; found !== null; found = await documents.get('schema')) {
    const done = found.done.filter((id) => steps.some((step) => step.id === id));
    if (done.length === found.done.length) return found;
    const written = await documents.update(
      'schema',
      { token: found.token },
      { set: { done, at: null, lease: null, token: found.token + 1 } },
    );
    if (written !== null) return written;
  }
  return read;
}

/**
 * Reads the schema document, or inserts it into stores without one. A start does this first, so that a program which
 * cannot read the stores changes nothing: no table, no index.
 * @param known the schema versions that this program reads
 * @param steps the migrations that this program knows
 * @throws NewerSchema if this program cannot read the stores
 */
export async function checkSchema(
  records: Records,
  known: number = knownSchema,
  steps: readonly Migration[] = migrations,
): Promise<SchemaDocument> {
  await records.prepare([schemaDocuments]);
  const documents = records.collection(schemaDocuments, systemScope);
  let found = await documents.get('schema');
  if (found === null) {
    // Of processes that start concurrently one inserts the document, and all read the same one.
    await documents.insertNew([firstSchema]);
    found = (await documents.get('schema')) ?? firstSchema;
  }
  if (found.records > known) throw new NewerSchema('records', found.records, known);
  if (found.passages > known) throw new NewerSchema('passages', found.passages, known);
  return takeBack(documents, found, steps);
}
