import { defineCollection } from './collection.ts';
import type { AuditLogRow } from './audit-log.ts';
import type { EdgeChange } from './edge-change.ts';
import type { LinkScheme } from './region.ts';
import type { bucketAnswer, bucketNameAnswer, regionAnswer } from './schemas/answers/buckets.ts';
import type { linkAnswer, signingProfileAnswer } from './schemas/answers/links.ts';
import type { Infer } from './schemas/schema.ts';
import type { OwnOf, VideoDefaults } from './settings.ts';
import type { ObjectMetadata, ObjectTags } from './storage-object.ts';
import type { OutboxItem, Runnable, WorkRun } from './work.ts';

/** State of a bucket in the API. */
export type BucketState = 'creating' | 'active' | 'failed' | 'deleting' | 'deleted';

/** Why provisioning, or a change of delivery settings, failed. */
export type BucketFailure =
  | 'certificate_pending'
  | 'no_storage_capacity'
  | 'no_cdn_capacity'
  | 'provider_unavailable'
  | 'provisioning_failed'
  | 'configuration_failed';

/** What is worked on a bucket: making it, taking it out of service, and removing its content after the window. */
export type BucketStage = 'provisioning' | 'retiring' | 'emptying';

/** The work on a bucket that is in progress, or was last. */
export interface BucketRun extends WorkRun {
  stage: BucketStage;
}

/** A cache rule: what it matches (a prefix of keys, or extensions), and what it sets. */
export interface CacheRule {
  pathPrefix?: string;
  extensions?: string[];
  edgeTtlSeconds?: number;
  browserCacheControl?: string;
}

/** A rule that gives requests a value to count them by. One of the last four fields is there, as the type says. */
export interface AnalyticsDimension {
  name: string;
  type: 'pathSegment' | 'queryParam' | 'tag' | 'pattern';
  index?: number;
  param?: string;
  tag?: string;
  pattern?: string;
}

/** The settings of a bucket; null where none was set and there is no default to show. */
export interface BucketSettings {
  delivery: {
    allowedDomains: string[];
    blockNoReferrer: boolean;
    countriesAllow: string[];
    countriesBlock: string[];
    /** Null: the default of the kind. */
    linkTtlSeconds: number | null;
    ipBinding: boolean;
    rateLimitKbps: number | null;
  };
  uploadRules: { maxObjectBytes: number | null; allowedTypes: string[]; allowOverwrite: boolean };
  cache: { edgeTtlSeconds: number | null; browserCacheControl: string | null; rules: CacheRule[] };
  cors: {
    allowedOrigins: string[];
    allowedMethods: string[];
    allowedHeaders: string[];
    exposeHeaders: string[];
    maxAgeSeconds: number;
    allowCredentials: boolean;
  };
  analytics: {
    enabled: boolean;
    dimensions: AnalyticsDimension[];
    ceiling: number | null;
    /** The hour at which counting (re)started. */
    since: number | null;
  };
}

/** A change of another store that follows from a change of a bucket. */
export type BucketEntry = OutboxItem & ({ kind: 'audit'; row: AuditLogRow } | { kind: 'edge'; change: EdgeChange });

/** The key that a bucket's links are signed with. */
export interface BucketSigning {
  /** Names the key in links: 8 characters. */
  keyId: string;
  /** 32 bytes in base64url, sealed for `signingKeyContext`. */
  sealedKey: string;
}

/** The context (additional authenticated data) that a bucket's signing key is sealed for. */
export function signingKeyContext(bucketId: string): string {
  return `bucket:${bucketId}:signing-key`;
}

/** A bucket, with the work on it. */
export interface Bucket extends Runnable {
  accountId: string;
  name: string;
  /** Equal to name while the bucket holds the name: until it is removed after the window. */
  nameKey?: string;
  kind: 'files' | 'video';
  region: string;
  linkScheme: LinkScheme;
  strictResidency: boolean;
  visibility: 'private' | 'public';
  /** Whether it was public at any time: its name is then never given to another account. */
  everPublic: boolean;
  state: BucketState;
  failureReason: BucketFailure | null;
  /** When it was taken down; null if it is not. */
  suspendedAt: number | null;
  settings: BucketSettings;
  /** Tags that an S3 client gave it, which S3 clients alone see; absent where it has none. */
  tags?: ObjectTags;
  /** Video settings that a library has of its own; null follows the organization. Libraries only. */
  processing?: OwnOf<VideoDefaults>;
  /** What Blob clients keep with it as their container; absent where they keep nothing. */
  containerMetadata?: ObjectMetadata;
  /** One higher with each change that edges must know. */
  settingsVersion: number;
  /** Absent in buckets of earlier versions until it is asked for: they have no links. */
  signing?: BucketSigning;
  /** When it became active for the first time; null before. */
  provisionedAt: number | null;
  createdAt: number;
  updatedAt: number;
  deletedAt: number | null;
  /** Until when it can be restored. */
  purgeAfter: number | null;
  /** Equal to createdAt until its content is removed: lists are sorted by it. */
  listedAt?: number;
  /** When its content was removed. */
  purgedAt?: number;
  run: BucketRun;
  outbox: BucketEntry[];
}

/** The buckets of all organizations. */
export const buckets = defineCollection<Bucket>({
  name: 'buckets',
  owner: 'organization',
  indexes: [
    { name: 'name', fields: ['nameKey'], unique: true, sparse: true },
    { name: 'listed', fields: ['organizationId', 'listedAt', '_id'] },
    { name: 'account_created', fields: ['accountId', 'createdAt'] },
    { name: 'account_present', fields: ['accountId', 'deletedAt'] },
    { name: 'turn', fields: ['run.phase', 'run.stage', 'organizationId', 'run.queuedAt'] },
    { name: 'due', fields: ['run.phase', 'run.dueAt'] },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
  ],
});

/** The name of a public bucket that was removed: only the account that had it may use it again. */
export interface RetiredName {
  /** The name. */
  _id: string;
  accountId: string;
  retiredAt: number;
}

/** Retired names of all accounts. */
export const retiredNames = defineCollection<RetiredName>({
  name: 'retired_bucket_names',
  owner: 'deployment',
  indexes: [{ name: 'account', fields: ['accountId'] }],
});

/** A bucket as the API shows it. */
export type BucketView = Infer<typeof bucketAnswer>;
/** Whether a name is available. */
export type BucketNameView = Infer<typeof bucketNameAnswer>;
/** A region as the API shows it. */
export type RegionView = Infer<typeof regionAnswer>;
/** What clients sign a bucket's links with. */
export type SigningProfileView = Infer<typeof signingProfileAnswer>;
/** An address that a bucket's file is read at. */
export type LinkView = Infer<typeof linkAnswer>;
