import type { Described } from './schema.ts';
import { object, optional, required, withDefault, type Infer } from './schema.ts';
import { analyticsChange, cacheChange, corsChange, deliveryChange, uploadRulesChange } from './bucket-settings.ts';
import { boolean, oneOf, text } from './values.ts';

/**
 * Names of buckets: 3 to 63 characters, `a-z 0-9 -`, first and last a letter or digit, the third and fourth not both
 * `-` (such labels belong to internationalized names: RFC 5891, 4.2.3.1).
 */
export const bucketNameForm = {
  source: '^[a-z0-9][a-z0-9-](?:[a-z0-9]|[a-z0-9][a-z0-9-]{0,59}[a-z0-9]|-[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?)$',
  expected:
    'a bucket name: 3 to 63 lower-case letters, digits and -, with a letter or digit at both ends and without -- in characters 3 and 4',
};

const visibility = oneOf('private', 'public');

/** Body of POST /buckets. */
export const newBucket = object({
  name: required(text(3, 63, bucketNameForm)),
  region: required(text(1, 100)),
  visibility: withDefault(visibility, 'private' as const),
  strictResidency: withDefault(boolean, false),
});

/** Body of PATCH /buckets/{bucketId}: fields that are left out stay as they are. */
export const bucketChange = object({
  visibility: optional(visibility),
  delivery: optional(deliveryChange),
  uploadRules: optional(uploadRulesChange),
  cache: optional(cacheChange),
  cors: optional(corsChange),
  analytics: optional(analyticsChange),
});

/** Query of GET /bucket-names. */
export const bucketNameQuery = { name: required(text(1, 100)) };

/** The fields of a new bucket. */
export type NewBucket = Infer<typeof newBucket>;
/** A change of a bucket's settings. */
export type BucketChange = Infer<typeof bucketChange>;
/** The change of one section. */
export type SectionChange<S extends keyof BucketChange> = NonNullable<BucketChange[S]>;
/** A value as a schema describes it. */
export type ValueOf<S extends Described<unknown>> = Infer<S>;
