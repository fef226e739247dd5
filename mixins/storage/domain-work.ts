import { domains, type Domain, type DomainEntry } from '../../models/domain.ts';
import type { AppContext } from '../app-context.ts';
import type { WorkFailure, WorkKind } from '../work/kind.ts';
import { deliverToEdgesAndAudit } from './edge-and-audit-outbox.ts';

/** What keeps a stage from being done passes: what the outside says is an outcome of the stage, not a failure. */
function failureOf(error: unknown): WorkFailure {
  const isAway = error instanceof Error && error.name === 'StoreUnavailable';
  return { code: isAway ? 'store_unavailable' : 'internal_error', outcome: 'temporary' };
}

/** The outbox entry that makes edges read again whose a hostname is. */
export function domainEdgeEntry(
  { uuid }: Pick<AppContext['runtime'], 'uuid'>,
  { hostname }: Pick<Domain, 'hostname'>,
): DomainEntry {
  return { id: uuid(), kind: 'edge', notBefore: 0, change: { kind: 'domain', hostname } };
}

/** Work on custom domains: looking at their DNS, obtaining their certificates, and giving hostnames free. */
export function domainWork(app: Pick<AppContext, 'records' | 'metrics' | 'edgeChanges'>): WorkKind<Domain> {
  return {
    collection: domains,
    stages: ['checking_domain', 'certifying_domain', 'releasing_domain'],
    cleanup: () => [],
    maxAttempts: () => Infinity,
    deliver: (_, items) => deliverToEdgesAndAudit(app, items),
    failureOf,
    context: () => ({}),
    measure: ({ stage, outcome, seconds }) =>
      app.metrics.stageSeconds.observe({ stage, format: 'domain', outcome }, seconds),
    ended: ({ run }) => app.metrics.jobsEnded.inc({ state: run.state, code: run.errorCode ?? 'none' }),
  };
}
