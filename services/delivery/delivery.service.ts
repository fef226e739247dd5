import type { SecureContext } from 'node:tls';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { AppContext } from '../../mixins/app-context.ts';
import { emitEvent } from '../../mixins/events.ts';
import type { Features } from '../../mixins/features.ts';
import type { ListenerOptions } from '../../mixins/http/listener.ts';
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
    app.metrics.edgeSilence.set(edge.follower.silentMs / 1000);
  };
  report();
  const { PLY_HOST: host, PLY_DELIVERY_PORT: port, PLY_DELIVERY_TLS_PORT: tlsPort } = app.configuration;
  const shared: Omit<ListenerOptions, 'port'> = {
    host,
    requestTimeout: 0,
    idleTimeout: idleTimeoutMs,
    handle: (request, response) => void edge.serve(request, response),
  };
  const secureContextOf = (hostname: string): Promise<SecureContext | null> => edge.certificates.contextOf(hostname);
  const listeners = [app.listeners.add({ name: 'delivery', port, ...shared })];
  if (tlsPort !== null)
    listeners.push(app.listeners.add({ name: 'delivery-tls', port: tlsPort, ...shared, secureContextOf }));
  let reporting: NodeJS.Timeout | undefined;
  app.lifecycle.add(edge.follower);
  app.lifecycle.add({
    name: 'delivery',
    start: async () => {
      if (tlsPort !== null) await edge.certificates.check();
      for (const listener of listeners) await listener.start();
      reporting = setInterval(report, lookMs);
      report();
    },
    stop: async (timeoutMs) => {
      clearInterval(reporting);
      await Promise.all(listeners.map((listener) => listener.stop(timeoutMs)));
    },
  });
  return {
    name: 'delivery',
    metadata: { features },
    events: { 'edges.changed': { handler: () => void edge.follower.look() } },
  };
}
