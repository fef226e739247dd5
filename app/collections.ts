import { accountMonths } from '../models/account-month.ts';
import { acmeAccounts, acmeChallenges } from '../models/acme.ts';
import type { CollectionDefinition, StoredRecord } from '../models/collection.ts';
import { retiredNames } from '../models/bucket.ts';
import { dashboardSessions, loginFailures, users } from '../models/dashboard.ts';
import { edgeChangeBatches, liveEdges } from '../models/edge-change.ts';
import { erasures } from '../models/erasure.ts';
import { contentClaims } from '../models/job.ts';
import { accounts, apiKeys, auditRows, firstStarts, organizations } from '../models/organization.ts';
import { installations } from '../models/installation.ts';
import { schemaDocuments } from '../models/migrations.ts';
import { quotaCounts } from '../models/quota-count.ts';
import { measuredDays } from '../models/measured-days.ts';
import { ownedCollections } from '../models/owned-collections.ts';
import { accountPeople } from '../models/people.ts';
import { indexRecords } from '../models/passage-index.ts';
import { smallBlobs } from '../models/small-blob.ts';
import { trafficBatches, trafficExports, trafficWriters } from '../models/traffic.ts';
import { ledgers, statementParts, statements, usageAdjustments } from '../models/statement.ts';
import { pendingUsage, usageBatches, usageEvents } from '../models/usage-event.ts';
import {
  usageFileMonths,
  usageFiles,
  usageFolds,
  usageMonths,
  usageReconciliations,
  usageResourceMonths,
} from '../models/usage-month.ts';

/** Every collection of the records store: those with data of organizations, and those of the deployment. */
export const collections: readonly CollectionDefinition<StoredRecord>[] = [
  ...ownedCollections,
  accounts,
  accountMonths,
  quotaCounts,
  organizations,
  apiKeys,
  auditRows,
  firstStarts,
  erasures,
  users,
  accountPeople,
  dashboardSessions,
  loginFailures,
  contentClaims,
  usageEvents,
  pendingUsage,
  usageBatches,
  measuredDays,
  usageMonths,
  usageFileMonths,
  usageResourceMonths,
  usageFiles,
  usageFolds,
  usageReconciliations,
  ledgers,
  statements,
  statementParts,
  usageAdjustments,
  smallBlobs,
  schemaDocuments,
  installations,
  indexRecords,
  retiredNames,
  acmeAccounts,
  acmeChallenges,
  edgeChangeBatches,
  liveEdges,
  trafficBatches,
  trafficWriters,
  trafficExports,
];
