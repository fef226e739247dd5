import { invalid } from '../errors.ts';
import { credentialKinds, storagePermissions } from '../storage-credential.ts';
import { list, nullable, object, required, withDefault, type Infer } from './schema.ts';
import { dateTime, mapped, oneOf, text, uuid } from './values.ts';

const permissions = list(oneOf(...storagePermissions), 100, 1);
const bucketIds = nullable(list(uuid, 100));

/** Entries once each, in the order in which they were sent. */
function once<T>(entries: T[]): T[] {
  return [...new Set(entries)];
}

/** Body of POST /storage-credentials. Whether the buckets are there, and the time to come, is checked where it is made. */
export const newCredential = object(
  {
    name: required(text(1, 100)),
    kind: required(oneOf(...credentialKinds)),
    permissions: required(mapped(permissions, once)),
    bucketIds: withDefault(
      mapped(bucketIds, (ids) => (ids === null ? null : once(ids))),
      null,
    ),
    expiresAt: withDefault(nullable(dateTime), null),
  },
  [
    {
      after: 'bucketIds',
      check: ({ permissions: given, bucketIds: ids }) => {
        if (given.includes('manage') && ids !== null)
          throw invalid(['bucketIds'], 'must be null with the permission manage, which is for every bucket');
      },
      json: {
        if: { properties: { permissions: { contains: { const: 'manage' } } } },
        then: { properties: { bucketIds: { type: 'null' } } },
      },
    },
  ],
);

/** The fields of a new credential. */
export type NewCredential = Infer<typeof newCredential>;
