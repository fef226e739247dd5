import { defineCollection, type StoredRecord } from './collection.ts';
import type { freshUploadAnswer, uploadAnswer } from './schemas/answers/objects.ts';
import type { Infer } from './schemas/schema.ts';
import type { ObjectChecksum, ObjectHeaders, ObjectMetadata, ObjectTags, ReleasedContent } from './storage-object.ts';
import type { Outboxed, OutboxItem } from './work.ts';

/** State of an upload in the API. */
export type UploadState = 'open' | 'completed' | 'aborted' | 'expired';

/** The completion of an upload that is in progress. */
export interface Completion {
  /** One higher than that of the completion before. */
  token: number;
  /** Store time after which another request may take over: the process is gone. */
  until: number;
  /** Node id of the process; absent in completions of former versions. */
  by?: string;
}

/** What follows from the end of an upload without an object: its bytes are removed, and its video fails. */
export type UploadEntry = OutboxItem &
  ({ kind: 'release'; content: ReleasedContent } | { kind: 'abandon'; videoId: string });

/** What an object that is uploaded in parts is to have besides its bytes. */
export interface PartsUpload {
  metadata: ObjectMetadata;
  headers?: ObjectHeaders;
  tags?: ObjectTags;
  /** The checksum that is kept; its value is not known yet. */
  checksum?: ObjectChecksum;
}

/** An upload session. Its parts are records of their own. */
export interface Upload extends Outboxed {
  bucketId: string;
  key: string;
  contentType: string;
  size: number;
  sha256: string | null;
  partSize: number;
  partCount: number;
  state: UploadState;
  /** Id of the content that the parts are written to. */
  contentId: string;
  /** Null unless a request completes it at present, or died while it did. */
  completion: Completion | null;
  /** Token of the latest completion; 0 before the first. */
  token: number;
  /**
   * Ids that completions of which it is not known that they have ended would give the object, the latest last: usually
   * none, and one while the upload is completed. See `fenceOff`.
   */
  writers?: string[];
  /** The video that it brings the source of, or that its completion makes; uploads to libraries only. */
  videoId?: string;
  /** Whether the video exists since the upload was started. */
  isOfVideo?: boolean;
  /** The object that it was completed to. */
  objectId: string | null;
  createdAt: number;
  expiresAt: number;
  /** When the latest tickets expire. */
  ticketExpiresAt: number;
  /** What the object is to have, of an upload in parts of any size by an S3 client. The API does not show it. */
  parts?: PartsUpload;
  /** Bucket and key of the blocks of a Blob client while they are open: a blob has one set of them. See `blocksKeyOf`. */
  blocksKey?: string;
  /** Key and id of such an upload while it is open: lists are sorted by it; see `listKeyOf`. */
  partsKey?: string;
  /** Equal to expiresAt while it is open. */
  openUntil?: number;
  /** When it was completed, aborted or expired. */
  endedAt?: number;
  outbox: UploadEntry[];
}

/** The uploads of all organizations. */
export const uploads = defineCollection<Upload>({
  name: 'uploads',
  owner: 'organization',
  indexes: [
    { name: 'open', fields: ['organizationId', 'openUntil'], sparse: true },
    { name: 'bucket', fields: ['organizationId', 'bucketId', '_id'] },
    { name: 'parts', fields: ['organizationId', 'bucketId', 'partsKey'], sparse: true },
    { name: 'blocks', fields: ['blocksKey'], unique: true, sparse: true },
    { name: 'expiry', fields: ['openUntil'], sparse: true },
    { name: 'ended', fields: ['endedAt'], sparse: true },
    { name: 'content', fields: ['contentId'] },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
  ],
});

/** A part of an upload that has arrived. Sending it again replaces it. */
export interface UploadPart extends StoredRecord {
  /** See `partId`. */
  _id: string;
  organizationId: string;
  uploadId: string;
  number: number;
  /** Its name in the store of objects. */
  name: string;
  bytes: number;
  /** MD5 of its bytes, in hex. */
  md5: string;
  /** Base64, of the upload's algorithm; of S3 clients alone. */
  checksum?: string;
  /** When it arrived; of S3 clients alone. */
  at?: number;
}

/** The parts of all uploads. */
export const uploadParts = defineCollection<UploadPart>({
  name: 'upload_parts',
  owner: 'organization',
  indexes: [{ name: 'upload', fields: ['organizationId', 'uploadId', 'number'] }],
});

/** The key of a blob's blocks in the unique index. */
export function blocksKeyOf(bucketId: string, key: string): string {
  return `${bucketId}/${key}`;
}

/** Id of a part's record. */
export function partId(uploadId: string, number: number): string {
  return `${uploadId}.${number}`;
}

const mebibyte = 2 ** 20;
/** Most parts of an upload. */
export const maxParts = 10_000;

/** Bytes of each part but the last: 8 MiB, or as many whole MiB as 10,000 parts need. */
export function partSizeOf(size: number): number {
  return Math.max(8, Math.ceil(size / maxParts / mebibyte)) * mebibyte;
}

/** Number of parts. An upload of no bytes has one empty part. */
export function partCountOf(size: number): number {
  return Math.max(1, Math.ceil(size / partSizeOf(size)));
}

/** Bytes of the part with a number from 1. */
export function bytesOfPart({ size, partSize }: Pick<Upload, 'size' | 'partSize'>, number: number): number {
  return Math.max(0, Math.min(partSize, size - (number - 1) * partSize));
}

/** An upload with tickets, as the API shows it. */
export type FreshUploadView = Infer<typeof freshUploadAnswer>;
/** An upload with its received parts, as the API shows it. */
export type UploadView = Infer<typeof uploadAnswer>;
