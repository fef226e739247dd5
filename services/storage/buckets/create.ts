import { isDuplicate } from '../../../adapters/records/port.ts';
import { newSigning } from '../../../mixins/storage/signing-key.ts';
import type { Caller } from '../../../models/api.ts';
import type { Bucket, BucketView } from '../../../models/bucket.ts';
import { Refusal } from '../../../models/errors.ts';
import type { NewBucket } from '../../../models/schemas/buckets.ts';
import type { Region } from '../../../models/region.ts';
import { ceilingsOf } from '../plan.ts';
import { defaultSettings } from '../settings/defaults.ts';
import { auditRow } from '../../../mixins/storage/audit.ts';
import { allBuckets, bucketsOf, isRetired, settleBucket, type Storage } from '../tools.ts';
import { newRun } from './run.ts';
import { viewOf } from './read.ts';

const dayMs = 24 * 3_600_000;

/**
 * Creates a bucket: it is `creating`, and becomes active on its own.
 * @param id of the bucket, fixed by the Idempotency-Key: the same request after a crash finds what it had created
 * @throws Refusal `region_not_available`, `plan_limit_reached`, `rate_limited`, `bucket_name_taken`
 */
export async function createBucket(
  storage: Storage,
  caller: Caller,
  id: string,
  input: NewBucket,
): Promise<BucketView> {
  const made = await makeBucket(storage, caller, id, { ...input, kind: 'files', settings: defaultSettings() });
  return viewOf(storage, made);
}

/** The fields of a new bucket of either kind. */
type BucketFields = NewBucket & Pick<Bucket, 'kind' | 'settings' | 'processing'>;

/** Creates a bucket of either kind; see `createBucket`. */
export async function makeBucket(storage: Storage, caller: Caller, id: string, input: BucketFields): Promise<Bucket> {
  const { app } = storage;
  const { organizationId, accountId } = caller;
  const region = openRegion(storage, input);
  const made = await bucketsOf(app, organizationId).get(id);
  if (made !== null) return made;
  await requireRoom(storage, accountId);
  await requireRate(storage, accountId);
  if (await isRetired(storage, input.name, accountId)) throw new Refusal('bucket_name_taken');
  const bucket = bucketDocument(storage, caller, id, input, region);
  try {
    await bucketsOf(app, organizationId).insert(bucket);
  } catch (error) {
    if (isDuplicate(error, 'name')) throw new Refusal('bucket_name_taken');
    throw error;
  }
  await withdrawIfRefused(storage, bucket);
  storage.wakeUp(organizationId, ['provisioning']);
  return settleBucket(storage, bucket);
}

/** @throws Refusal `region_not_available` */
function openRegion({ regions }: Storage, { region: code, strictResidency }: NewBucket): Region {
  const region = regions.find((each) => each.code === code);
  if (region === undefined || !region.open)
    throw new Refusal('region_not_available', { detail: 'There is no such region that is open for new buckets.' });
  if (strictResidency && !region.strictCapable)
    throw new Refusal('region_not_available', { detail: 'The region cannot keep strict residency.' });
  return region;
}

/** @throws Refusal `plan_limit_reached` */
async function requireRoom({ app }: Storage, accountId: string, alreadyCounted = 0): Promise<void> {
  const { buckets: ceiling } = await ceilingsOf(app, accountId);
  if (ceiling === null) return;
  const present = await allBuckets(app).count({ accountId, deletedAt: null });
  if (present - alreadyCounted >= ceiling)
    throw new Refusal('plan_limit_reached', { detail: `The account's plan includes ${ceiling} buckets.` });
}

/** Counts the buckets that were created within a day, deleted ones too. @throws Refusal `rate_limited` */
async function requireRate({ app }: Storage, accountId: string): Promise<void> {
  const { PLY_NEW_BUCKETS_PER_DAY: maxPerDay } = app.configuration;
  const now = app.runtime.now();
  const latest = await allBuckets(app).find({
    filter: { accountId, createdAt: { $gt: now - dayMs } },
    sort: [['createdAt', -1]],
    limit: maxPerDay,
  });
  const oldest = latest[maxPerDay - 1];
  if (oldest === undefined) return;
  throw new Refusal('rate_limited', {
    detail: `An account may create ${maxPerDay} buckets within 24 hours.`,
    retryable: true,
    retryAfter: Math.max(1, Math.ceil((oldest.createdAt + dayMs - now) / 1000)),
  });
}

/** Takes a new bucket back where a concurrent request reached the ceiling first, or the name was just retired. */
async function withdrawIfRefused(storage: Storage, bucket: Bucket): Promise<void> {
  const { app } = storage;
  try {
    await requireRoom(storage, bucket.accountId, 1);
    if (await isRetired(storage, bucket.name, bucket.accountId)) throw new Refusal('bucket_name_taken');
  } catch (error) {
    await bucketsOf(app, bucket.organizationId).remove(bucket._id);
    throw error;
  }
}

function bucketDocument(
  { app }: Storage,
  caller: Caller,
  id: string,
  { name, visibility, strictResidency, kind, settings, processing }: BucketFields,
  region: Region,
): Bucket {
  const { organizationId, accountId } = caller;
  const now = app.runtime.now();
  const row = auditRow(app, organizationId, caller, 'bucket.created', { kind: 'bucket', id });
  return {
    _id: id,
    organizationId,
    accountId,
    name,
    nameKey: name,
    kind,
    region: region.code,
    linkScheme: region.linkScheme,
    strictResidency,
    visibility,
    everPublic: visibility === 'public',
    state: 'creating',
    failureReason: null,
    suspendedAt: null,
    settings,
    ...(processing === undefined ? {} : { processing }),
    settingsVersion: 1,
    signing: newSigning(app, id),
    provisionedAt: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    purgeAfter: null,
    listedAt: now,
    version: 1,
    outbox: [{ id: row._id, kind: 'audit', notBefore: 0, row }],
    outboxDue: app.records.time(),
    run: newRun(app, 'provisioning'),
  };
}
