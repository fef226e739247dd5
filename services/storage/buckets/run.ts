import type { WorkRun } from '../../../models/work.ts';
import type { StorageContext } from '../tools.ts';

/** A new run, which waits for its turn. */
export function newRun<S extends string>(
  { runtime, records }: Pick<StorageContext, 'runtime' | 'records'>,
  stage: S,
): WorkRun & { stage: S } {
  const now = records.time();
  return {
    jobId: runtime.uuid(),
    state: 'queued',
    stage,
    stageSeq: 1,
    progress: 0,
    errorCode: null,
    attempt: 1,
    lostLeases: 0,
    blame: 0,
    token: 0,
    lease: null,
    phase: 'waiting',
    dueAt: null,
    dispatchedBy: null,
    queuedAt: now,
    createdAt: now,
    updatedAt: now,
  };
}
