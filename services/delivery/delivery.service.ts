import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { AppContext } from '../../mixins/app-context.ts';
import { emitEvent } from '../../mixins/events.ts';
import type { Features } from '../../mixins/features.ts';
import type { CountryOf } from './countries.ts';
import { Edge } from './edge.ts';
import { EdgeFigures } from './figures.ts';
import { servedBy } from './served.ts';
import { openTraffic } from './traffic/traffic.ts';

/** Milliseconds after which a connection that moves nothing is closed. */
const idleTimeoutMs = 30_000;
/** How often it is looked whether the edge still follows the changes, for `/health/ready`. */
const lookMs = 1000;

/** The actor that delivers the files of buckets: an edge with a cache of its own. */
export function deliveryService(app: AppContext, broker: ServiceBroker, countryOf: CountryOf): ServiceSchema {
  const figures = new EdgeFigures(app.metrics);
  const traffic = openTraffic(app, broker);
  const edge = new Edge(
    app,
    countryOf,
    (delivery) => {
      figures.count(delivery);
      const served = servedBy(edge, delivery, app.runtime.now());
      if (served !== null) traffic.record(served);
    },
    () => emitEvent(broker, 'edges.acknowledged', {}),
  );
  const features: Features = {};
  const report = (): void => {
    features['edge'] = edge.follower.isLost
      ? { state: 'recovering', detail: 'the records do not answer: it delivers what it has, and refuses the rest' }
      : { state: 'up' };
    figures.report(edge.memoryBytes);
  };
  report();
  const listener = app.listeners.add({
    name: 'delivery',
    host: app.configuration.PLY_HOST,
    port: app.configuration.PLY_DELIVERY_PORT,
    requestTimeout: 0,
    idleTimeout: idleTimeoutMs,
    handle: (request, response) => void edge.serve(request, response),
  });
  let reporting: NodeJS.Timeout | undefined;
  app.lifecycle.add(edge.follower);
  app.lifecycle.add({
    name: 'delivery',
    start: async () => {
      await listener.start();
      reporting = setInterval(report, lookMs);
      report();
    },
    stop: async (timeoutMs) => {
      clearInterval(reporting);
      await listener.stop(timeoutMs);
    },
  });
  return {
    name: 'delivery',
    metadata: { features },
    events: { 'edges.changed': { handler: () => void edge.follower.look() } },
  };
}
