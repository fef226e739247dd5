import { hostname } from 'node:os';
import { pino } from 'pino';
import { Lifecycle } from '../../../../mixins/lifecycle.ts';
import { Metrics } from '../../../../mixins/metrics.ts';
import { readConfiguration } from '../../../../models/configuration/configuration.ts';
import { systemRuntime } from '../../../../models/runtime.ts';
import { openTraffic } from '../traffic.ts';

/*
 * An edge that serves responses as fast as it can until it is killed, for the test of kills: it tells its parent of each
 * one, and its batches go to the parent, which answers when it has stored them.
 */

const [folder = '', round = '', mode = ''] = process.argv.slice(2);
const waiting = new Map<string, () => void>();
process.on('message', (id: string) => waiting.get(id)?.());
const lifecycle = new Lifecycle();
const traffic = openTraffic(
  {
    configuration: readConfiguration({ PLY_DATA_DIR: folder }),
    lifecycle,
    log: pino({ level: 'silent' }),
    metrics: new Metrics(),
    nodeId: `${hostname()}-${process.pid}-${systemRuntime.uuid().slice(0, 8)}`,
    runtime: systemRuntime,
  },
  {
    call: async <T>(_: string, batch?: unknown) => {
      const id = systemRuntime.uuid();
      await new Promise<void>((resolve) => {
        waiting.set(id, resolve);
        process.send?.({ id, batch });
      });
      waiting.delete(id);
      return undefined as T;
    },
  },
);
await lifecycle.start();
if (mode === 'drain') {
  await new Promise((resolve) => setTimeout(resolve, 500));
  process.send?.({ drained: await traffic.flush() });
} else {
  for (let number = 0; ; number += 1) {
    const key = `${round}/${number}`;
    traffic.record({
      organizationId: 'o',
      bucketId: 'killed',
      at: Date.now(),
      status: 200,
      bytes: number,
      country: null,
      cache: null,
      key,
      query: '',
      isLinkValid: false,
    });
    process.send?.({ key, at: Date.now() });
    await new Promise((resolve) => setTimeout(resolve, number % 50 === 0 ? 10 : 0));
  }
}
