import type { Collection, Picked, Records } from '../../adapters/records/port.ts';
import type { Sealer, SealingKey } from '../../mixins/sealing.ts';
import { accessPlace } from '../../mixins/sources/place.ts';
import { assets } from '../../models/asset.ts';
import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';
import { connectors, credentialPlace } from '../../models/connector.ts';
import { systemScope } from '../../models/scope.ts';
import { callbackSecretPlace, settingsRows } from '../../models/settings.ts';

/** A field of the records that holds a sealed text. */
export interface SealedField {
  collection: CollectionDefinition<StoredRecord>;
  field: string;
  /** The place that it is sealed for, by the document's id. */
  place(id: string): string;
  /** What it is, for people. */
  what: string;
  /** Whether each write of the document raises its `version`. */
  isVersioned: boolean;
}

/** Every sealed field of the records: a field whose name begins with `sealed` stands here. */
export const sealedFields: readonly SealedField[] = [
  { collection: assets, field: 'sealedAccess', place: accessPlace, what: 'addresses of files', isVersioned: true },
  { collection: settingsRows, field: 'sealedCallbackSecret', place: callbackSecretPlace, what: 'callback secrets', isVersioned: false },
  // A connector's version is about what is read: a running sync goes on while its credential is sealed anew.
  { collection: connectors, field: 'sealedCredential', place: credentialPlace, what: 'credentials of connectors', isVersioned: false },
];

/** A sealed text where it was found. */
export interface FoundSecret {
  field: SealedField;
  collection: Collection<StoredRecord>;
  id: string;
  sealed: string;
  /** The key that opens it; null where none does. */
  key: SealingKey | null;
}

/** Documents that are looked at at a time: each read is short, so requests go in between. */
const pageSize = 500;

/**
 * Walks over all documents of a collection, in the order of their ids: the id of each, and what it has under the paths.
 * Without a condition: no index holds these fields, and a page that has to find so many may read everything.
 * @throws StoreUnavailable
 */
export async function* pickAll<T extends StoredRecord>(collection: Collection<T>, paths: readonly string[], limit: number = pageSize): AsyncGenerator<{ id: string; picked: Picked }> {
  let after: string | null = null;
  do {
    const page = await collection.pick({ filter: {}, sort: [['_id', 1]], limit, ...(after === null ? {} : { after: [after] }) }, ['_id', ...paths]);
    for (const [id, ...picked] of page) if (typeof id === 'string') yield { id, picked };
    const last = page.length < limit ? null : page.at(-1)?.[0];
    after = typeof last === 'string' ? last : null;
  } while (after !== null);
}

/** Walks over all sealed texts, in the order of the ids. @throws StoreUnavailable */
export async function* walkSecrets(records: Records, sealer: Sealer, limit: number = pageSize): AsyncGenerator<FoundSecret> {
  for (const field of sealedFields) {
    const collection = records.collection(field.collection, systemScope, 'patient');
    for await (const { id, picked: [sealed] } of pickAll(collection, [field.field], limit)) {
      if (typeof sealed === 'string') yield { field, collection, id, sealed, key: sealer.keyOf(sealed, field.place(id)) };
    }
  }
}
