import { defineCollection } from './collection.ts';
import type { JobErrorCode } from './errors.ts';
import type { RevisionFacts } from './asset.ts';
import type { WorkRun } from './work.ts';

/** The steps of a run that workers carry out. */
export const stages = ['extracting', 'transcribing', 'embedding', 'deleting', 'cleanup'] as const;
/** A step of a run that workers carry out. */
export type Stage = (typeof stages)[number];
/** State of a job in the API: its current stage, the reason for waiting, or its result. */
export type JobState =
  'queued' | Stage | 'retry_scheduled' | 'awaiting_source_access' | 'ready' | 'failed' | 'cancelled';

/**
 * One run over a revision of an asset; the API calls it a job. The latest run is in its asset's document, earlier ones
 * in the `runs` collection.
 */
export interface Run extends WorkRun {
  revision: number;
  /**
   * Its purpose: reading a file, embedding it again after a change of the model, indexing a corrected transcript, or
   * removing the asset.
   */
  purpose: 'index' | 'reembed' | 'correct' | 'remove';
  state: JobState;
  stage: Stage;
  errorCode: JobErrorCode | null;
  /** Facts that this run has found so far. */
  facts: RevisionFacts;
}

/** An earlier run of an asset, kept as history. Its id is the job's id. */
export interface ArchivedRun {
  _id: string;
  organizationId: string;
  assetId: string;
  run: Run;
  /**
   * Version of the asset's document from which the run was read: a later version replaces an earlier one, never the
   * reverse. Absent in documents of the first version.
   */
  assetVersion?: number;
}

/** Runs that were superseded by a later run of the same asset. */
export const archivedRuns = defineCollection<ArchivedRun>({
  name: 'runs',
  owner: 'organization',
  indexes: [{ name: 'asset', fields: ['organizationId', 'assetId', 'run.createdAt'] }],
});

/** The run that is charged for indexing a content. Each content is charged once per account. */
export interface ContentClaim {
  /** `<account id>:<sha256>` */
  _id: string;
  accountId: string;
  assetId: string;
  jobId: string;
}

/** The claims of all contents. */
export const contentClaims = defineCollection<ContentClaim>({ name: 'contents', owner: 'deployment', indexes: [] });
