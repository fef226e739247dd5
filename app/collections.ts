import { auditLog } from '../models/audit-log.ts';
import { audioDays } from '../models/audio-day.ts';
import { assets } from '../models/asset.ts';
import type { CollectionDefinition, StoredRecord } from '../models/collection.ts';
import { buckets, retiredNames } from '../models/bucket.ts';
import { edgeChangeBatches, liveEdges } from '../models/edge-change.ts';
import { domains } from '../models/domain.ts';
import { erasures } from '../models/erasure.ts';
import { idempotencyRecords } from '../models/idempotency.ts';
import { imports } from '../models/import.ts';
import { connectors } from '../models/connector.ts';
import { collectionMembers, libraryCollections } from '../models/library-collection.ts';
import { archivedRuns, contentClaims } from '../models/job.ts';
import { accounts, apiKeys, auditRows, firstStarts, organizations } from '../models/organization.ts';
import { registeredVersions } from '../models/registered-version.ts';
import { settingsRows } from '../models/settings.ts';
import { installations } from '../models/installation.ts';
import {
  bucketDeltas,
  bucketTotals,
  checksumChecks,
  releasedContents,
  storedObjects,
} from '../models/storage-object.ts';
import { uploadParts, uploads } from '../models/upload.ts';
import { schemaDocuments } from '../models/migrations.ts';
import { loggedQueries, searchDays, searchLogs } from '../models/search-log.ts';
import { indexRecords } from '../models/passage-index.ts';
import { smallBlobs } from '../models/small-blob.ts';
import { syncCandidates } from '../models/sync.ts';
import {
  trafficBatches,
  trafficDays,
  trafficFolds,
  trafficMonths,
  trafficParts,
  trafficValueMonths,
  trafficValues,
  trafficWriters,
} from '../models/traffic.ts';
import { tuningRecords } from '../models/tuning.ts';
import { usageEvents } from '../models/usage-event.ts';

/** Every collection of the records store. */
export const collections: readonly CollectionDefinition<StoredRecord>[] = [
  accounts,
  organizations,
  apiKeys,
  auditRows,
  firstStarts,
  erasures,
  assets,
  registeredVersions,
  archivedRuns,
  contentClaims,
  imports,
  idempotencyRecords,
  usageEvents,
  smallBlobs,
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
  schemaDocuments,
  installations,
  indexRecords,
  buckets,
  retiredNames,
  storedObjects,
  uploads,
  uploadParts,
  releasedContents,
  checksumChecks,
  bucketDeltas,
  bucketTotals,
  domains,
  auditLog,
  edgeChangeBatches,
  liveEdges,
  trafficParts,
  trafficBatches,
  trafficWriters,
  trafficFolds,
  trafficMonths,
  trafficDays,
  trafficValues,
  trafficValueMonths,
];
