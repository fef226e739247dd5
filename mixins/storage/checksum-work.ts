import { checksumChecks, type ChecksumCheck } from '../../models/storage-object.ts';
import type { AppContext } from '../app-context.ts';
import type { WorkKind } from '../work/kind.ts';

/** Checks of declared SHA-256 digests: each is done until it is known whether the object has it. */
export function checksumWork(app: Pick<AppContext, 'metrics'>): WorkKind<ChecksumCheck> {
  return {
    collection: checksumChecks,
    stages: ['verifying'],
    cleanup: () => [],
    maxAttempts: () => Infinity,
    deliver: () => Promise.resolve(),
    failureOf: (error) => {
      const name = error instanceof Error ? error.name : '';
      // The object was deleted or replaced: nobody asks any more.
      if (name === 'ContentNotFound') return { code: 'content_gone', outcome: 'definite' };
      return { code: name === 'StoreUnavailable' ? 'store_unavailable' : 'internal_error', outcome: 'temporary' };
    },
    context: () => ({}),
    measure: ({ stage, outcome, seconds }) =>
      app.metrics.stageSeconds.observe({ stage, format: 'object', outcome }, seconds),
    ended: ({ run }) => app.metrics.jobsEnded.inc({ state: run.state, code: run.errorCode ?? 'none' }),
  };
}
