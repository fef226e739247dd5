import { buckets, type Bucket, type BucketEntry, type BucketFailure } from '../../models/bucket.ts';
import type { AppContext } from '../app-context.ts';
import type { WorkFailure, WorkKind } from '../work/kind.ts';
import { deliverToEdgesAndAudit } from './edge-and-audit-outbox.ts';

/** Attempts at making a bucket before it counts as failed. */
const provisioningAttempts = 5;

/** Why work on a bucket was not done. Every failure may pass; the attempts at making a bucket are limited. */
function failureOf(error: unknown): WorkFailure & { code: BucketFailure } {
  const isAway = error instanceof Error && error.name === 'StoreUnavailable';
  const isFull = isAway && error.message.includes('ENOSPC');
  return {
    code: isFull ? 'no_storage_capacity' : isAway ? 'provider_unavailable' : 'provisioning_failed',
    outcome: 'temporary',
  };
}

const failureCodes: ReadonlySet<string> = new Set([
  'certificate_pending',
  'no_storage_capacity',
  'no_cdn_capacity',
  'provider_unavailable',
  'provisioning_failed',
]);

/** The outbox entry that makes edges read a bucket again. */
export function edgeEntry(
  { uuid }: Pick<AppContext['runtime'], 'uuid'>,
  { organizationId, _id, name, settingsVersion }: Pick<Bucket, 'organizationId' | '_id' | 'name' | 'settingsVersion'>,
): BucketEntry {
  const change = { kind: 'bucket', organizationId, bucketId: _id, name, settingsVersion } as const;
  return { id: uuid(), kind: 'edge', notBefore: 0, change };
}

/** Work on buckets: making them, taking them out of service, and removing their content after the window. */
export function bucketWork(app: Pick<AppContext, 'records' | 'metrics' | 'edgeChanges'>): WorkKind<Bucket> {
  return {
    collection: buckets,
    stages: ['provisioning', 'retiring', 'emptying'],
    cleanup: () => [],
    failed: (_, code) => ({ state: 'failed', failureReason: failureCodes.has(code) ? code : 'provisioning_failed' }),
    maxAttempts: ({ run }) => (run.stage === 'provisioning' ? provisioningAttempts : Infinity),
    deliver: (_, items) => deliverToEdgesAndAudit(app, items),
    failureOf,
    context: () => ({}),
    measure: ({ document, stage, outcome, seconds }) =>
      app.metrics.stageSeconds.observe({ stage, format: document.kind, outcome }, seconds),
    ended: ({ run }) => app.metrics.jobsEnded.inc({ state: run.state, code: run.errorCode ?? 'none' }),
  };
}
