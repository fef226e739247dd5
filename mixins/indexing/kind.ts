import { assets, type Asset } from '../../models/asset.ts';
import { formatName } from '../../models/formats.ts';
import type { Run } from '../../models/job.ts';
import type { AppContext } from '../app-context.ts';
import type { WorkKind } from '../work/kind.ts';
import { failureOf } from './failure.ts';
import { deliver, type RecordUsage } from './outbox.ts';
import { awaitAccess, cleanup } from './runs.ts';

/** Indexing of files: its runs are in the documents of assets. */
export function indexing(app: AppContext, recordUsage: RecordUsage): WorkKind<Asset> {
  return {
    ...cleanup,
    collection: assets,
    stages: ['extracting', 'transcribing', 'embedding'],
    deliver: (asset, entries) => deliver(app, recordUsage, asset, entries),
    failureOf,
    pause: awaitAccess,
    context: ({ _id }) => ({ assetId: _id }),
    measure: ({ document: { filename, kind }, stage, outcome, seconds }) =>
      app.metrics.stageSeconds.observe({ stage, format: formatName(filename, kind), outcome }, seconds),
    ended: (asset) => recordEnded(app, asset, asset.run),
  };
}

/**
 * Records the end of a run in metrics and traces. Whoever wrote the end calls it, once: the worker, the registrar for
 * what was cancelled or replaced, the sweeper for what lost its workers.
 */
export function recordEnded(
  { tracing, metrics }: Pick<AppContext, 'tracing' | 'metrics'>,
  { _id, organizationId }: Pick<Asset, '_id' | 'organizationId'>,
  { jobId, createdAt, state, errorCode }: Run,
): void {
  tracing.job({
    jobId,
    createdAt,
    hasFailed: state === 'failed',
    attributes: {
      'ply.organization.id': organizationId,
      'ply.asset.id': _id,
      'ply.state': state,
      'ply.code': errorCode ?? 'none',
    },
  });
  metrics.jobsEnded.inc({ state, code: errorCode ?? 'none' });
  if (metrics.watched.has(organizationId)) metrics.organizationEnded.inc({ organization: organizationId, state });
}
