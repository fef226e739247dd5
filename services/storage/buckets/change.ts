import { isDeepStrictEqual } from 'node:util';
import type { Change, Filter } from '../../../adapters/records/port.ts';
import type { Caller } from '../../../models/api.ts';
import type { AuditLogAction, AuditLogRow } from '../../../models/audit-log.ts';
import type { Bucket, BucketEntry, BucketView } from '../../../models/bucket.ts';
import { invalid, Refusal } from '../../../models/errors.ts';
import type { BucketChange } from '../../../models/schemas/buckets.ts';
import type { ObjectMetadata, ObjectTags } from '../../../models/storage-object.ts';
import { edgeEntry } from '../../../mixins/storage/bucket-work.ts';
import { changedBucket } from '../settings/change.ts';
import { defaultSettings } from '../settings/defaults.ts';
import { auditRow, type Actor } from '../../../mixins/storage/audit.ts';
import {
  bucketsOf,
  findBucket,
  notActive,
  requireActive,
  settleBucket,
  tooBusy,
  writeAttempts,
  type Storage,
} from '../tools.ts';
import { viewOf } from './read.ts';
import { newRun } from './run.ts';

/** How long a deleted bucket can be restored, in milliseconds. */
const restoreWindowMs = 7 * 24 * 3_600_000;

/** A write of a bucket, with the audit row that says so. */
interface AuditedChange {
  set: NonNullable<Change['set']>;
  action: AuditLogAction;
  detail?: AuditLogRow['detail'];
  filter?: Filter;
}

/**
 * Writes a change of a bucket with its audit row, conditional on what was read, and delivers the row.
 * @param decide the change for the bucket as it is now; null if nothing is to be changed. @throws Refusal
 */
export async function writeBucket(
  storage: Storage,
  actor: Actor,
  organizationId: string,
  bucketId: string,
  decide: (bucket: Bucket) => AuditedChange | null,
): Promise<Bucket> {
  const { app } = storage;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const bucket = await findBucket(app, organizationId, bucketId);
    const decided = decide(bucket);
    if (decided === null) return bucket;
    const { set, action, detail = {}, filter = {} } = decided;
    const row = auditRow(app, organizationId, actor, action, { kind: 'bucket', id: bucketId }, detail);
    const written = await bucketsOf(app, organizationId).update(
      bucketId,
      { version: bucket.version, ...filter },
      {
        set: { ...set, updatedAt: Math.max(app.runtime.now(), bucket.updatedAt), outboxDue: app.records.time() },
        increment: { version: 1 },
        push: { outbox: [{ id: row._id, kind: 'audit', notBefore: 0, row }, ...edgeEntries(app, bucket, set)] },
      },
    );
    if (written !== null) return settleBucket(storage, written);
  }
  throw tooBusy();
}

/** What edges must know of a change: one that raises the version of the settings. */
function edgeEntries({ runtime }: Storage['app'], bucket: Bucket, set: AuditedChange['set']): BucketEntry[] {
  const { settingsVersion } = set;
  return typeof settingsVersion === 'number' ? [edgeEntry(runtime, { ...bucket, settingsVersion })] : [];
}

/**
 * Changes settings of an active bucket, suspended or not. A change that changes nothing writes nothing.
 * @throws Refusal `validation_error`, `bucket_not_found`, `bucket_not_active`
 */
export async function changeBucket(
  storage: Storage,
  caller: Caller,
  bucketId: string,
  change: BucketChange,
): Promise<BucketView> {
  const { runtime } = storage.app;
  // What is wrong in itself is refused before the bucket is looked for.
  changedBucket({ visibility: 'private', settings: defaultSettings(), linkScheme: 'ps2' }, change, runtime.now());
  const written = await writeBucket(storage, caller, caller.organizationId, bucketId, (bucket) => {
    requireActive(bucket);
    if (bucket.kind === 'video') requireLibraryChange(change);
    const { visibility, settings, fields } = changedBucket(bucket, change, runtime.now());
    if (fields.length === 0) return null;
    return {
      action: 'bucket.updated',
      detail: { fields },
      set: {
        visibility,
        settings,
        settingsVersion: bucket.settingsVersion + 1,
        everPublic: bucket.everPublic || visibility === 'public',
      },
    };
  });
  return viewOf(storage, written);
}

/**
 * Replaces what Blob clients keep with a bucket as their container. Writing what is there writes nothing.
 * @throws Refusal `bucket_not_found`, `bucket_not_active`
 */
