import { setTimeout as pause } from 'node:timers/promises';
import type { StageResult, StageWork } from '../../../mixins/work/worker.ts';
import * as transitions from '../../../mixins/work/transitions.ts';
import type { Domain } from '../../../models/domain.ts';
import type { Storage } from '../tools.ts';
import { beginAgain } from './change.ts';
import { auditEntry } from './tools.ts';

/** How often edges are asked whether they have applied a change, and for how long in one attempt. In milliseconds. */
const edgePollMs = 100;
const edgePatienceMs = 30_000;

/**
 * Gives the hostname of a deleted, failed or detached domain free, once no edge serves it for this domain any more.
 * @throws an error that is tried again, where an edge does not answer
 */
export async function release({ app }: Storage, { document, signal }: StageWork<Domain>): Promise<StageResult<Domain>> {
  if (document.claimedHostname !== undefined) {
    const position = await app.edgeChanges.append([{ kind: 'domain', hostname: document.claimedHostname }]);
    for (let waited = 0; (await app.edgeChanges.acknowledged()) < position; waited += edgePollMs) {
      if (waited >= edgePatienceMs) throw new Error('an edge does not acknowledge changes');
      await pause(edgePollMs, undefined, { signal });
    }
  }
  return (domain, storeNow) => {
    const held = domain.claimedHostname !== undefined;
    const { filter, change } = transitions.complete(domain, 'ready', storeNow, {
      document: { certificate: null, 'checks.certificate': 'none' },
      outbox: held ? [auditEntry(app, domain, null, 'domain.released')] : [],
    });
    const again = domain.isRequested && domain.deletedAt === null ? beginAgain(app, domain) : {};
    const ended = Object.keys(again).length > 0 ? withoutRun(change.set) : change.set;
    return {
      // A look that is asked for meanwhile must not be forgotten: the release is then done again.
      filter: { ...filter, isRequested: domain.isRequested },
      change: { ...change, set: { ...ended, ...again }, unset: ['claimedHostname', 'sealedCertificateKey'] },
    };
  };
}

/** Fields of a change without those of the run, which is replaced as a whole. */
function withoutRun(set: transitions.Transition['change']['set'] = {}): NonNullable<typeof set> {
  return Object.fromEntries(
    Object.entries(set).filter(([path]) => !path.startsWith('run.') && !path.startsWith('checks.')),
  );
}
