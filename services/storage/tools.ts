import type { Objects } from '../../adapters/objects/port.ts';
import type { Collection } from '../../adapters/records/port.ts';
import type { ActionCaller } from '../../mixins/actions/call.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { Background } from '../../mixins/work/background.ts';
import { bucketWork } from '../../mixins/storage/bucket-work.ts';
import { drainOutbox } from '../../mixins/work/outbox.ts';
import type { Together } from '../../mixins/work/together.ts';
import { buckets, retiredNames, type Bucket, type BucketState } from '../../models/bucket.ts';
import { Refusal } from '../../models/errors.ts';
import type { Region } from '../../models/region.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import type { StoredObject } from '../../models/storage-object.ts';

/** The parts of the app that storage needs. */
export type StorageContext = Pick<
  AppContext,
  | 'records'
  | 'runtime'
  | 'configuration'
  | 'counters'
  | 'log'
  | 'metrics'
  | 'nodeId'
  | 'sealer'
  | 'listeners'
  | 'edgeChanges'
> & { objects: Objects };

/** What the functions of this actor share. */
export interface Storage {
  app: StorageContext;
  actions: ActionCaller;
  regions: readonly Region[];
  /** Where what follows from writes of the doors goes on, together; without it their requests wait for it. */
  later?: { background: Background; settling: Together<StoredObject> };
  /** Hints that runs of this organization wait for a stage. */
  wakeUp(organizationId: string, stages: readonly string[]): void;
}

/** Attempts of a conditional write before the caller is asked to try again. */
export const writeAttempts = 20;

/** The buckets of one organization. */
export function bucketsOf({ records }: Pick<StorageContext, 'records'>, organizationId: string): Collection<Bucket> {
  return records.collection(buckets, scopeOf(organizationId));
}

/** The buckets of all organizations, for background work. */
export function allBuckets({ records }: Pick<StorageContext, 'records'>): Collection<Bucket> {
  return records.collection(buckets, systemScope);
}

/** A bucket of the organization, in any state. @throws Refusal `bucket_not_found`, or the code of its absence */
export async function findBucket(
  app: Pick<StorageContext, 'records'>,
  organizationId: string,
  bucketId: string,
  absent: 'bucket_not_found' | 'library_not_found' = 'bucket_not_found',
): Promise<Bucket> {
  const bucket = await bucketsOf(app, organizationId).get(bucketId);
  if (bucket === null) throw new Refusal(absent);
  return bucket;
}

/**
 * The refusal of an operation that the bucket's state does not allow.
 * @param passing states from which the bucket comes by itself to one that allows it: it may be tried again
 */
export function notActive({ state }: Pick<Bucket, 'state'>, passing: readonly BucketState[] = ['creating']): Refusal {
  return new Refusal('bucket_not_active', {
    detail: `The bucket is ${state}.`,
    ...(passing.includes(state) ? { retryable: true, retryAfter: 1 } : {}),
  });
}

/** @throws Refusal `bucket_not_active` */
export function requireActive(bucket: Pick<Bucket, 'state'>): void {
  if (bucket.state !== 'active') throw notActive(bucket);
}

/** The refusal of a change after too many concurrent changes of the same document. */
export function tooBusy(): Refusal {
  return new Refusal('content_service_unavailable', {
    detail: 'It is being changed by too many at once; try again.',
    retryable: true,
    retryAfter: 1,
  });
}

/** Delivers what follows from a change that was just written; what fails is left to the sweeper. Returns the bucket. */
export async function settleBucket({ app }: Pick<Storage, 'app'>, written: Bucket): Promise<Bucket> {
  try {
    await drainOutbox(app, bucketWork(app), bucketsOf(app, written.organizationId), written);
  } catch (error) {
    app.log.warn({ err: error, bucketId: written._id }, 'the outbox of a bucket could not be delivered, will retry');
  }
  return written;
}

/** Base address of the upload host of a region, without a slash at its end. */
export function uploadUrlOf({ app, regions }: Pick<Storage, 'app' | 'regions'>, regionCode: string): string {
  const listening = app.listeners.url('upload');
  const configured = regions.find(({ code }) => code === regionCode)?.endpoints.upload;
  // The shipped regions are this machine, whose port may be known only since it listens.
  const url = app.configuration.PLY_REGIONS_FILE === null ? (listening ?? configured) : (configured ?? listening);
  if (url === undefined || url === null) throw new Error(`the region ${regionCode} has no upload host`);
  return url.replace(/\/+$/, '');
}

/** Whether a name is retired for this account. */
export async function isRetired({ app }: Storage, name: string, accountId: string): Promise<boolean> {
  const retired = await app.records.collection(retiredNames, systemScope).get(name);
  return retired !== null && retired.accountId !== accountId;
}
