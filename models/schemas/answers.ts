import type { Accepted, AnswerResponse, AssetView, AuditView, Citation, ImportResult, JobView, LatestJobView, Moment, PlaybackLink, RelatedItem, RelatedResponse, SearchItem, SearchResponse, SubOrganizationView } from '../api.ts';
import type { Warning } from '../asset.ts';
import type { Location } from '../block.ts';
import type { JobState, Stage } from '../job.ts';
import type { Json, JsonObject } from '../json.ts';
import { kind } from './assets.ts';
import type { Schema } from './schema.ts';

/*
 * What the API answers, as JSON Schema alone: answers are made by our own actors and are not checked at run time.
 * Each is tied to the type of the answer by its field names, so a view that grows a field fails to compile here.
 * Objects stay open: clients ignore fields that they do not know.
 */

/**
 * The schema of an answer, or of an object in one, whose fields must be named exactly as the type names them.
 * @param name under which the API's description has it, once for all operations
 */
export function answer<T extends object>(name: string, properties: { [K in keyof Required<T>]: JsonObject }, optional: readonly (keyof T & string)[] | 'all' = []): Schema<T> {
  const needed = optional === 'all' ? [] : Object.keys(properties).filter((field) => !optional.some((left) => left === field));
  return described<T>({ title: name, type: 'object', properties: { ...properties }, required: needed });
}

function described<T>(json: JsonObject): Schema<T> {
  return {
    json,
    check: () => {
      throw new Error('answers are described, not checked');
    },
  };
}

/** A list of what a schema describes. */
export function listOf<T>(items: Schema<T>): JsonObject {
  return { type: 'array', items: items.json };
}

/** A value that may also be null. */
export function orNull(json: JsonObject): JsonObject {
  return { anyOf: [json, { type: 'null' }] };
}

/** No answer but the status. */
export const nothing = described<null>({ type: 'null' });

/** An id. */
export const id: JsonObject = { type: 'string', format: 'uuid' };
/** A time as the API writes it. */
export const time: JsonObject = { type: 'string', format: 'date-time' };
/** A text. */
export const text: JsonObject = { type: 'string' };
/** A whole number from 0. */
export const count: JsonObject = { type: 'integer', minimum: 0 };
const flag: JsonObject = { type: 'boolean' };
const texts: JsonObject = { type: 'array', items: text };
const percent: JsonObject = { type: 'integer', minimum: 0, maximum: 100 };
const metadata: JsonObject = { type: 'object', description: 'Texts, numbers, booleans, or lists of them, by key.' };
/** One of a few words. */
export const words = (...allowed: Json[]): JsonObject => ({ type: 'string', enum: allowed });

/** Every state of a job. */
export const states: JobState[] = ['queued', 'extracting', 'transcribing', 'embedding', 'retry_scheduled', 'awaiting_source_access', 'ready', 'failed', 'cancelled', 'deleting', 'cleanup'];
const stages: Stage[] = ['extracting', 'transcribing', 'embedding', 'deleting', 'cleanup'];
/** What is shown of a job wherever one is. */
export const job = { jobId: id, state: { ...words(...states), title: 'JobState' }, stage: { ...words(...stages), title: 'Stage' }, progress: percent, errorCode: orNull(text), attempt: { type: 'integer', minimum: 1 }, updatedAt: time };

/** Answer of what was accepted. */
export const accepted = answer<Accepted>('Accepted', { assetId: id, jobId: id, revision: { type: 'integer', minimum: 1 } });

const latestJob = answer<LatestJobView>('LatestJob', job);

/** A job. */
export const jobAnswer = answer<JobView>('Job', { ...job, assetId: id, revision: { type: 'integer', minimum: 1 }, retryAt: orNull(time), createdAt: time });

/** The runs of an asset. */
export const jobsAnswer = answer<{ items: JobView[] }>('Jobs', { items: listOf(jobAnswer) });

/** Answer of a cancellation. */
export const cancelled = answer<{ jobId: string; state: 'cancelled' }>('CancelledJob', { jobId: id, state: words('cancelled') });

/** What is told about a revision besides that it is there. */
export const warning = answer<Warning>('Warning', { code: text, detail: text });

