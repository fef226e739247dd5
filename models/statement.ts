import type { AccountMonth } from './account-month.ts';
import { defineCollection } from './collection.ts';
import type { Lease } from './lease.ts';
import type { Audited } from './organization.ts';
import type { usageAnswer } from './schemas/answers/usage.ts';
import type { Infer } from './schemas/schema.ts';
import type { UsageSums } from './usage-month.ts';

type Usage = Infer<typeof usageAnswer>;

/** What the answers of a month have in common, open or closed. */
export type MonthContent = Omit<Usage, 'organizations' | 'processing'>;

/** What one organization used, as its account's answer shows it. */
export type OrganizationUsage = NonNullable<Usage['organizations']>[number];

/** A line, as answers show it. */
export type UsageLine = Usage['lines'][number];

/** How far the months of an account are closed. One document an account decides, so that a month closes once. */
export interface Ledger {
  /** The account's id. */
  _id: string;
  /** The first month (YYYY-MM) of the account: it closes first. */
  firstMonth: string;
  /** The last closed month; null before the first. */
  closedThrough: string | null;
  /** Events received before it are in statements so far, in milliseconds; 0 before the first statement. */
  cutoff: number;
  /** How many statements there are: the number of the last one. */
  statements: number;
  /**
   * The month that is being closed: use of it that is recorded from now on is late. What is late for earlier months, and
   * corrections, are charged on it where they were received before the cutoff.
   */
  closing: { month: string; cutoff: number } | null;
  /** Store time, in milliseconds, before which nothing is to be done; 0 to look at once. */
  dueAt: number;
  /** The right of one process to write the statement of `closing`: it spares others the work. */
  lease?: Lease;
}

/** The ledgers of all accounts. */
export const ledgers = defineCollection<Ledger>({
  name: 'usage_ledgers',
  owner: 'deployment',
  indexes: [{ name: 'due', fields: ['dueAt', '_id'] }],
});

/** What a month was charged by, as it was at closing: with the events, everything that a statement is computed from. */
export interface StatementTerms {
  timeZone: string;
  plan: AccountMonth['plan'];
  /** Null: nothing was priced. */
  prices: AccountMonth['prices'];
  currency: string | null;
  payAsYouGo: boolean;
  serviceStartsAt?: number;
  serviceEndsAt?: number;
  /** Name of the account's own organization. */
  customer: string;
}

/** A closed month of an account. It is never changed. */
export interface Statement {
  /** `<account>:<month>`. */
  _id: string;
  accountId: string;
  /** YYYY-MM. */
  month: string;
  /** The account's statements, counted from 1. */
  sequence: number;
  number: string;
  /** The closing that wrote it: parts with other marks belong to closings that came to nothing. */
  attempt: string;
  closedAt: number;
  /** Of the RFC 8785 form of the account's answer without `sha256`. */
  sha256: string;
  terms: StatementTerms;
  /** Events that it rests on: received before `before`; those of earlier months (`late`) from `since` on. */
  since: number;
  before: number;
  events: { count: number; late: number; firstId: string | null; lastId: string | null };
  /** What the account used, and what it used late for earlier months, that is charged here. */
  sums: UsageSums;
  late: { [month: string]: UsageSums };
  /** Ids of the corrections that are charged here, in the order of their lines. */
  adjustments: string[];
  /** The account's answer without `organizations`, `organizationNames` and `sha256`. */
  content: MonthContent;
  processing: Usage['processing'];
}

/** The statements of all accounts. */
export const statements = defineCollection<Statement>({
  name: 'statements',
  owner: 'deployment',
  indexes: [{ name: 'sequence', fields: ['accountId', 'sequence'], unique: true }],
});

/** What a statement says of one organization. It is written before its statement, and never changed. */
export interface StatementPart {
  /** `<account>:<month>:<attempt>:<organization>`. */
  _id: string;
  accountId: string;
  organizationId: string;
  month: string;
  attempt: string;
  /** Its name at closing. */
  name: string;
  /** Its entry in the account's answer; null where it has no lines. */
  inAccount: OrganizationUsage | null;
  /** What its own answer shows. */
  own: UsageLine[];
  processing: Usage['processing'];
}

/** The parts of all statements. */
export const statementParts = defineCollection<StatementPart>({
  name: 'statement_parts',
  owner: 'deployment',
  indexes: [{ name: 'account', fields: ['accountId', 'month', 'attempt', 'organizationId'] }],
});

/** A correction or credit by the operator. It is charged on the month that is the oldest open one when it is made. */
export interface UsageAdjustment extends Audited {
  _id: string;
  accountId: string;
  /** When it was received, by the time of the store: it decides which month it is charged on. Null until that is decided. */
  receivedAt: number | null;
  /** When it was written, until it is received. */
  writtenAt?: number;
  /** In hundredths of the currency unit; negative for a credit. */
  amount: number;
  description: string;
}

/** The corrections of all accounts. */
export const usageAdjustments = defineCollection<UsageAdjustment>({
  name: 'usage_adjustments',
  owner: 'deployment',
  indexes: [
    { name: 'account', fields: ['accountId', 'receivedAt', '_id'] },
    { name: 'pending_audit', fields: ['pendingAuditMark'], sparse: true },
    { name: 'written', fields: ['writtenAt'], sparse: true },
  ],
});

/**
 * The time of receipt of something that is recorded now for a statement to come: in no window of a statement that there is,
 * or that is being written. Clocks may have been set back since the last one.
 */
export function receiptOf({ cutoff, closing }: Pick<Ledger, 'cutoff' | 'closing'>, now: number): number {
  return Math.max(now, cutoff, closing?.cutoff ?? 0);
}

/** The id of a statement. */
export function statementId(accountId: string, month: string): string {
  return `${accountId}:${month}`;
}
