import { defineCollection } from './collection.ts';
import type { PurgeScope } from './edge-change.ts';
import type { purgeAnswer } from './schemas/answers/purges.ts';
import type { Infer } from './schemas/schema.ts';

/** Where a purge is. */
export type PurgeState = 'queued' | 'running' | 'succeeded' | 'failed';

/** An order to drop copies at the edges. Each change of it is one conditional write on its state. */
export interface Purge {
  _id: string;
  organizationId: string;
  accountId: string;
  bucketId: string;
  bucketName: string;
  scope: PurgeScope;
  /** Canonical paths or encoded prefixes without a leading slash; empty for all. */
  targets: string[];
  state: PurgeState;
  failureReason: 'purge_failed' | 'bucket_not_active' | null;
  /** `api_key:<id>` or `user:<id>`, as the audit log names it. */
  requestedBy: string;
  /** Address of the client, for the audit log. */
  requestedFrom: string | null;
  createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
  /** Position of the changes for edges that it waits for; null until that is known. */
  behind: number | null;
  /** Its own position among the changes for edges; null before it was announced. */
  position: number | null;
  /** Store time of its creation, until it has ended and its audit row is written. */
  openSince?: number;
  /** Equal to createdAt where all of a bucket is purged: those have a limit of their own. */
  allAt?: number;
}

/** The purges of all organizations. */
export const purges = defineCollection<Purge>({
  name: 'purges',
  owner: 'organization',
  indexes: [
    { name: 'newest', fields: ['organizationId', 'createdAt', '_id'] },
    { name: 'bucket', fields: ['organizationId', 'bucketId', 'createdAt', '_id'] },
    { name: 'account_created', fields: ['accountId', 'createdAt', '_id'] },
    { name: 'account_all', fields: ['accountId', 'allAt'], sparse: true },
    { name: 'open', fields: ['openSince'], sparse: true },
    { name: 'ended', fields: ['completedAt'], sparse: true },
  ],
});

/** A purge as the API shows it. */
export type PurgeView = Infer<typeof purgeAnswer>;
