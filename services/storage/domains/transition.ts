import { domainEdgeEntry } from '../../../mixins/storage/domain-work.ts';
import * as transitions from '../../../mixins/work/transitions.ts';
import type { Domain } from '../../../models/domain.ts';
import type { StorageContext } from '../tools.ts';
import type { Decision } from './decide.ts';
import { auditEntry } from './tools.ts';

/** The write of a decision on a domain that a worker holds. */
export function transitionOf(
  app: StorageContext,
  domain: Domain,
  { set, audit, next }: Decision,
  storeNow: number,
  unset: readonly string[] = [],
): transitions.Transition {
  const now = app.runtime.now();
  const effects = {
    document: { ...set, updatedAt: Math.max(now, domain.updatedAt) },
    outbox: [
      ...audit.map(({ action, detail }) => auditEntry(app, domain, null, action, detail)),
      // Edges serve active domains only.
      ...((set.state ?? domain.state) === domain.state || ![set.state, domain.state].includes('active')
        ? []
        : [domainEdgeEntry(app.runtime, domain)]),
    ],
  };
  const { filter, change } =
    next === null
      ? transitions.complete(domain, 'ready', storeNow, effects)
      : transitions.advance(domain, next.stage, storeNow, effects);
  const wait = next === null ? 0 : next.at - now;
  const later = wait > 0 ? { 'run.phase': 'put_off', 'run.dueAt': storeNow + wait } : {};
  return { filter, change: { ...change, set: { ...change.set, ...later }, unset } };
}
