import { call, type ActionCaller } from '../../../mixins/actions/call.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import { Spooling } from '../../../mixins/spool/spooling.ts';
import type { Served } from '../../../models/traffic.ts';
import { lineOf, lossOf } from './line.ts';

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

/** Opens the counting of traffic of this process: responses are spooled, and the ledger gets them in batches. */
export function openTraffic(app: TrafficContext, actions: ActionCaller): Traffic {
  const { configuration, metrics } = app;
  const spooling = new Spooling<Served>(app, {
    name: 'traffic',
    lineOf,
    lossOf,
    maxDiskBytes: configuration.PLY_TRAFFIC_SPOOL_MB * MiB,
    send: (batch) => call(actions, 'traffic.recordBatch', batch),
    lost: (count) => metrics.trafficLost.inc(count),
    measured: ({ bytes, oldestMs }) => {
      metrics.trafficSpoolBytes.set(bytes);
      metrics.trafficSpoolAge.set(oldestMs / 1000);
    },
  });
  app.lifecycle.add({
    name: 'traffic',
    start: () => {
      spooling.start();
      return Promise.resolve();
    },
    stop: (milliseconds) => spooling.stop(milliseconds),
  });
  return spooling;
}
