import type { BucketNameView, BucketView, RegionView } from '../../models/bucket.ts';
import { bucketChange, bucketNameQuery, newBucket } from '../../models/schemas/buckets.ts';
import { anyText, caller } from '../../models/schemas/internal.ts';
import { required } from '../../models/schemas/schema.ts';
import { uuid } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';
import { linkActions } from './links.ts';

const ofBucket = { caller: required(caller), bucketId: required(uuid) };

/** Actions of the storage actor: regions, buckets, objects and uploads. */
export const storageActions = {
  ...linkActions,
  listRegions: action({ params: {}, result: type<{ items: RegionView[] }>(), repeatable: true }),
  createBucket: action({
    params: { caller: required(caller), id: required(anyText), bucket: required(newBucket) },
    result: type<BucketView>(),
    repeatable: true,
  }),
  listBuckets: action({
    params: { caller: required(caller) },
    result: type<{ items: BucketView[] }>(),
    repeatable: true,
  }),
  readBucket: action({ params: ofBucket, result: type<BucketView>(), repeatable: true }),
  changeBucket: action({
    params: { ...ofBucket, change: required(bucketChange) },
    result: type<BucketView>(),
    repeatable: true,
  }),
  removeBucket: action({ params: ofBucket, result: type<BucketView>(), repeatable: true }),
  restoreBucket: action({ params: ofBucket, result: type<BucketView>(), repeatable: true }),
  retryBucket: action({ params: ofBucket, result: type<BucketView>(), repeatable: true }),
  checkBucketName: action({
    params: { caller: required(caller), ...bucketNameQuery },
    result: type<BucketNameView>(),
    repeatable: true,
  }),
};
