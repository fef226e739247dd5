import type { ServiceBroker } from 'moleculer';
import type { Asset, OutboxEntry, RevisionFacts } from '../../models/asset.ts';
import type { Stage } from '../../models/job.ts';
import { call } from '../actions/call.ts';
import type { AppContext } from '../app-context.ts';
import { emitEvent } from '../events.ts';
import type { Intake } from '../lifecycle.ts';
import { stageWorker } from '../work/worker.ts';
import { indexing } from './kind.ts';
import { advance, complete } from './runs.ts';

/** What a stage of indexing gets to work with. */
export interface StageWork {
  /** The asset as it was when the stage was claimed. */
  asset: Asset;
  /** Aborted when the lease is lost, the job is cancelled or the process stops: end at once, write nothing more. */
  signal: AbortSignal;
  /** Reports the progress within the stage, 0-100. */
  progress(percent: number): void;
  /**
   * Sets the outbox entries that are written if the stage fails for good, in place of those set before. A stage that is
   * done returns its entries in its result.
   */
  setFailureOutbox(entries: OutboxEntry[]): void;
}

/** What a stage ends with: the next stage, or (null) a revision that is ready to be the active one. */
export interface StageResult {
  next: Stage | null;
  facts: RevisionFacts;
  outbox: OutboxEntry[];
}

/** A stage of indexing, as an actor does it. */
export interface IndexingStage {
  stage: Stage;
  /** Jobs that this process does at a time. */
  slots: number;
  work(work: StageWork): Promise<StageResult>;
  /** Resolves when the work can begin; nothing is claimed before, and the start of the process does not wait for it. */
  prepared?(stopping: AbortSignal): Promise<void>;
}

/** Makes the worker of a stage of indexing. */
export function indexingStage(app: AppContext, broker: ServiceBroker, { work, ...options }: IndexingStage): Intake {
  const kind = indexing(app, (events) => call(broker, 'ledger.record', { events }));
  return stageWorker(app, kind, {
    ...options,
    work: async ({ document, ...given }) => {
      const { next, facts, outbox } = await work({ asset: document, ...given });
      return (asset, now) =>
        next === null ? complete(asset, facts, outbox, now) : advance(asset, next, facts, outbox, now);
    },
    changed: (organizationId, stages, runs) => emitEvent(broker, 'runs.changed', { organizationId, stages, runs }),
    lost: ({ organizationId, _id, run }) =>
      emitEvent(broker, 'index.stale', { organizationId, assetId: _id, revision: run.revision }),
  });
}
