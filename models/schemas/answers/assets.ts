import { kind } from '../assets.ts';
import {
  answer,
  boolean,
  count,
  id,
  listOf,
  literals,
  metadata,
  optionalAnswer,
  ordinal,
  orNull,
  text,
  texts,
  time,
} from './answer.ts';
import { latestJob } from './jobs.ts';

const aclMode = literals('open', 'restricted');

/** A note about a revision, such as a page without text. */
export const warning = answer('Warning', { code: text, detail: text });

/** An asset. */
export const assetAnswer = answer('Asset', {
  assetId: id,
  externalId: text,
  filename: text,
  kind,
  sourceUrl: text,
  sourceVersion: text,
  state: literals('indexing', 'ready', 'failed', 'awaiting_source_access', 'deleting'),
  activeRevision: orNull(ordinal),
  latestRevision: ordinal,
  revisionState: literals('indexing', 'ready', 'failed', 'awaiting_source_access', 'cancelled'),
  language: text,
  audioTrack: orNull(count),
  collections: texts,
  callbackKey: orNull(text),
  contentSha256: orNull(text),
  connectorId: orNull(id),
  connectorName: orNull(text),
  bucketId: orNull(id),
  sourceAccessMode: orNull(literals('renewable', 'stored')),
  sourceMissingSince: orNull(time),
  metadata,
  aclMode,
  extractContentFromVideoFrames: orNull(boolean),
  latestJob,
  createdAt: time,
  updatedAt: time,
  /** In the answer for a single asset only. */
  warnings: optionalAnswer(listOf(warning)),
});

/** A page of assets. */
export const assetsAnswer = answer('Assets', {
  items: listOf(assetAnswer),
  total: count,
  limit: count,
  offset: count,
});

/** Assets with their latest jobs. */
export const activityAnswer = answer('Activity', {
  items: listOf(assetAnswer),
  nextCursor: optionalAnswer(orNull(text)),
});

/** The address from which a file can be played until `expiresAt`. */
export const playbackAnswer = answer('PlaybackLink', {
  format: literals('hls', 'file'),
  url: text,
  /** With `hls`: the address for players with native HLS. Else null. */
  nativeUrl: orNull(text),
  /** With `hls`: a still picture. Else null. */
  posterUrl: orNull(text),
  /** Null where the bucket is public: its links do not expire. */
  expiresAt: orNull(time),
});

/** Metadata of an asset. */
export const metadataAnswer = answer('Metadata', { assetId: id, metadata });

/** Permissions of an asset. */
export const permissionsAnswer = answer('Permissions', { assetId: id, mode: aclMode, principals: texts });

/** The jobs that continue with the new access. */
export const sourceAccessAnswer = answer('ResumedJobs', { assetId: id, resumedJobs: listOf(id) });

/** The formats and limits of the service. */
export const capabilitiesAnswer = answer('Capabilities', {
  formats: listOf(answer('Format', { kind, extensions: texts, describes: text })),
  maxFileBytes: count,
  maxDocumentBytes: count,
  maxAudioSeconds: count,
});
