import type { Bucket } from '../../models/bucket.ts';
import { defaultSettings } from '../../services/storage/settings/defaults.ts';

/** An active private bucket, with the fields that a test overrides. */
export function testBucket(fields: Partial<Bucket> = {}): Bucket {
  const name = fields.name ?? 'files';
  return {
    _id: 'bucket',
    organizationId: 'organization',
    accountId: 'account',
    name,
    nameKey: name,
    kind: 'files',
    region: 'in-west',
    linkScheme: 'pl1',
    strictResidency: false,
    visibility: 'private',
    everPublic: false,
    state: 'active',
    failureReason: null,
    suspendedAt: null,
    settings: defaultSettings(),
    settingsVersion: 1,
    provisionedAt: 1,
    createdAt: 1,
    updatedAt: 1,
    deletedAt: null,
    purgeAfter: null,
    listedAt: 1,
    version: 1,
    outbox: [],
    run: {
      jobId: 'job',
      state: 'ready',
      stage: 'provisioning',
      stageSeq: 1,
      progress: 100,
      errorCode: null,
      attempt: 1,
      lostLeases: 0,
      blame: 0,
      token: 1,
      lease: null,
      phase: 'ended',
      dueAt: null,
      dispatchedBy: null,
      queuedAt: 1,
      createdAt: 1,
      updatedAt: 1,
    },
    ...fields,
  };
}
