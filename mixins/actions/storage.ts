import type { AuditLogView } from '../../models/audit-log.ts';
import type { BucketNameView, BucketView, RegionView } from '../../models/bucket.ts';
import { bucketChange, bucketNameQuery, newBucket } from '../../models/schemas/buckets.ts';
import { objectTags } from '../../models/schemas/doors.ts';
import { newUpload, objectChange, objectMetadata, objectsQuery } from '../../models/schemas/objects.ts';
import { auditLogQuery } from '../../models/schemas/delivery-analytics.ts';
import { anyText, caller } from '../../models/schemas/internal.ts';
import { required } from '../../models/schemas/schema.ts';
import { uuid } from '../../models/schemas/values.ts';
import type { CompletedView, ObjectView } from '../../models/storage-object.ts';
import type { FreshUploadView, UploadView } from '../../models/upload.ts';
import { action, type } from './action.ts';
import { doorActions } from './doors.ts';
import { linkActions } from './links.ts';
import { domainActions } from './domains.ts';
import { purgeActions } from './purges.ts';
import { storageAccountActions } from './storage-account.ts';
import { storageCredentialActions } from './storage-credentials.ts';
import { takedownActions } from './takedown.ts';
import { videoActions } from './videos.ts';

const ofObject = { caller: required(caller), objectId: required(uuid) };
const ofUpload = { caller: required(caller), uploadId: required(uuid) };
const ofBucket = { caller: required(caller), bucketId: required(uuid) };

/** Actions of the storage actor: regions, buckets, objects and uploads. */
export const storageActions = {
  ...linkActions,
  ...purgeActions,
  ...takedownActions,
  ...storageAccountActions,
  ...videoActions,
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
  changeContainerMetadata: action({
    params: { ...ofBucket, metadata: required(objectMetadata) },
    result: type<BucketView>(),
    repeatable: true,
  }),
  changeBucketTags: action({
    params: { ...ofBucket, tags: required(objectTags) },
    result: type<void>(),
    repeatable: true,
  }),
  removeBucket: action({ params: ofBucket, result: type<BucketView>(), repeatable: true }),
  restoreBucket: action({ params: ofBucket, result: type<BucketView>(), repeatable: true }),
  retryBucket: action({ params: ofBucket, result: type<BucketView>(), repeatable: true }),
  listAuditLog: action({
    params: { caller: required(caller), ...auditLogQuery },
    result: type<AuditLogView>(),
    repeatable: true,
  }),
  checkBucketName: action({
    params: { caller: required(caller), ...bucketNameQuery },
    result: type<BucketNameView>(),
    repeatable: true,
  }),
  listObjects: action({
    params: { ...ofBucket, ...objectsQuery },
    result: type<{ items: ObjectView[]; nextCursor: string | null }>(),
    repeatable: true,
  }),
  readObject: action({ params: ofObject, result: type<ObjectView>(), repeatable: true }),
  changeObject: action({
    params: { ...ofObject, change: required(objectChange) },
    result: type<ObjectView>(),
    repeatable: true,
  }),
  // Run twice, the second would find nothing.
  removeObject: action({ params: ofObject, result: type<null>(), repeatable: false }),
  // Each run starts an upload of its own.
  startUpload: action({
    params: { ...ofBucket, upload: required(newUpload) },
    result: type<FreshUploadView>(),
    repeatable: false,
  }),
  readUpload: action({ params: ofUpload, result: type<UploadView>(), repeatable: true }),
  abortUpload: action({ params: ofUpload, result: type<UploadView>(), repeatable: true }),
  renewUpload: action({ params: ofUpload, result: type<FreshUploadView>(), repeatable: true }),
  completeUpload: action({ params: ofUpload, result: type<CompletedView>(), repeatable: true }),
  ...domainActions,
  ...storageCredentialActions,
  ...doorActions,
};
