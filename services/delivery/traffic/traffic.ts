import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { call, type ActionCaller } from '../../../mixins/actions/call.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import { PollLoop } from '../../../mixins/work/poll-loop.ts';
import type { Served } from '../../../models/traffic.ts';
import { Sender } from './sender.ts';
import { Spool } from './spool.ts';

/** The parts of the app that counting traffic uses. */
export type TrafficContext = Pick<AppContext, 'configuration' | 'lifecycle' | 'log' | 'metrics' | 'nodeId' | 'runtime'>;

/** Counts what an edge delivers. */
export interface Traffic {
  /** Counts a response. Call it once for each, when it is closed. It does not wait and never throws. */
  record(served: Served): void;
  /** Hands over everything that was recorded. Returns false if some of it waits on disk. */
  flush(): Promise<boolean>;
}

const MiB = 2 ** 20;
/** Memory for responses while the disk takes nothing. */
const maxMemoryBytes = 16 * MiB;
/** Milliseconds between two attempts at sending, and between two looks for what other processes left. */
const sendPauseMs = 1000;
const adoptPauseMs = 60_000;

/**
 * Opens the counting of traffic of this process. Responses go to disk within milliseconds, in segments that become batches
 * with an id; the ledger gets each batch until it has acknowledged it. What a killed process left is sent by the next one
 * with the same data folder.
 */
export function openTraffic(app: TrafficContext, actions: ActionCaller): Traffic {
  const { configuration, log, metrics, nodeId, runtime } = app;
  const root = join(resolve(configuration.PLY_DATA_DIR), 'traffic');
  const sender = new Sender(root, nodeId, hostname(), runtime.now);
  const send = (batch: { writer: string; number: number; lines: string }): Promise<unknown> =>
    call(actions, 'traffic.recordBatch', batch);
  const sending = new PollLoop(
    async () => {
      try {
        return (await sender.sendNext(send)) ? 1 : 0;
      } finally {
        measure();
      }
    },
    sendPauseMs,
    (error) => log.warn({ err: error }, 'traffic could not be handed over, will retry'),
  );
  const spool = new Spool({
    folder: join(root, nodeId),
    writer: runtime.uuid(),
    now: runtime.now,
    maxDiskBytes: configuration.PLY_TRAFFIC_SPOOL_MB * MiB,
    maxMemoryBytes,
    waitingBytes: () => sender.bytes,
    sealed: (name, bytes) => {
      sender.add(name, bytes);
      sending.wakeUp();
    },
    lost: (count) => metrics.trafficLost.inc(count),
    failed: (error) => log.warn({ err: error }, 'traffic could not be written, will retry'),
  });
  const adopting = new PollLoop(
    async () => {
      await sender.adopt();
      sending.wakeUp();
      return 0;
    },
    adoptPauseMs,
    (error) => log.warn({ err: error }, 'the spool of traffic could not be read, will retry'),
  );
  function measure(): void {
    metrics.trafficSpoolBytes.set(sender.bytes + spool.openBytes);
    metrics.trafficSpoolAge.set(sender.oldestMs / 1000);
  }
  measure();
  app.lifecycle.add({
    name: 'traffic',
    start: () => {
      adopting.start();
      sending.start();
      return Promise.resolve();
    },
    stop: async (milliseconds) => {
      await Promise.all([adopting.stop(), sending.stop()]);
      await handOver(milliseconds / 2);
    },
  });

  /** Sends what there is, for at most some milliseconds; the rest stays on disk. */
  async function handOver(milliseconds: number): Promise<boolean> {
    const deadline = performance.now() + milliseconds;
    const isWritten = await spool.sealAll();
    try {
      while (performance.now() < deadline) if (!(await sender.sendNext(send))) return isWritten;
    } catch (error) {
      log.warn({ err: error }, 'traffic could not be handed over, it stays on disk');
    } finally {
      measure();
    }
    return false;
  }

  return {
    record: (served) => spool.record(served),
    flush: () => handOver(Infinity),
  };
}
