import { call, type ActionCaller } from '../mixins/actions/call.ts';
import { operatorKeyId, type Caller } from '../models/api.ts';
import type { BucketView } from '../models/bucket.ts';
import { organizations } from '../models/organization.ts';
import { bucketChange, newBucket } from '../models/schemas/buckets.ts';
import { object, required, type Infer } from '../models/schemas/schema.ts';
import { uuid } from '../models/schemas/values.ts';
import { newLibrary } from '../models/schemas/videos.ts';
import { systemScope } from '../models/scope.ts';
import type { LibraryView } from '../models/video.ts';
import type { AccountsContext } from '../services/accounts/collections.ts';

/** What the operator's requests about buckets run on. */
export type BucketsContext = Pick<AccountsContext, 'records' | 'runtime'> & { actions: ActionCaller };

/** Input of `bucket.create`. */
export const operatorNewBucket = object({ organizationId: required(uuid), bucket: required(newBucket) });
/** Input of `library.create`. */
export const operatorNewLibrary = object({ organizationId: required(uuid), library: required(newLibrary) });
/** Input of `bucket.change`. */
export const operatorBucketChange = object({
  organizationId: required(uuid),
  bucketId: required(uuid),
  change: required(bucketChange),
});
/** Input of `bucket.remove`. */
export const operatorBucket = object({ organizationId: required(uuid), bucketId: required(uuid) });

/** Creates a bucket of an organization, as the operator of this machine. @throws Error, Refusal */
export async function createBucketAsOperator(
  app: BucketsContext,
  { organizationId, bucket }: Infer<typeof operatorNewBucket>,
): Promise<BucketView> {
  const caller = await operatorOf(app, organizationId);
  return call(app.actions, 'storage.createBucket', { caller, id: app.runtime.uuid(), bucket });
}

/** Creates a video library of an organization, as the operator of this machine. @throws Error, Refusal */
export async function createLibraryAsOperator(
  app: BucketsContext,
  { organizationId, library }: Infer<typeof operatorNewLibrary>,
): Promise<LibraryView> {
  const caller = await operatorOf(app, organizationId);
  return call(app.actions, 'storage.createLibrary', { caller, id: app.runtime.uuid(), library });
}

/** Changes settings of a bucket, as the operator of this machine. @throws Error, Refusal */
export async function changeBucketAsOperator(
  app: BucketsContext,
  { organizationId, bucketId, change }: Infer<typeof operatorBucketChange>,
): Promise<BucketView> {
  return call(app.actions, 'storage.changeBucket', {
    caller: await operatorOf(app, organizationId),
    bucketId,
    change,
  });
}

/** Deletes a bucket, as the operator of this machine. @throws Error, Refusal */
export async function removeBucketAsOperator(
  app: BucketsContext,
  { organizationId, bucketId }: Infer<typeof operatorBucket>,
): Promise<BucketView> {
  return call(app.actions, 'storage.removeBucket', { caller: await operatorOf(app, organizationId), bucketId });
}

/** The operator in the place of an organization's admin key; audit rows name the service. */
async function operatorOf({ records, runtime }: BucketsContext, organizationId: string): Promise<Caller> {
  const organization = await records.collection(organizations, systemScope).get(organizationId);
  if (organization === null) throw new Error(`there is no organization ${organizationId}`);
  return {
    accountId: organization.accountId,
    organizationId,
    keyId: operatorKeyId,
    keyPrefix: '',
    keyLabel: 'the operator',
    keyScope: 'admin',
    requestId: runtime.uuid(),
    ip: null,
  };
}