export async function changeContainerMetadata(
  storage: Storage,
  caller: Caller,
  bucketId: string,
  metadata: ObjectMetadata,
): Promise<BucketView> {
  const written = await writeBucket(storage, caller, caller.organizationId, bucketId, (bucket) => {
    requireActive(bucket);
    if (isDeepStrictEqual(bucket.containerMetadata ?? {}, metadata)) return null;
    return {
      action: 'bucket.updated',
      detail: { fields: ['containerMetadata'] },
      set: { containerMetadata: { ...metadata } },
    };
  });
  return viewOf(storage, written);
}

/** Replaces the tags of an active bucket, which S3 clients alone see. @throws Refusal `bucket_not_found`, `bucket_not_active` */
export async function changeBucketTags(
  storage: Storage,
  caller: Caller,
  bucketId: string,
  tags: ObjectTags,
): Promise<void> {
  await writeBucket(storage, caller, caller.organizationId, bucketId, (bucket) => {
    requireActive(bucket);
    if (isDeepStrictEqual(bucket.tags ?? [], tags)) return null;
    return { action: 'bucket.updated', detail: { fields: ['tags'] }, set: { tags } };
  });
}

/** What a library is cannot be changed: private, for videos only, never overwritten. @throws Refusal `validation_error` */
function requireLibraryChange({ visibility, uploadRules = {} }: BucketChange): void {
  if (visibility !== undefined) throw invalid(['body', 'visibility'], 'A video library is always private.');
  for (const name of ['allowedTypes', 'allowOverwrite'] as const)
    if (uploadRules[name] !== undefined)
      throw invalid(['body', 'uploadRules', name], `${name} of a video library cannot be changed.`);
}

/**
 * Deletes a bucket: it is out of service at once, and can be restored for seven days. Repeating it changes nothing.
 * @throws Refusal `bucket_not_found`
 */
export async function removeBucket(storage: Storage, caller: Caller, bucketId: string): Promise<BucketView> {
  const { app } = storage;
  const written = await writeBucket(storage, caller, caller.organizationId, bucketId, (bucket) => {
    if (bucket.state === 'deleting' || bucket.state === 'deleted') return null;
    const now = app.runtime.now();
    return {
      action: 'bucket.deleted',
      set: {
        state: 'deleting',
        deletedAt: now,
        purgeAfter: now + restoreWindowMs,
        settingsVersion: bucket.settingsVersion + 1,
        run: newRun(app, 'retiring'),
      },
    };
  });
  storage.wakeUp(caller.organizationId, ['retiring']);
  return viewOf(storage, written);
}

/**
 * Brings a deleted bucket back within its window; an active one is answered as it is. One that never became active is
 * made anew.
 * @throws Refusal `bucket_not_found`, `restore_window_passed`, `bucket_not_active`
 */
export async function restoreBucket(storage: Storage, caller: Caller, bucketId: string): Promise<BucketView> {
  const { app } = storage;
  const written = await writeBucket(storage, caller, caller.organizationId, bucketId, (bucket) => {
    if (bucket.state === 'active') return null;
    if (bucket.state !== 'deleted') throw notActive(bucket, ['creating', 'deleting']);
    if (bucket.purgedAt !== undefined || (bucket.purgeAfter ?? 0) <= app.runtime.now())
      throw new Refusal('restore_window_passed');
    const wasActive = bucket.provisionedAt !== null;
    return {
      action: 'bucket.restored',
      set: {
        state: wasActive ? 'active' : 'creating',
        failureReason: null,
        deletedAt: null,
        purgeAfter: null,
        settingsVersion: bucket.settingsVersion + 1,
        run: wasActive
          ? { ...bucket.run, phase: 'ended', state: 'ready', dueAt: null, lease: null }
          : newRun(app, 'provisioning'),
      },
    };
  });
  storage.wakeUp(caller.organizationId, ['provisioning']);
  return viewOf(storage, written);
}

/**
 * Tries to make a failed bucket again; a creating or active one is answered as it is.
 * @throws Refusal `bucket_not_found`, `bucket_not_active`
 */
export async function retryBucket(storage: Storage, caller: Caller, bucketId: string): Promise<BucketView> {
  const { app } = storage;
  const written = await writeBucket(storage, caller, caller.organizationId, bucketId, (bucket) => {
    if (bucket.state === 'creating' || bucket.state === 'active') return null;
    if (bucket.state !== 'failed') throw notActive(bucket);
    return {
      action: 'bucket.retried',
      set: { state: 'creating', failureReason: null, run: newRun(app, 'provisioning') },
    };
  });
  storage.wakeUp(caller.organizationId, ['provisioning']);
  return viewOf(storage, written);
}
