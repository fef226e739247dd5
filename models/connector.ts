import type { AclMode } from './asset.ts';
import { defineCollection } from './collection.ts';

/** What a connector reads from. */
export type ConnectorKind = 's3' | 'azure_blob' | 'canvas';

/** Where a bucket of an S3-compatible store is, and whose key reads it. The secret is the connector's credential. */
export interface S3Config {
  endpoint: string;
  bucket: string;
  region: string;
  prefix: string;
  accessKeyId: string;
}

/** Where a container of Azure Blob Storage is; the shared access signature is the connector's credential. */
export interface AzureBlobConfig {
  /** Account endpoint, `https://<account>.blob.core.windows.net`. */
  blobService: string;
  container: string;
  prefix: string;
}

/** Where a Canvas is; the access token is the connector's credential. */
export interface CanvasConfig {
  baseUrl: string;
}

/** What a connector reads, by its kind. */
export type ConnectorSource =
  | { kind: 's3'; config: S3Config }
  | { kind: 'azure_blob'; config: AzureBlobConfig }
  | { kind: 'canvas'; config: CanvasConfig };

/** What a sync found, by files. */
export interface SyncSummary {
  new: number;
  /** Their content is another: indexed again. */
  changed: number;
  unchanged: number;
  /** Only who may see them is another. */
  reauthorized: number;
  /** The same content under another name: re-pointed, not indexed again. */
  moved: number;
  /** Not listed any more: withheld from search, never deleted. */
  removed: number;
  failed: number;
}

/** A file that a sync could not take in. */
export interface SyncFailure {
  externalId: string;
  errorCode: string;
  /** Milliseconds. */
  seenAt: number;
}

/** A sync under way. Its holder renews the lease; a sync that died is taken up by another process where it was. */
export interface SyncRun {
  syncId: string;
  /** One higher with each process that takes over; every later write is conditional on it. */
  token: number;
  /** Node id of the holder; null while it waits for one. */
  owner: string | null;
  /** Store time until which the lease holds. */
  until: number;
  startedAt: number;
  /** How far it is; read by the sync alone. */
  checkpoint: SyncCheckpoint;
  summary: SyncSummary;
  /** Of this sync, most recent first, 20 at most. */
  failures: SyncFailure[];
  /** Times that it was put off since it last got further. */
  putOff: number;
}

/** What of a sync is done. */
export interface SyncCheckpoint {
  /**
   * `listing`: the source is compared with the library page by page; `remaining`: all was listed, what is left of the
   * library is not there any more; `moving`: files that may have been moved are decided.
   */
  phase: 'listing' | 'remaining' | 'moving';
  /** The source's own mark of the page to list next; null for the first. */
  cursor: string | null;
  /** Place (models/sync.ts) up to which, including it, the library was compared, or the candidate decided last; null before the first. */
  comparedTo: string | null;
  /** Files that the source has listed, whatever they are. */
  listed: number;
  /** Whether the source has listed nothing at all once, where the library has files: that is asked for twice. */
  emptyOnce: boolean;
  /** Prefixes of what could not be listed, as long as the comparison has not passed them. */
  gaps: string[];
}

/** A storage source that is kept in step with the library. */
export interface Connector {
  _id: string;
  organizationId: string;
  accountId: string;
  name: string;
  source: ConnectorSource;
  /** Sealed for `credentialPlace`; null: none was given. */
  sealedCredential: string | null;
  schedule: 'nightly' | 'manual';
  enabled: boolean;
  defaultAclMode: AclMode;
  extractContentFromVideoFrames: boolean | null;
  /** When the sync that has not begun yet was first asked for; null: none is. */
  requestedAt: number | null;
  /** Whether storage events alone asked for that sync: such a one leaves the source alone for a while after the sync before it. */
  isFromEvents?: true;
  /** The sync under way; null: none is. */
  sync: SyncRun | null;
  /**
   * Store time at which a process has to look at it: a sync asked for, or a lease that ran out. Absent: nothing to do.
   * Who asks for a sync sets it where none is under way (`sync` null); while one is, it is the end of its lease, and whoever
   * ends that sync sets it to the time at hand where `requestedAt` is not null, in the same write.
   */
  syncDue?: number;
  /** The next nightly sync, milliseconds; absent where there is none. */
  nightlyDue?: number;
  lastRunAt: number | null;
  /** The former secret key that made the address to which a storage event last came, and when, within an hour; absent where none did. */
  formerNotified?: { keyId: string; at: number };
  /** When a sync last came to its end without an error; absent before the first. */
  lastSuccessAt?: number;
  lastError: string | null;
  lastSummary: SyncSummary | null;
  failures: SyncFailure[];
  createdAt: number;
  updatedAt: number;
  /**
   * Grows with every change of what is read, and how: a sync that began before a change ends. The change sets `sync` to null,
   * so that no write of that sync, which are conditional on `sync.syncId` and `sync.token`, goes through any more.
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

/** Path under which storage events come in, before the slash and the token. */
export const notificationsPath = '/api/content/v1/notifications';

/** The place for which a connector's credential is sealed. */
export function credentialPlace(connectorId: string): string {
  return `connector:${connectorId}:credential`;
}

/** A connector as the API shows it. */
export interface ConnectorView {
  connectorId: string;
  kind: ConnectorKind;
  name: string;
  config: { [name: string]: string };
  credentialSet: boolean;
  schedule: 'nightly' | 'manual';
  enabled: boolean;
  syncPending: boolean;
  defaultAclMode: AclMode;
  extractContentFromVideoFrames: boolean | null;
  notifyUrl: string | null;
  lastRunAt: string | null;
  lastError: string | null;
  lastSummary: SyncSummary | null;
  failures: { externalId: string; errorCode: string; seenAt: string }[];
  createdAt: string;
  updatedAt: string;
}

/** What a client sends to create or replace a connector. */
export interface ConnectorInput {
  source: ConnectorSource;
  name: string;
  /** Left out (null) on a replacement, the stored one stays. */
  credential: string | null;
  schedule: 'nightly' | 'manual';
  enabled: boolean;
  defaultAclMode: AclMode;
  extractContentFromVideoFrames: boolean | null;
}
