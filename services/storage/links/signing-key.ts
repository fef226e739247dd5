import { edgeEntry } from '../../../mixins/storage/bucket-work.ts';
import { newSigning, openedKey } from '../../../mixins/storage/signing-key.ts';
import type { Caller } from '../../../models/api.ts';
import type { Bucket, BucketSigning, SigningProfileView } from '../../../models/bucket.ts';
import { Refusal } from '../../../models/errors.ts';
import { directorySchemes } from '../../../models/links/token.ts';
import { writeBucket } from '../buckets/change.ts';
import { defaultLinkTtl } from '../settings/defaults.ts';
import { bucketsOf, findBucket, requireActive, settleBucket, tooBusy, writeAttempts, type Storage } from '../tools.ts';
import { hostnamesOf } from './hostnames.ts';

const hourMs = 3_600_000;
/** Rotations that an account may ask for in an hour. */
const maxRotationsPerHour = 60;

/** A bucket that has a signing key: one of an earlier version gets it now. @throws Refusal `bucket_not_found` */
export async function withSigningKey(
  storage: Storage,
  organizationId: string,
  bucketId: string,
): Promise<Bucket & { signing: BucketSigning }> {
  const { app } = storage;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const bucket = await findBucket(app, organizationId, bucketId);
    if (bucket.signing !== undefined) return { ...bucket, signing: bucket.signing };
    const settingsVersion = bucket.settingsVersion + 1;
    const written = await bucketsOf(app, organizationId).update(
      bucketId,
      { version: bucket.version },
      {
        set: { signing: newSigning(app, bucketId), settingsVersion, outboxDue: app.records.time() },
        increment: { version: 1 },
        push: { outbox: [edgeEntry(app.runtime, { ...bucket, settingsVersion })] },
      },
    );
    if (written !== null) await settleBucket(storage, written);
  }
  throw tooBusy();
}

/** What a client needs to sign links itself. @throws Refusal `bucket_not_found` */
export async function readSigningProfile(
  storage: Storage,
  { organizationId }: Caller,
  bucketId: string,
): Promise<SigningProfileView> {
  return profileOf(storage, await withSigningKey(storage, organizationId, bucketId));
}

/**
 * Replaces the signing key of an active bucket, suspended or not. Edges are told, and refuse links of the old key.
 * @throws Refusal `rate_limited`, `bucket_not_found`, `bucket_not_active`
 */
export async function rotateSigningKey(
  storage: Storage,
  caller: Caller,
  bucketId: string,
): Promise<SigningProfileView> {
  const { app } = storage;
  // Requests that are refused below count too.
  const allowance = await app.counters.take(`key_rotations:${caller.accountId}`, maxRotationsPerHour, hourMs);
  if (!allowance.allowed)
    throw new Refusal('rate_limited', {
      detail: `An account may rotate signing keys ${maxRotationsPerHour} times in an hour.`,
      retryable: true,
      retryAfter: Math.max(1, Math.ceil(allowance.resetMs / 1000)),
    });
  const signing = newSigning(app, bucketId);
  const written = await writeBucket(storage, caller, caller.organizationId, bucketId, (bucket) => {
    requireActive(bucket);
    return {
      action: 'bucket.key_rotated',
      detail: { fields: ['signingKey'] },
      set: { signing, settingsVersion: bucket.settingsVersion + 1 },
    };
  });
  return profileOf(storage, { ...written, signing: written.signing ?? signing });
}

async function profileOf(storage: Storage, bucket: Bucket & { signing: BucketSigning }): Promise<SigningProfileView> {
  const { app } = storage;
  const hostnames = await hostnamesOf(app, bucket);
  const isLibrary = bucket.kind === 'video';
  return {
    bucketId: bucket._id,
    scheme: bucket.linkScheme,
    keyId: bucket.signing.keyId,
    key: openedKey(app, bucket._id, bucket.signing),
    hostname: hostnames[0],
    hostnames,
    defaultTtlSeconds: bucket.settings.delivery.linkTtlSeconds ?? defaultLinkTtl[bucket.kind],
    ipBinding: bucket.settings.delivery.ipBinding,
    directoryScheme: isLibrary ? directorySchemes[bucket.linkScheme] : null,
    pathTokens: isLibrary,
    tagsEnabled: !isLibrary,
  };
}
