import { defineCollection } from './collection.ts';
import type { Kind } from './asset.ts';

/** What was used of one metric: base units (a decimal text, because they may be more than 2^53), events, duplicates. */
export type UsageSum = [quantity: string, events: number, duplicates: number];

/** Sums by `<metric>` or `<metric>/<dimension>`. */
export interface UsageSums {
  [key: string]: UsageSum;
}

/** Sums by day of the month, two digits. */
export interface UsageDays {
  [day: string]: UsageSums;
}

/** What all roll-ups of usage have. */
interface RollUp {
  _id: string;
  accountId: string;
  /** YYYY-MM. */
  month: string;
  /** The last event of the log, in the order of receipt, that the days contain: all before it are in them too. */
  throughAt: number;
  throughId: string;
  days: UsageDays;
}

/** What an organization, or a whole account, used in one month. */
export interface UsageMonth extends RollUp {
  /** Empty: the whole account. */
  organizationId: string;
  /** The sum of the days, as JSON of `UsageSums`: a text, so that it can be read without the days. */
  total: string;
}

/** The usage of all organizations and accounts. Ids are `<account>:<organization>:<month>`. */
export const usageMonths = defineCollection<UsageMonth>({
  name: 'usage_months',
  owner: 'deployment',
  indexes: [{ name: 'account', fields: ['accountId', 'month', 'organizationId'], unique: true }],
});

/** What was done for one file in one month. */
export interface UsageFileMonth extends RollUp {
  organizationId: string;
  assetId: string;
  /** When the file was registered. */
  createdAt: number;
  /** The file with the same content that was charged before; null where this one was. */
  duplicateOf: string | null;
}

/** The usage of all files. Ids are `<asset>:<month>`. */
export const usageFileMonths = defineCollection<UsageFileMonth>({
  name: 'usage_file_months',
  owner: 'deployment',
  indexes: [
    { name: 'account', fields: ['accountId', 'month', 'createdAt', 'assetId'] },
    { name: 'organization', fields: ['accountId', 'organizationId', 'month', 'createdAt', 'assetId'] },
    { name: 'file', fields: ['accountId', 'month', 'assetId'] },
  ],
});

/**
 * What was used of one bucket or domain in one month, without delivery. Its days are those of UTC; what a day of the account
 * ended with keeps that day.
 */
export interface UsageResourceMonth extends RollUp {
  organizationId: string;
  resourceId: string;
}

/** The usage of all buckets and domains. Ids are `<resource>:<month>`. */
export const usageResourceMonths = defineCollection<UsageResourceMonth>({
  name: 'usage_resource_months',
  owner: 'deployment',
  indexes: [
    { name: 'organization', fields: ['organizationId', 'month', 'resourceId'] },
    { name: 'account', fields: ['accountId', 'month', 'resourceId'] },
  ],
});

/** What stays known of a file after it was deleted, for the record of what was done for it. The id is the asset's. */
export interface UsageFile {
  _id: string;
  accountId: string;
  organizationId: string;
  externalId: string;
  filename: string;
  kind: Kind;
  createdAt: number;
  extractContentFromVideoFrames: boolean | null;
}

/** All files for which usage was recorded. */
export const usageFiles = defineCollection<UsageFile>({
  name: 'usage_files',
  owner: 'deployment',
  indexes: [{ name: 'account', fields: ['accountId'] }],
});

/** How far the log has been counted: every event up to this one is in the roll-ups. */
export interface UsageFold {
  _id: 'fold';
  receivedAt: number;
  eventId: string;
}

/** Holds the single document about counting. */
export const usageFolds = defineCollection<UsageFold>({ name: 'usage_folds', owner: 'deployment', indexes: [] });

/** When the roll-ups of an account are compared with its events next, and how far that is. */
export interface UsageReconciliation {
  /** Id of the account. */
  _id: string;
  /** Store time of the next step; while it runs, when another process may go on with it. */
  dueAt: number;
  /** The day (YYYY-MM-DD) to go on with; null between two reconciliations. */
  day: string | null;
  /** Store time at which the last one ended; of the first sight of the account before that. */
  completedAt: number;
}

/** The reconciliations of all accounts. */
export const usageReconciliations = defineCollection<UsageReconciliation>({
  name: 'usage_reconciliations',
  owner: 'deployment',
  indexes: [
    { name: 'due', fields: ['dueAt', '_id'] },
    { name: 'completed', fields: ['completedAt', '_id'] },
  ],
});
