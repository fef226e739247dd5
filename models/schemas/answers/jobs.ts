import { stages, type JobState } from '../../job.ts';
import { annotated, answer, id, listOf, literals, ordinal, orNull, percent, text, time } from './answer.ts';

/** Every state of a job. */
export const states = [
  'queued',
  'extracting',
  'transcribing',
  'embedding',
  'retry_scheduled',
  'awaiting_source_access',
  'ready',
  'failed',
  'cancelled',
  'deleting',
  'cleanup',
] as const satisfies JobState[];

/** The fields that every view of a job has. */
export const job = {
  jobId: id,
  state: annotated(literals(...states), { title: 'JobState' }),
  stage: annotated(literals(...stages), { title: 'Stage' }),
  progress: percent,
  errorCode: orNull(text),
  attempt: ordinal,
  updatedAt: time,
};

/** The job that a registration, a reindex or a removal has started. */
export const accepted = answer('Accepted', { assetId: id, jobId: id, revision: ordinal });

/** The latest job of an asset. */
export const latestJob = answer('LatestJob', job);

/** A job. */
export const jobAnswer = answer('Job', {
  ...job,
  assetId: id,
  revision: ordinal,
  retryAt: orNull(time),
  createdAt: time,
});

/** The jobs of an asset. */
export const jobsAnswer = answer('Jobs', { items: listOf(jobAnswer) });

/** Answer of a cancellation. */
export const cancelled = answer('CancelledJob', { jobId: id, state: literals('cancelled') });