/** An asset. */
export const assetAnswer = answer<AssetView>(
  'Asset',
  {
    assetId: id,
    externalId: text,
    filename: text,
    kind: kind.json,
    sourceUrl: text,
    sourceVersion: text,
    state: words('indexing', 'ready', 'failed', 'awaiting_source_access', 'deleting'),
    activeRevision: orNull({ type: 'integer', minimum: 1 }),
    latestRevision: { type: 'integer', minimum: 1 },
    revisionState: words('indexing', 'ready', 'failed', 'awaiting_source_access', 'cancelled'),
    language: text,
    audioTrack: orNull(count),
    collections: texts,
    callbackKey: orNull(text),
    contentSha256: orNull(text),
    connectorId: orNull(id),
    connectorName: orNull(text),
    bucketId: orNull(id),
    sourceAccessMode: orNull(words('renewable', 'stored')),
    sourceMissingSince: orNull(time),
    metadata,
    aclMode: words('open', 'restricted'),
    extractContentFromVideoFrames: orNull(flag),
    latestJob: latestJob.json,
    createdAt: time,
    updatedAt: time,
    warnings: listOf(warning),
  },
  ['warnings'],
);

/** A page of assets. */
export const assetsAnswer = answer<{ items: AssetView[]; total: number; limit: number; offset: number }>('Assets', { items: listOf(assetAnswer), total: count, limit: count, offset: count });

/** Assets with their latest jobs. */
export const activityAnswer = answer<{ items: AssetView[]; nextCursor?: string | null }>('Activity', { items: listOf(assetAnswer), nextCursor: orNull(text) }, ['nextCursor']);

/** Where a file is played from. */
export const playbackAnswer = answer<PlaybackLink>('PlaybackLink', { format: words('hls', 'file'), url: text, nativeUrl: orNull(text), poster: orNull(text), expiresAt: time });

/** Metadata of an asset. */
export const metadataAnswer = answer<{ assetId: string; metadata: AssetView['metadata'] }>('Metadata', { assetId: id, metadata });

/** Permissions of an asset. */
export const permissionsAnswer = answer<{ assetId: string; mode: 'open' | 'restricted'; principals: string[] }>('Permissions', { assetId: id, mode: words('open', 'restricted'), principals: texts });

/** What went on when access to a source was given. */
export const sourceAccessAnswer = answer<{ assetId: string; resumedJobs: string[] }>('ResumedJobs', { assetId: id, resumedJobs: { type: 'array', items: id } });

const importResult: Schema<ImportResult> = described({
  anyOf: [
    { type: 'object', properties: { externalId: text, assetId: id, jobId: id, revision: { type: 'integer', minimum: 1 } }, required: ['externalId', 'assetId', 'jobId', 'revision'] },
    { type: 'object', properties: { externalId: orNull(text), code: text, detail: text, fields: { type: 'array', items: { type: ['string', 'integer'] } } }, required: ['externalId', 'code'] },
  ],
});

/** What became of each item of an import, in the order sent. */
export const importAnswer = answer<{ importId: string; results: ImportResult[] }>('Import', { importId: id, results: listOf(importResult) });

type ImportProgress = { jobId: string; assetId: string; state: string; progress: number; errorCode: string | null };
const importProgress = answer<ImportProgress>('ImportItem', { jobId: id, assetId: id, state: text, progress: percent, errorCode: orNull(text) });

/** How the items of an import stand. */
export const importStateAnswer = answer<{ importId: string; items: ImportProgress[] }>('ImportState', { importId: id, items: listOf(importProgress) });

type Format = { kind: string; extensions: string[]; describes: string };
/** What the service indexes. */
export const capabilitiesAnswer = answer<{ formats: Format[]; maxFileBytes: number; maxDocumentBytes: number; maxAudioSeconds: number }>('Capabilities', {
  formats: listOf(answer<Format>('Format', { kind: kind.json, extensions: texts, describes: text })),
  maxFileBytes: count,
  maxDocumentBytes: count,
  maxAudioSeconds: count,
});

