import { call, type ActionCaller } from '../../../mixins/actions/call.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { workingFor } from '../../../mixins/work-context.ts';
import { connectors, type Connector } from '../../../models/connector.ts';
import { systemScope } from '../../../models/scope.ts';
import type { ApplySync } from './applier.ts';
import type { Compare } from './compare.ts';
import { claim } from './claim.ts';
import { LeasedSync } from './leased-sync.ts';
import { processSync } from './process-sync.ts';
import { SyncFigures } from './figures.ts';

/** What running syncs needs. */
export interface SyncTools {
  app: AppContext;
  /** Calls the registrar. */
  actions: ActionCaller;
  /**
   * Runs a sync. @throws SourceError, LeaseLost, ListedNothing, StoreUnavailable, what the registrar throws, and the
   * reason of the sync's signal
   */
  compare: Compare;
  /** Milliseconds before a source that listed nothing is listed again; 30,000 by default. */
  emptyPauseMs?: number;
  /** First backoff after a temporary failure, in milliseconds; 5,000 by default. */
  pauseMs?: number;
}

/** Runs syncs, and accepts hints that one is due. */
export interface SyncIntake extends Intake {
  /** Looks for due syncs now. Only a hint: the records hold what is due. */
  wakeUp(): void;
}

/** Maximum number of concurrent syncs of a process. */
const maxConcurrent = 4;
const pageSize = 50;
const intervalMs = 2000;
/** A batch may contain hundreds of new files with their principals. */
const applyTimeoutMs = 120_000;
const figuresMs = 60_000;

/** Polls for due syncs and runs a few at a time. Several processes may do so at once. */
export function syncIntake(tools: SyncTools): SyncIntake {
  const { app, actions } = tools;
  const collection = app.records.collection(connectors, systemScope);
  const terms = { leaseMs: app.configuration.PLY_LEASE_SECONDS * 1000, time: () => app.records.time(), log: app.log };
  const apply: ApplySync = (batch) => call(actions, 'registrar.applySync', batch, { timeout: applyTimeoutMs });
  const figures = new SyncFigures(app);
  const underWay = new Map<LeasedSync, Promise<void>>();
  const timers: NodeJS.Timeout[] = [];
  let looking: Promise<void> | null = null;
  let isLookRequested = false;
  let isStopping = false;

  const take = (connector: Connector): void => {
    const handle = new LeasedSync(collection, connector, terms);
    const context = { organizationId: connector.organizationId, connectorId: connector._id };
    const span = app.tracing.background('sync', {
      'ply.organization.id': connector.organizationId,
      'ply.connector.id': connector._id,
      'ply.sync.id': handle.syncId,
    });
    const work = workingFor({ ...context, span }, () => processSync({ ...tools, apply, figures }, handle)).finally(
      () => {
        span?.end(false);
        underWay.delete(handle);
        look();
      },
    );
    underWay.set(handle, work);
  };
  const round = async (): Promise<void> => {
    const now = app.records.time();
    const due = await collection.find({ filter: { syncDue: { $lte: now } }, sort: [['syncDue', 1]], limit: pageSize });
    for (const connector of due) {
      if (isStopping || underWay.size >= maxConcurrent) return;
      const claimed = await claim(app, collection, connector, terms);
      if (claimed !== null) take(claimed);
    }
  };
  const look = (): void => {
    if (isStopping) return;
    if (looking !== null) {
      isLookRequested = true;
      return;
    }
    if (underWay.size >= maxConcurrent) return;
    looking = round()
      .catch((error: unknown) => app.log.warn({ err: error }, 'looking for due syncs failed, will retry'))
      .finally(() => {
        looking = null;
        if (isLookRequested) {
          isLookRequested = false;
          look();
        }
      });
  };
  return {
    name: 'syncs',
    wakeUp: look,
    start: () => {
      timers.push(
        setInterval(look, intervalMs),
        setInterval(() => void figures.survey(), figuresMs),
      );
      look();
      return Promise.resolve();
    },
    stop: async () => {
      isStopping = true;
      for (const timer of timers) clearInterval(timer);
      await looking;
      for (const handle of underWay.keys()) handle.abort(new Error('the process stops'));
      await Promise.all(underWay.values());
    },
  };
}
