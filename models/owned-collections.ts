import { auditLog } from './audit-log.ts';
import { audioDays } from './audio-day.ts';
import { assets } from './asset.ts';
import { buckets } from './bucket.ts';
import type { CollectionDefinition, StoredRecord } from './collection.ts';
import { connectors } from './connector.ts';
import { domains } from './domain.ts';
import { idempotencyRecords } from './idempotency.ts';
import { imports } from './import.ts';
import { archivedRuns } from './job.ts';
import { collectionMembers, libraryCollections } from './library-collection.ts';
import { loggedQueries, searchDays, searchLogs } from './search-log.ts';
import { bucketDeltas, bucketTotals, checksumChecks, releasedContents, storedObjects } from './storage-object.ts';
import { uploadParts, uploads } from './upload.ts';
import { purges } from './purge.ts';
import { registeredVersions } from './registered-version.ts';
import { settingsRows } from './settings.ts';
import { storageAccounts } from './storage-account.ts';
import { storageCredentials } from './storage-credential.ts';
import { syncCandidates } from './sync.ts';
import {
  trafficDays,
  trafficFolds,
  trafficMonths,
  trafficParts,
  trafficValueMonths,
  trafficValues,
} from './traffic.ts';
import { tuningRecords } from './tuning.ts';
import { videos } from './video.ts';
import { webhookDeliveries, webhooks } from './webhook.ts';

/**
 * Every collection whose documents belong to an organization, assets first. An erasure removes them; a test checks that
 * the list is complete.
 */
export const ownedCollections: readonly CollectionDefinition<StoredRecord>[] = [
  assets,
  registeredVersions,
  archivedRuns,
  imports,
  idempotencyRecords,
  searchDays,
  loggedQueries,
  searchLogs,
  settingsRows,
  audioDays,
  libraryCollections,
  collectionMembers,
  tuningRecords,
  syncCandidates,
  connectors,
  buckets,
  storedObjects,
  videos,
  uploads,
  uploadParts,
  releasedContents,
  checksumChecks,
  bucketDeltas,
  bucketTotals,
  domains,
  storageAccounts,
  purges,
  storageCredentials,
  webhooks,
  webhookDeliveries,
  auditLog,
  trafficParts,
  trafficFolds,
  trafficMonths,
  trafficDays,
  trafficValues,
  trafficValueMonths,
];
