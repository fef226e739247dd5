import type { Context, ServiceBroker, ServiceSchema } from 'moleculer';
import { call } from '../../mixins/actions/call.ts';
import type { EventMap } from '../../mixins/events.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { indexing } from '../../mixins/indexing/kind.ts';
import { bucketWork } from '../../mixins/storage/bucket-work.ts';
import { domainWork } from '../../mixins/storage/domain-work.ts';
import { checksumWork } from '../../mixins/storage/checksum-work.ts';
import { videoWork } from '../../mixins/storage/video-work.ts';
import { webhookWork } from '../../mixins/webhooks/webhook-work.ts';
import { Dispatcher, stageSlots, type DispatchOptions } from '../../mixins/work/dispatcher.ts';
import type { WorkKind } from '../../mixins/work/kind.ts';
import { PollLoop } from '../../mixins/work/poll-loop.ts';
import { Sweeper } from '../../mixins/work/sweeper.ts';
import type { Runnable } from '../../models/work.ts';
import { AudioDays } from './audio-days.ts';
import { Backlog } from './backlog.ts';

/** Longest time between two rounds of dispatching: usually a hint comes sooner. */
const dispatchIntervalMs = 1000;
/** How late an expired lease, or an attempt that is due, is noticed at most. */
const sweepIntervalMs = 1000;
/** Time between two updates of the backlog metrics. */
const backlogIntervalMs = 15_000;

/** The loops that schedule one kind of work. */
interface Scheduling {
  /** By stage. */
  dispatching: ReadonlyMap<string, PollLoop>;
  repairing: readonly PollLoop[];
  takeOver(): Promise<number>;
}

/** The actor that decides whose turn it is, and repairs what crashes left behind. */
export function schedulerService(app: AppContext, broker: ServiceBroker): ServiceSchema {
  const { log } = app;
  const files = indexing(app, (events) => call(broker, 'ledger.record', { events }));
  const days = new AudioDays(app);
  const wakeUp = (_: string, stages: readonly string[]): void => {
    for (const stage of stages) dispatching.get(stage)?.wakeUp();
  };
  // Every kind of work is one more element.
  const kinds = [
    schedule(app, broker, files, { extracting: { admit: (waiting) => days.admit(waiting) } }),
    schedule(app, broker, bucketWork(app)),
    schedule(app, broker, domainWork(app)),
    schedule(app, broker, checksumWork(app)),
    schedule(app, broker, videoWork(app, broker, wakeUp)),
    schedule(app, broker, webhookWork(app)),
  ];
  const dispatching = new Map(kinds.flatMap((kind) => [...kind.dispatching]));
  const releasing = new PollLoop(
    async () => {
      // A page at a time: most of a full day would only be held back again.
      if ((await days.release()) > 0) for (const loop of dispatching.values()) loop.wakeUp();
      return 0;
    },
    sweepIntervalMs,
    (error) => log.warn({ err: error }, 'releasing recordings failed, will retry'),
  );
  const backlog = new Backlog(app, files.stages, (stage) => stageSlots(broker, stage));
  const measuring = new PollLoop(
    () => backlog.update().then(() => 0),
    backlogIntervalMs,
    (error) => log.warn({ err: error }, 'backlog metrics failed, will retry'),
  );
  const loops = [...dispatching.values(), ...kinds.flatMap(({ repairing }) => repairing), releasing, measuring];
  app.lifecycle.add({
    name: 'scheduler',
    start: async () => {
      if (!app.queue.durable)
        for (const { takeOver } of kinds) {
          const moved = await takeOver();
          if (moved > 0) log.info({ jobs: moved }, 'jobs of an earlier process are queued again');
        }
      for (const loop of loops) loop.start();
    },
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  });
  return {
    name: 'scheduler',
    events: {
      'runs.changed': {
        handler: ({ params: { stages, runs } }: Context<EventMap['runs.changed']>) => {
          for (const stage of stages ?? dispatching.keys()) dispatching.get(stage)?.wakeUp(runs);
        },
      },
    },
  };
}

/** @param admitting how the documents of a stage are admitted, by stage; those of other stages always are */
function schedule<T extends Runnable>(
  app: AppContext,
  broker: ServiceBroker,
  kind: WorkKind<T>,
  admitting: { readonly [stage: string]: Pick<DispatchOptions<T>, 'admit'> } = {},
): Scheduling {
  const { log } = app;
  const sweeper = new Sweeper(app, kind);
  const dispatching = kind.stages.map((stage): [string, PollLoop] => {
    const slots = (): number => stageSlots(broker, stage);
    const dispatcher = new Dispatcher(app, kind, { stage, slots, ...admitting[stage] });
    const failed = (error: unknown): void => log.warn({ err: error, stage }, 'dispatching failed, will retry');
    return [stage, new PollLoop(() => dispatcher.roundForMore(), dispatchIntervalMs, failed)];
  });
  const repairing = [
    new PollLoop(
      () => sweeper.round(),
      sweepIntervalMs,
      (error) => log.warn({ err: error }, 'sweeping failed, will retry'),
    ),
    // A loop of its own: an index that is away must not delay the repair of expired leases.
    new PollLoop(
      () => sweeper.drainOutboxes(),
      sweepIntervalMs,
      (error) => log.warn({ err: error }, 'delivering outboxes failed, will retry'),
    ),
  ];
  return {
    dispatching: new Map(dispatching),
    repairing,
    takeOver: () => sweeper.takeOverFromEarlierProcesses(),
  };
}
