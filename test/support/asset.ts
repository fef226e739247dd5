import { newRun } from '../../mixins/indexing/runs.ts';
import { openPrincipals, type Asset } from '../../models/asset.ts';

/** A registered, open text file whose first job waits, with the fields that a test overrides. */
export function testAsset(fields: Partial<Asset> = {}): Asset {
  const id = fields._id ?? 'asset';
  return {
    _id: id,
    organizationId: 'organization',
    accountId: 'account',
    externalId: id,
    externalKey: id,
    filename: 'f.txt',
    kind: 'document',
    sourceUrl: 'https://h/f.txt',
    sourceVersion: '"1"',
    registeredVersions: [],
    language: 'multi',
    audioTrack: null,
    metadata: {},
    collections: [],
    callbackKey: null,
    contentSha256: null,
    extractContentFromVideoFrames: null,
    connectorId: null,
    bucketId: null,
    sealedAccess: null,
    aclMode: 'open',
    principals: [...openPrincipals],
    attributesVersion: 1,
    activeRevision: null,
    latestRevision: 1,
    facts: null,
    sourceMissingSince: null,
    createdAt: 0,
    updatedAt: 0,
    deletedAt: null,
    run: newRun(`job-${id}`, 1, 0),
    version: 1,
    outbox: [],
    ...fields,
  };
}
