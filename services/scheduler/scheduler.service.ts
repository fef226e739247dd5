import type { Context, ServiceBroker, ServiceSchema } from 'moleculer';
import { call } from '../../mixins/actions.ts';
import type { EventMap } from '../../mixins/events.ts';
import type { House } from '../../mixins/house.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { stageSlots } from '../../mixins/runs/slots.ts';
import { assets as assetsDefinition } from '../../models/asset.ts';
import type { Stage } from '../../models/job.ts';
import { systemScope } from '../../models/scope.ts';
import { AudioDays } from './audio-days.ts';
import { Backlog } from './backlog.ts';
import { Dispatcher } from './dispatcher.ts';
import { Pacer } from './pacer.ts';
import { Sweeper } from './sweeper.ts';

const stages: readonly Stage[] = ['extracting', 'transcribing', 'embedding'];
/** Longest time between two looks at the queues: hints usually come sooner. */
const dispatchIntervalMs = 1000;
/** How late an attempt that is due, or a lease that ran out, is noticed at most. */
const sweepIntervalMs = 1000;
/** Time between two readings of what waits. */
const backlogIntervalMs = 15_000;

/** The actor that decides whose turn it is, and that repairs what crashes left behind. */
export function schedulerService(house: House, broker: ServiceBroker): ServiceSchema {
  const assets = house.records.collection(assetsDefinition, systemScope);
  const sweeper = new Sweeper(house, assets, (events) => call(broker, 'ledger.record', { events }));
  const pacers = stages.map((stage) => {
    const dispatcher = new Dispatcher(house, assets, stage, () => stageSlots(broker, stage));
    return new Pacer(() => dispatcher.roundForMore(), dispatchIntervalMs, (error) => house.log.warn({ err: error, stage }, 'dispatching goes on later'));
  });
  const sweeping = new Pacer(() => sweeper.round(), sweepIntervalMs, (error) => house.log.warn({ err: error }, 'sweeping goes on later'));
  // Apart from the sweeping: an index that is away must not hold up leases that ran out.
  const draining = new Pacer(() => sweeper.drainOutboxes(), sweepIntervalMs, (error) => house.log.warn({ err: error }, 'outboxes wait'));
  const days = new AudioDays(house, assets);
  const releasing = new Pacer(async () => {
    // As many as wait are not let go at once: most of a full day would only be held back again.
    if ((await days.release()) > 0) for (const pacer of pacers) pacer.soon();
    return 0;
  }, sweepIntervalMs, (error) => house.log.warn({ err: error }, 'recordings are let go later'));
  const backlog = new Backlog(house, assets, stages);
  const telling = new Pacer(() => backlog.tell().then(() => 0), backlogIntervalMs, (error) => house.log.warn({ err: error }, 'what waits is told later'));
  house.lifecycle.add(intake(house, sweeper, [...pacers, sweeping, draining, releasing, telling]));
  return {
    name: 'scheduler',
    events: {
      'runs.changed': {
        handler: ({ params: { stages: changed = stages, runs } }: Context<EventMap['runs.changed']>) => {
          for (const [place, pacer] of pacers.entries()) if (changed.some((stage) => stage === stages[place])) pacer.soon(runs);
        },
      },
    },
  };
}

function intake(house: House, sweeper: Sweeper, pacers: readonly Pacer[]): Intake {
  return {
    name: 'scheduler',
    start: async () => {
      if (!house.queue.durable) {
        const moved = await sweeper.takeOverFromEarlierProcesses();
        if (moved > 0) house.log.info({ jobs: moved }, 'jobs of an earlier process wait again');
      }
      for (const pacer of pacers) pacer.start();
    },
    stop: async () => {
      await Promise.all(pacers.map((pacer) => pacer.stop()));
    },
  };
}
