import type { Asset } from '../../models/asset.ts';
import type { Run } from '../../models/job.ts';
import type { House } from '../house.ts';

/**
 * Tells metrics and traces of a run that has come to its end. Whoever wrote the end tells it, once: the worker, the
 * registrar of what was cancelled or replaced, the sweeper of what lost its workers.
 */
export function tellEnded({ tracing, metrics }: Pick<House, 'tracing' | 'metrics'>, { _id, organizationId }: Pick<Asset, '_id' | 'organizationId'>, run: Run): void {
  const { jobId, createdAt, state, errorCode } = run;
  tracing.job({
    jobId, createdAt, hasFailed: state === 'failed',
    attributes: { 'ply.organization.id': organizationId, 'ply.asset.id': _id, 'ply.state': state, 'ply.code': errorCode ?? 'none' },
  });
  metrics.jobsEnded.inc({ state, code: errorCode ?? 'none' });
  if (metrics.watched.has(organizationId)) metrics.organizationEnded.inc({ organization: organizationId, state });
}
