import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { connectors } from '../../../models/connector.ts';
import { systemScope } from '../../../models/scope.ts';
import { syncCandidates } from '../../../models/sync.ts';

const everyMs = 3_600_000;
/** Maximum random delay of the first round, which spreads the rounds of several processes. */
const firstWithin = 600_000;
const removedAtOnce = 1000;

/**
 * Removes the candidates of syncs that have ended: their connector was deleted or changed while the process that synced
 * it crashed. Candidates are ordered by sync, so one of each sync is checked. Answers how many were removed. Several
 * processes may run it at once.
 * @throws StoreUnavailable
 */
export async function sweepCandidates(
  { records }: Pick<AppContext, 'records'>,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const candidates = records.collection(syncCandidates, systemScope);
  const all = records.collection(connectors, systemScope);
  let removed = 0;
  for (let behind = ''; !isStopping();) {
    const [first] = await candidates.find({ filter: { _id: { $gt: behind } }, sort: [['_id', 1]], limit: 1 });
    if (first === undefined) break;
    const { syncId, connectorId } = first;
    // A sync is stored in its connector before its first candidate, so one that is not stored there has ended.
    if ((await all.get(connectorId))?.sync?.syncId !== syncId) {
      for (let round = removedAtOnce; round === removedAtOnce && !isStopping(); removed += round)
        round = await candidates.removeMany({ _id: { $gt: `${syncId}/`, $lt: `${syncId}0` } }, removedAtOnce);
    }
    behind = `${syncId}0`;
  }
  return removed;
}

/** Sweeps every hour. */
export function candidatesSweeper({ records, runtime, log }: Pick<AppContext, 'records' | 'runtime' | 'log'>): Intake {
  return periodicIntake({
    name: 'sweeper of sync candidates',
    everyMs,
    firstMs: runtime.random() * firstWithin,
    round: (isStopping) => sweepCandidates({ records }, isStopping),
    failed: (error) => log.warn({ err: error }, 'sweeping sync candidates failed, will retry'),
  });
}
