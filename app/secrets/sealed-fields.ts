import type { Collection, Picked, Records } from '../../adapters/records/port.ts';
import type { Sealer, SealingKey } from '../../mixins/sealing.ts';
import { acmeAccounts, acmeKeyContext } from '../../models/acme.ts';
import { accessContext, assets } from '../../models/asset.ts';
import { buckets, signingKeyContext } from '../../models/bucket.ts';
import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';
import { connectors, credentialContext } from '../../models/connector.ts';
import { totpContext, users } from '../../models/dashboard.ts';
import { certificateKeyContext, domains } from '../../models/domain.ts';
import { idempotencyRecords, keptAnswerContext } from '../../models/idempotency.ts';
import { systemScope } from '../../models/scope.ts';
import { callbackSecretContext, settingsRows } from '../../models/settings.ts';
import { credentialSecretContext, storageCredentials } from '../../models/storage-credential.ts';
import { webhookSecretContext, webhooks } from '../../models/webhook.ts';

/** A field of the records that holds a sealed text. */
export interface SealedField {
  collection: CollectionDefinition<StoredRecord>;
  /** Its path. */
  field: string;
  /** The context that it is sealed for, by the document's id. */
  context(id: string): string;
  /** Its name in reports. */
  what: string;
  /** Whether each write of the document increments its `version`. */
  isVersioned: boolean;
}

/** Every sealed field of the records, which are all fields whose name begins with `sealed`, by their paths. */
export const sealedFields: readonly SealedField[] = [
  { collection: assets, field: 'sealedAccess', context: accessContext, what: 'addresses of files', isVersioned: true },
  {
    collection: settingsRows,
    field: 'sealedCallbackSecret',
    context: callbackSecretContext,
    what: 'callback secrets',
    isVersioned: false,
  },
  // A connector's version is that of its source: resealing its credential must not end a running sync.
  {
    collection: connectors,
    field: 'sealedCredential',
    context: credentialContext,
    what: 'credentials of connectors',
    isVersioned: false,
  },
  {
    collection: buckets,
    field: 'signing.sealedKey',
    context: signingKeyContext,
    what: 'signing keys of buckets',
    isVersioned: true,
  },
  {
    collection: domains,
    field: 'sealedCertificateKey',
    context: certificateKeyContext,
    what: 'keys of certificates',
    isVersioned: true,
  },
  ...['sealedSecret', 'sealedPreviousSecret'].map((field) => ({
    collection: webhooks,
    field,
    context: webhookSecretContext,
    what: 'secrets of webhooks',
    isVersioned: true,
  })),
  {
    collection: idempotencyRecords,
    field: 'sealedBody',
    context: keptAnswerContext,
    what: 'kept answers',
    isVersioned: false,
  },
  {
    collection: acmeAccounts,
    field: 'sealedKey',
    context: acmeKeyContext,
    what: 'keys of ACME accounts',
    isVersioned: false,
  },
  {
    collection: storageCredentials,
    field: 'sealedSecret',
    context: credentialSecretContext,
    what: 'secrets of storage credentials',
    isVersioned: true,
  },
  ...['sealedTotp', 'sealedNewTotp'].map((field) => ({
    collection: users,
    field,
    context: totpContext,
    what: 'second factors of users',
    isVersioned: false,
  })),
];

/** A sealed text with its field and document. */
export interface FoundSecret {
  field: SealedField;
  collection: Collection<StoredRecord>;
  id: string;
  sealed: string;
  /** The key that opens it; null if none does. */
  key: SealingKey | null;
}

/** Documents in a page: each read is short, so that requests can run in between. */
const pageSize = 500;

/**
 * Reads all documents of a collection in order of ids: the id of each, and its values at the paths. It does not filter:
 * no index has these fields, so filling a filtered page could read the whole collection.
 * @throws StoreUnavailable
 */
export async function* pickAll<T extends StoredRecord>(
  collection: Collection<T>,
  paths: readonly string[],
  limit: number = pageSize,
): AsyncGenerator<{ id: string; picked: Picked }> {
  let after: string | null = null;
  do {
    const page = await collection.pick(
      { filter: {}, sort: [['_id', 1]], limit, ...(after === null ? {} : { after: [after] }) },
      ['_id', ...paths],
    );
    for (const [id, ...picked] of page) if (typeof id === 'string') yield { id, picked };
    const last = page.length < limit ? null : page.at(-1)?.[0];
    after = typeof last === 'string' ? last : null;
  } while (after !== null);
}

/** Reads all sealed texts in order of ids. @throws StoreUnavailable */
export async function* walkSecrets(
  records: Records,
  sealer: Sealer,
  limit: number = pageSize,
): AsyncGenerator<FoundSecret> {
  for (const field of sealedFields) {
    const collection = records.collection(field.collection, systemScope);
    for await (const {
      id,
      picked: [sealed],
    } of pickAll(collection, [field.field], limit)) {
      if (typeof sealed === 'string')
        yield { field, collection, id, sealed, key: sealer.keyOf(sealed, field.context(id)) };
    }
  }
}
