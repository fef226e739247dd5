import { call, type ActionCaller } from '../../../mixins/actions.ts';
import type { House } from '../../../mixins/house.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { workingFor } from '../../../mixins/work-context.ts';
import { connectors, type Connector } from '../../../models/connector.ts';
import { systemScope } from '../../../models/scope.ts';
import type { ApplySync } from './applier.ts';
import type { Compare } from './compare.ts';
import { claim } from './claim.ts';
import { HeldSync } from './held-sync.ts';
import { holdSync } from './hold-sync.ts';
import { SyncFigures } from './figures.ts';

/** What syncs are carried out with. */
export interface SyncTools {
  house: House;
  /** Calls the registrar. */
  actions: ActionCaller;
  /** Carries a sync out. @throws SourceError, SyncLost, ListedNothing, StoreUnavailable, what the registrar throws, and what aborts the sync's signal */
  compare: Compare;
  /** Milliseconds before a source that listed nothing is asked again; half a minute where left out. */
  emptyPauseMs?: number;
  /** Milliseconds of the first pause after a temporary failure; five seconds where left out. */
  pauseMs?: number;
}

/** What carries out syncs, and can be told that one is due. */
export interface SyncIntake extends Intake {
  /** A sync may begin now. A hint: what is due stands in the record. */
  ring(): void;
}

/** Syncs that a process carries out at a time. */
const mostAtOnce = 4;
const lookedAt = 50;
const intervalMs = 2000;
/** A batch may hold hundreds of new files with their readers. */
const applyPatienceMs = 120_000;
const figuresMs = 60_000;

/** Looks for syncs that are due and carries them out, a few at a time. Any number of processes may do so. */
export function syncIntake(tools: SyncTools): SyncIntake {
  const { house, actions } = tools;
  const collection = house.records.collection(connectors, systemScope);
  const terms = { leaseMs: house.configuration.PLY_LEASE_SECONDS * 1000, time: () => house.records.time() };
  const apply: ApplySync = (batch) => call(actions, 'registrar.applySync', batch, { timeout: applyPatienceMs });
  const figures = new SyncFigures(house);
  const underWay = new Map<HeldSync, Promise<void>>();
  const timers: NodeJS.Timeout[] = [];
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;
  let isStopping = false;

  const take = (connector: Connector): void => {
    const held = new HeldSync(collection, connector, terms);
    const context = { organizationId: connector.organizationId, connectorId: connector._id };
    const span = house.tracing.background('sync', { 'ply.organization.id': connector.organizationId, 'ply.connector.id': connector._id, 'ply.sync.id': held.syncId });
    const work = workingFor({ ...context, span }, () => holdSync({ ...tools, apply, figures }, held)).finally(() => {
      span?.end(false);
      underWay.delete(held);
      look();
    });
    underWay.set(held, work);
  };
  const round = async (): Promise<void> => {
    const now = house.records.time();
    const due = await collection.find({ filter: { syncDue: { $lte: now } }, sort: [['syncDue', 1]], limit: lookedAt });
    for (const connector of due) {
      if (isStopping || underWay.size >= mostAtOnce) return;
      const claimed = await claim(house, collection, connector, terms);
      if (claimed !== null) take(claimed);
    }
  };
  const look = (): void => {
    if (isStopping) return;
    if (looking !== null) {
      isAskedAgain = true;
      return;
    }
    if (underWay.size >= mostAtOnce) return;
    looking = round()
      .catch((error: unknown) => house.log.warn({ err: error }, 'syncs are looked for later'))
      .finally(() => {
        looking = null;
        if (isAskedAgain) {
          isAskedAgain = false;
          look();
        }
      });
  };
  return {
    name: 'syncs',
    ring: look,
    start: () => {
      timers.push(setInterval(look, intervalMs), setInterval(() => void figures.survey(), figuresMs));
      look();
      return Promise.resolve();
    },
    stop: async () => {
      isStopping = true;
      for (const timer of timers) clearInterval(timer);
      await looking;
      for (const held of underWay.keys()) held.callOff(new Error('the process stops'));
      await Promise.all(underWay.values());
    },
  };
}
