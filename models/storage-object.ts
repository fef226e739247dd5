import type { AuditLogRow } from './audit-log.ts';
import { defineCollection } from './collection.ts';
import type { EdgeChange } from './edge-change.ts';
import type { completedAnswer, objectAnswer } from './schemas/answers/objects.ts';
import type { Infer } from './schemas/schema.ts';
import type { Outboxed, OutboxItem, Runnable } from './work.ts';

/** Metadata of an object. */
export interface ObjectMetadata {
  [key: string]: string | number | boolean | null;
}

/** What is known of an object's declared SHA-256. */
export type ChecksumState = 'verified' | 'unverified' | 'pending' | 'mismatch' | 'not_requested';

/** Where the bytes of an object are: the reference that the store of objects returned. */
export interface ObjectContent {
  id: string;
  form: string;
}

/** A change of other documents that follows from a change of an object. */
export type ObjectEntry = OutboxItem &
  (
    | { kind: 'audit'; row: AuditLogRow }
    | { kind: 'release'; content: ReleasedContent }
    | { kind: 'count'; delta: BucketDelta }
    | { kind: 'verify'; check: ChecksumCheck }
    | { kind: 'upload'; uploadId: string }
    /** The source of a video has arrived. `isNew`: the video is made of it. */
    | { kind: 'video'; videoId: string; uploadId: string; isNew: boolean }
    /** The declared SHA-256 of a video's source was checked. */
    | { kind: 'checked'; videoId: string; contentId: string; isSame: boolean }
    | { kind: 'edge'; change: EdgeChange }
    /** A client wrote these bytes. */
    | { kind: 'written'; contentId: string; bytes: number; at: number }
  );

/** Headers that an object was stored with besides its type, and is read with by S3 and Blob clients. */
export interface ObjectHeaders {
  cacheControl?: string;
  contentDisposition?: string;
  contentEncoding?: string;
  contentLanguage?: string;
  /** As it was sent. */
  expires?: string;
  /** Where a website would send readers to: S3 clients alone read it back, nobody is sent there. */
  redirectLocation?: string;
}

/** Tags that an S3 client gave an object: names and values, in their order. */
export type ObjectTags = [name: string, value: string][];

/** A checksum that an S3 client asked for. */
export interface ObjectChecksum {
  /** As S3 names it, such as `CRC64NVME`. */
  algorithm: string;
  /** Base64; of a composite one, with `-` and the number of parts. */
  value: string;
  type: 'FULL_OBJECT' | 'COMPOSITE';
  /** Those of the parts, one behind the other, in base64; absent where they would be many bytes. */
  parts?: string;
}

/** Sizes of the parts that an object was stored in, in their order: so many parts of so many bytes each. */
export type PartSizes = [count: number, bytes: number][];

/** An object, or the trace of a deleted one, which is kept for a day. */
export interface StoredObject extends Outboxed {
  bucketId: string;
  key: string;
  /** Equal to key while the object exists. */
  liveKey?: string;
  /** The key as lists are ordered by it, while the object exists; see `listKeyOf`. */
  listKey?: string;
  size: number;
  contentType: string;
  sha256: string | null;
  checksumState: ChecksumState;
  etag: string;
  state: 'stored' | 'disabled';
  metadata: ObjectMetadata;
  content: ObjectContent;
  headers?: ObjectHeaders;
  checksum?: ObjectChecksum;
  /** Absent unless it was stored in parts by an S3 client. */
  partSizes?: PartSizes;
  /** Absent where it has none. */
  tags?: ObjectTags;
  /** Equal to content.id while the object exists. */
  contentId?: string;
  createdAt: number;
  updatedAt: number;
  createdVia: 'plycdn' | 's3' | 'azure';
  /** The video that the file belongs to: it changes with that video alone. */
  videoId?: string;
  /** When it was deleted. */
  goneAt?: number;
  outbox: ObjectEntry[];
}

/** The objects of all buckets. */
export const storedObjects = defineCollection<StoredObject>({
  name: 'objects',
  owner: 'organization',
  indexes: [
    { name: 'key', fields: ['organizationId', 'bucketId', 'liveKey'], unique: true, sparse: true },
    { name: 'listed', fields: ['organizationId', 'bucketId', 'listKey'], sparse: true },
    { name: 'content', fields: ['contentId'], sparse: true },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
    { name: 'gone', fields: ['goneAt'], sparse: true },
  ],
});

/** A content that no object refers to any more. Its bytes are removed when the readers that have begun are done. */
export interface ReleasedContent {
  /** Id of the content. */
  _id: string;
  organizationId: string;
  /** Store time at which its bytes are removed. */
  dueAt: number;
}

/** The released contents of all organizations. */
export const releasedContents = defineCollection<ReleasedContent>({
  name: 'released_contents',
  owner: 'organization',
  indexes: [{ name: 'due', fields: ['dueAt'] }],
});

/** A change of what a bucket holds. Its id derives from its cause. */
export interface BucketDelta {
  _id: string;
  organizationId: string;
  bucketId: string;
  objects: number;
  bytes: number;
  /** The object that changed: while its outbox holds the delta, it may be delivered again. */
  objectId: string;
  /** Store time of the change. */
  at: number;
}

/** Changes that are not yet part of the totals. */
export const bucketDeltas = defineCollection<BucketDelta>({
  name: 'bucket_deltas',
  owner: 'organization',
  indexes: [{ name: 'bucket', fields: ['organizationId', 'bucketId', '_id'] }],
});

/** What a bucket holds, without the deltas that are not in `folded`. */
export interface BucketTotals {
  /** Id of the bucket. */
  _id: string;
  organizationId: string;
  objects: number;
  bytes: number;
  /** Deltas that are in the sums and not removed yet. */
  folded: string[];
  version: number;
}

/** The totals of all buckets. */
export const bucketTotals = defineCollection<BucketTotals>({
  name: 'bucket_totals',
  owner: 'organization',
  indexes: [],
});

/** The check of a declared SHA-256. Its id is that of the content. */
export interface ChecksumCheck extends Runnable {
  objectId: string;
  content: ObjectContent;
  size: number;
  sha256: string;
}

/** The checks that are to be done. */
export const checksumChecks = defineCollection<ChecksumCheck>({
  name: 'checksum_checks',
  owner: 'organization',
  indexes: [
    { name: 'turn', fields: ['run.phase', 'run.stage', 'organizationId', 'run.queuedAt'] },
    { name: 'due', fields: ['run.phase', 'run.dueAt'] },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
  ],
});

/** An object as the API shows it. */
export type ObjectView = Infer<typeof objectAnswer>;
/** The object that an upload was completed to, with the video that it is the source of. */
export type CompletedView = Infer<typeof completedAnswer>;
