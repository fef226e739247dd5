import type { AclMode, Kind, Metadata, Warning } from './asset.ts';
import type { Location } from './block.ts';
import type { RefusalDetails } from './errors.ts';
import type { JobState, Stage } from './job.ts';
import type { KeyScope } from './organization.ts';
import type { SearchFilter } from './passage.ts';

/** Who asks, after every check of the gateway. It travels with each call. */
export interface Caller {
  accountId: string;
  /** The organization that the request applies to. */
  organizationId: string;
  keyId: string;
  keyPrefix: string;
  keyLabel: string;
  keyScope: KeyScope;
  requestId: string;
}

/** The fields of one registration, validated, defaults filled in; null where not sent and without default. */
export interface AssetCreate {
  externalId: string;
  filename: string;
  kind: Kind;
  sourceUrl: string;
  sourceVersion: string;
  sourceAccess: { url: string; sasToken: string | null } | null;
  /** `multi` where not sent. */
  language: string;
  audioTrack: number | null;
  /** Null: not sent, keep what stands. */
  metadata: Metadata | null;
  collections: string[] | null;
  principals: string[] | null;
  callbackKey: string | null;
  contentSha256: string | null;
  extractContentFromVideoFrames: boolean | null;
}

/** Answer of a registration, a reindex and a removal. */
export interface Accepted {
  assetId: string;
  jobId: string;
  revision: number;
}

/** The latest job as assets show it. */
export interface LatestJobView {
  jobId: string;
  state: JobState;
  stage: Stage;
  progress: number;
  errorCode: string | null;
  attempt: number;
  updatedAt: string;
}

/** An asset as the API shows it. */
export interface AssetView {
  assetId: string;
  externalId: string;
  filename: string;
  kind: Kind;
  sourceUrl: string;
  sourceVersion: string;
  state: 'indexing' | 'ready' | 'failed' | 'awaiting_source_access' | 'deleting';
  activeRevision: number | null;
  latestRevision: number;
  revisionState: 'indexing' | 'ready' | 'failed' | 'awaiting_source_access' | 'cancelled';
  language: string;
  audioTrack: number | null;
  collections: string[];
  callbackKey: string | null;
  contentSha256: string | null;
  connectorId: string | null;
  connectorName: string | null;
  bucketId: string | null;
  sourceAccessMode: 'renewable' | 'stored' | null;
  sourceMissingSince: string | null;
  metadata: Metadata;
  aclMode: AclMode;
  extractContentFromVideoFrames: boolean | null;
  latestJob: LatestJobView;
  createdAt: string;
  updatedAt: string;
  /** On a single read alone. */
  warnings?: Warning[];
}

/** A job as the API shows it. */
export interface JobView {
  jobId: string;
  assetId: string;
  revision: number;
  state: JobState;
  stage: Stage;
  progress: number;
  errorCode: string | null;
  retryAt: string | null;
  attempt: number;
  createdAt: string;
  updatedAt: string;
}

/** One item of an import's answer. */
export type ImportResult =
  | ({ externalId: string } & Accepted)
  | { externalId: string | null; code: string; fields?: RefusalDetails['fields']; detail?: string };

/** What an import hands to the registrar: a valid item, or the refusal that its place gets. */
export type ImportItem = { asset: AssetCreate } | { externalId: string | null; code: string; fields?: (string | number)[]; detail: string };

/** Where a file can be played from until `expiresAt`. */
export interface PlaybackLink {
  format: 'hls' | 'file';
  url: string;
  /** With `hls`: the address for players that know HLS by themselves, and a still picture; else null. */
  nativeUrl: string | null;
  poster: string | null;
  expiresAt: string;
}

/** Query of GET /activity. */
export interface ActivityQuery {
  limit: number;
  offset: number;
  connectorId: string | null;
  bucketId: string | null;
  kind: Kind | null;
  state: string | null;
  q: string | null;
  createdAfter: number | null;
  createdBefore: number | null;
  order: 'created' | 'filename';
  cursor: string | null;
  asReader: boolean;
  /** Null: not sent. */
  principals: string[] | null;
}

/** Body of POST /search, validated, defaults filled in. */
export interface SearchRequest {
  query: string;
  limit: number;
  offset: number;
  group: 'file' | null;
  filter: SearchFilter;
  /** Null: not sent, open files only. */
  principals: string[] | null;
}

/** A marked part of a snippet, in UTF-16 code units, end exclusive. */
export interface Highlight {
  start: number;
  end: number;
}

/** Band of a relevance; docs/search.md says where the bands begin. */
export type Confidence = 'high' | 'moderate' | 'low';
/** What found a passage: its words, its meaning, or both. */
export type MatchType = 'keyword' | 'semantic' | 'both';

/** A found passage inside a grouped result. */
export interface Moment {
  snippet: string;
  highlights: Highlight[];
  location: Location;
  relevance: number;
  confidence: Confidence;
  matchType: MatchType;
  speaker: string | null;
  language: string | null;
}

/** One result of a search. */
export interface SearchItem extends Moment {
  assetId: string;
  filename: string;
  kind: Kind;
  revision: number;
  score: number;
  metadata: Metadata;
  sourceReference: { externalId: string; sourceUrl: string; sourceVersion: string };
  pinned: boolean;
  /** With group `file`. */
  momentCount?: number;
  moments?: Moment[];
}

/** Answer of POST /search. */
export interface SearchResponse {
  items: SearchItem[];
  withheldAsWeak: number;
  hasMore: boolean;
  terms: string[];
  searchId: string;
}

/** A passage that was offered to an answer. */
export interface Citation extends Omit<SearchItem, 'momentCount' | 'moments'> {
  /** What stands in brackets in the answer: 1, 2, 3, ... */
  number: number;
  /** Whether the answer uses it; true for all where the answer cites nothing. */
  cited: boolean;
}

/** Answer of POST /answer. */
export interface AnswerResponse {
  searchId: string;
  /** Text with numbers of citations in brackets; null where no passage was good enough. */
  answer: string | null;
  citations: Citation[];
  withheldAsWeak: number;
}

/** A file that is like another. */
export interface RelatedItem {
  assetId: string;
  externalId: string;
  filename: string;
  kind: Kind;
  metadata: Metadata;
  /** 0 to 1. */
  similarity: number;
}

/** Answer of GET /assets/{assetId}/related. */
export interface RelatedResponse {
  searchId: string;
  assetId: string;
  items: RelatedItem[];
}

/** A sub-organization as the API shows it (snake case by contract). */
export interface SubOrganizationView {
  id: string;
  parent_organization_id: string;
  name: string;
  contact_email: string | null;
  description: string | null;
  is_active: boolean;
  metadata: { [key: string]: string | number | boolean } | null;
  created_at: string;
  updated_at: string;
}

/** Fields of a sub-organization that a client sets; absent ones stay as they are. */
export interface SubOrganizationChange {
  name?: string;
  contact_email?: string | null;
  description?: string | null;
  metadata?: { [key: string]: string | number | boolean } | null;
  is_active?: boolean;
}

/** A row of the account audit as the API shows it. */
export interface AuditView {
  id: string;
  at: string;
  actor: { kind: 'user' | 'api_key' | 'plycdn'; id: string | null; label: string | null; prefix: string | null };
  action: string;
  resourceKind: string;
  resourceId: string;
  detail: { [key: string]: string | number | boolean | null | string[] };
}