const highlight = answer<{ start: number; end: number }>('Highlight', { start: count, end: count });
const seconds: JsonObject = { type: 'number', minimum: 0 };
const ordinal: JsonObject = { type: 'integer', minimum: 1 };
const location = answer<Location>(
  'Location',
  {
    startSeconds: { ...seconds, description: 'Recordings: where the passage begins.' },
    endSeconds: { ...seconds, description: 'Recordings: where the passage ends.' },
    playFromSeconds: { ...seconds, description: 'Recordings: where to start playing, shortly before what the query matched.' },
    timingPrecision: words('segment', 'word'),
    source: { const: 'slide', description: 'Present where the text was read from the picture.' },
    page: ordinal,
    charStart: { ...count, description: 'UTF-16 units from the start of the page or file.' },
    charEnd: { ...count, description: 'Exclusive.' },
    block: ordinal,
    heading: text,
    row: ordinal,
    column: ordinal,
    sheet: text,
    lineStart: ordinal,
    lineEnd: ordinal,
    element: ordinal,
    resource: { ...text, description: 'Courses: the file inside the package.' },
    title: { ...text, description: 'Courses: what the author called it.' },
    slide: ordinal,
  },
  'all',
);
const grade: JsonObject = { type: 'number', minimum: 0, maximum: 1 };
const moment = {
  snippet: text,
  highlights: listOf(highlight),
  location: location.json,
  relevance: grade,
  confidence: { ...words('high', 'moderate', 'low'), title: 'Confidence' },
  matchType: { ...words('keyword', 'semantic', 'both'), title: 'MatchType' },
  speaker: orNull(text),
  language: orNull(text),
};
const itemFields = {
  assetId: id,
  filename: text,
  kind: kind.json,
  revision: { type: 'integer', minimum: 1 },
  ...moment,
  score: { type: 'number' },
  metadata,
  sourceReference: answer<SearchItem['sourceReference']>('SourceReference', { externalId: text, sourceUrl: text, sourceVersion: text }).json,
  pinned: flag,
};
const searchItem = answer<SearchItem>('SearchItem', { ...itemFields, momentCount: count, moments: { ...listOf(answer<Moment>('Moment', moment)), maxItems: 20 } }, ['momentCount', 'moments']);

/** What a search found. */
export const searchAnswer = answer<SearchResponse>('SearchResult', { items: listOf(searchItem), withheldAsWeak: count, hasMore: flag, terms: texts, searchId: id });

const citation = answer<Citation>('Citation', { ...itemFields, number: { type: 'integer', minimum: 1 }, cited: flag });

/** A written answer with the passages that were offered to it. */
export const writtenAnswer = answer<AnswerResponse>('Answer', { searchId: id, answer: orNull(text), citations: { ...listOf(citation), maxItems: 12 }, withheldAsWeak: count });

const relatedItem = answer<RelatedItem>('RelatedFile', { assetId: id, externalId: text, filename: text, kind: kind.json, metadata, similarity: grade });

/** Files that are like a file. */
export const relatedAnswer = answer<RelatedResponse>('RelatedFiles', { searchId: id, assetId: id, items: { ...listOf(relatedItem), maxItems: 50 } });

/** A sub-organization. */
export const subOrganizationAnswer = answer<SubOrganizationView>('SubOrganization', {
  id,
  parent_organization_id: id,
  name: text,
  contact_email: orNull(text),
  description: orNull(text),
  is_active: flag,
  metadata: orNull(metadata),
  created_at: time,
  updated_at: time,
});

/** All sub-organizations: a bare list. */
export const subOrganizationsAnswer: Schema<SubOrganizationView[]> = described(listOf(subOrganizationAnswer));

/** Answer of a deactivation. */
export const deactivated = answer<{ success: true; message: string }>('Deactivated', { success: { const: true }, message: text });

const actor = answer<AuditView['actor']>('AuditActor', { kind: words('user', 'api_key', 'plycdn'), id: orNull(text), label: orNull(text), prefix: orNull(text) });
const auditItem = answer<AuditView>('AuditRow', { id: text, at: time, actor: actor.json, action: text, resourceKind: text, resourceId: text, detail: { type: 'object' } });

/** A page of the account audit. */
export const auditAnswer = answer<{ items: AuditView[]; next: string | null }>('AuditRows', { items: listOf(auditItem), next: orNull(text) });
