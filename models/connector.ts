import type { AclMode } from './asset.ts';
import { defineCollection } from './collection.ts';
import type { connectorAnswer, connectorInput } from './schemas/connectors.ts';
import type { Infer } from './schemas/schema.ts';

/** What a connector reads from. */
export type ConnectorKind = 's3' | 'azure_blob' | 'canvas';

/**
 * A bucket of an S3-compatible store, and the id of the key that reads it. The secret is the connector's credential.
 */
export interface S3Config {
  endpoint: string;
  bucket: string;
  region: string;
  prefix: string;
  accessKeyId: string;
}

/** A container of Azure Blob Storage. The shared access signature is the connector's credential. */
export interface AzureBlobConfig {
  /** Account endpoint, `https://<account>.blob.core.windows.net`. */
  blobService: string;
  container: string;
  prefix: string;
}

/** An instance of Canvas. The access token is the connector's credential. */
export interface CanvasConfig {
  baseUrl: string;
}

/** What a connector reads, by its kind. */
export type ConnectorSource =
  | { kind: 's3'; config: S3Config }
  | { kind: 'azure_blob'; config: AzureBlobConfig }
  | { kind: 'canvas'; config: CanvasConfig };

/** The number of files by the outcome of a sync. */
export interface SyncSummary {
  new: number;
  /** Files with other content, which are indexed again. */
  changed: number;
  unchanged: number;
  /** Files of which only the permissions changed. */
  reauthorized: number;
  /** Files with the same content under another name: they are not indexed again. */
  moved: number;
  /** Files that are no longer listed: they are hidden from search, and never deleted. */
  removed: number;
  failed: number;
}

/** A file that a sync could not process. */
export interface SyncFailure {
  externalId: string;
  errorCode: string;
  /** Milliseconds. */
  seenAt: number;
}

/**
 * A running sync. Its owner renews the lease; when the lease expires, another process continues from the checkpoint.
 */
export interface SyncRun {
  syncId: string;
  /** Incremented with each takeover; every write of the owner is conditional on it. */
  token: number;
  /** Node id of the owner; null while the sync has none. */
  owner: string | null;
  /** Store time at which the lease expires. */
  until: number;
  startedAt: number;
  /** The progress; read by the sync only. */
  checkpoint: SyncCheckpoint;
  summary: SyncSummary;
  /** Failures of this sync, most recent first, at most 20. */
  failures: SyncFailure[];
  /** Number of times that it was postponed since its last progress. */
  putOff: number;
}

/** The progress of a sync. */
export interface SyncCheckpoint {
  /**
   * `listing`: the source is compared with the library page by page. `remaining`: the source is listed, and the rest of
   * the library's files are missing. `moving`: files that may have been moved are decided.
   */
  phase: 'listing' | 'remaining' | 'moving';
  /** The source's cursor of the page to list next; null for the first. */
  cursor: string | null;
  /**
   * The last compared sort key (`sortKeyOf`), or, in phase `moving`, the id of the last decided candidate; null before
   * the first.
   */
  comparedTo: string | null;
  /** Number of files that the source has listed. */
  listed: number;
  /** Whether the source listed nothing once although the library has files. Only a second empty listing is believed. */
  emptyOnce: boolean;
  /** Prefixes that could not be listed and that the comparison has not passed yet; at most 1,000. */
  gaps: string[];
}

/** A storage source that is synchronized with the library. */
export interface Connector {
  _id: string;
  organizationId: string;
  accountId: string;
  name: string;
  source: ConnectorSource;
  /** Encrypted for `credentialContext`; null: none was given. */
  sealedCredential: string | null;
  schedule: 'nightly' | 'manual';
  enabled: boolean;
  defaultAclMode: AclMode;
  extractContentFromVideoFrames: boolean | null;
  /** The first request for a sync that has not started yet; null: none is requested. */
  requestedAt: number | null;
  /** Whether only storage events requested that sync: it then starts some time after the previous one. */
  isFromEvents?: true;
  /** The running sync; null: none. */
  sync: SyncRun | null;
  /**
   * Store time at which a process has to act: a requested sync is due, or a lease expires. Absent: nothing to do. A
   * request for a sync sets it if none is running (`sync` null). While one is running it is the end of the lease; the
   * write that ends the sync sets it to the current time where `requestedAt` is not null.
   */
  syncDue?: number;
  /** The next nightly sync, milliseconds; absent if there is none. */
  nightlyDue?: number;
  lastRunAt: number | null;
  /**
   * The former secret key of the address that a storage event used last, and when (to the hour); absent where none did.
   */
  formerNotified?: { keyId: string; at: number };
  /** The end of the last successful sync; absent before the first. */
  lastSuccessAt?: number;
  lastError: string | null;
  lastSummary: SyncSummary | null;
  failures: SyncFailure[];
  createdAt: number;
  updatedAt: number;
  /**
   * Incremented with every change of what is read, and how. The change sets `sync` to null, so that the writes of a
   * running sync, which are conditional on `sync.syncId` and `sync.token`, fail and the sync ends.
   */
  version: number;
}

/** The connectors of all organizations. */
export const connectors = defineCollection<Connector>({
  name: 'connectors',
  owner: 'organization',
  indexes: [
    { name: 'name', fields: ['organizationId', 'name'], unique: true },
    { name: 'sync_due', fields: ['syncDue'], sparse: true },
    { name: 'nightly_due', fields: ['nightlyDue'], sparse: true },
  ],
});

/** Path of the notification addresses, without the slash and the token. */
export const notificationsPath = '/api/content/v1/notifications';

/** The context (additional authenticated data) with which a connector's credential is encrypted. */
export function credentialContext(connectorId: string): string {
  return `connector:${connectorId}:credential`;
}

/** A connector as the API shows it. */
export type ConnectorView = Infer<typeof connectorAnswer>;

/** The fields that a client sends to create or replace a connector. */
export type ConnectorInput = Infer<typeof connectorInput>;
