import type { House } from '../../../mixins/house.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { connectors } from '../../../models/connector.ts';
import { systemScope } from '../../../models/scope.ts';
import { syncCandidates } from '../../../models/sync.ts';

const everyMs = 3_600_000;
/** First rounds come within this time, at different times in each process. */
const firstWithin = 600_000;
const removedAtOnce = 1000;

/**
 * Removes what syncs had put off that are no sync's any more: of a connector that was deleted or changed while the process
 * that synced it died. Candidates lie by their sync, so it looks at one of each sync. Answers how many it removed. Doing it
 * at the same time elsewhere changes nothing.
 * @throws StoreUnavailable
 */
export async function sweepCandidates({ records }: Pick<House, 'records'>, isStopping: () => boolean = () => false): Promise<number> {
  const candidates = records.collection(syncCandidates, systemScope);
  const all = records.collection(connectors, systemScope);
  let removed = 0;
  for (let behind = ''; !isStopping(); ) {
    const [first] = await candidates.find({ filter: { _id: { $gt: behind } }, sort: [['_id', 1]], limit: 1 });
    if (first === undefined) break;
    const { syncId, connectorId } = first;
    // A sync writes its first candidate after it stands in its connector, so one that does not stand there has ended.
    if ((await all.get(connectorId))?.sync?.syncId !== syncId) {
      for (let round = removedAtOnce; round === removedAtOnce && !isStopping(); removed += round) round = await candidates.removeMany({ _id: { $gt: `${syncId}/`, $lt: `${syncId}0` } }, removedAtOnce);
    }
    behind = `${syncId}0`;
  }
  return removed;
}

/** Sweeps every hour. */
export function candidatesSweeper({ records, ambient, log }: Pick<House, 'records' | 'ambient' | 'log'>): Intake {
  return periodicIntake({
    name: 'sweeper of sync candidates', everyMs, firstMs: ambient.random() * firstWithin,
    round: (isStopping) => sweepCandidates({ records }, isStopping),
    failed: (error) => log.warn({ err: error }, 'candidates of syncs are swept later'),
  });
}
