import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { AppContext } from '../../mixins/app-context.ts';
import { DoorCredentials } from '../../mixins/storage/door-credentials.ts';
import { GatewayUsage } from '../../mixins/storage/gateway-usage.ts';
import type { Region } from '../../models/region.ts';
import type { Door } from './door.ts';
import { S3Server } from './serve.ts';

/** Milliseconds after which a connection that moves nothing is closed. */
const idleTimeoutMs = 60_000;

/** The actor that S3 clients talk to. */
export function s3Service(app: AppContext, broker: ServiceBroker, regions: readonly Region[]): ServiceSchema {
  const credentials = new DoorCredentials(app);
  const door: Door = { app, actions: broker, regions, credentials };
  const usage = new GatewayUsage(app, broker, regions[0]?.code ?? '');
  const server = new S3Server(door, (answered) => usage.count(answered));
  const { PLY_HOST: host, PLY_S3_PORT: port } = app.configuration;
  const listener = app.listeners.add({
    name: 's3',
    host,
    port,
    requestTimeout: 0,
    idleTimeout: idleTimeoutMs,
    handle: (request, response) => void listener.track(server.serve(request, response)),
  });
  app.lifecycle.add({
    name: 's3',
    start: async () => {
      await listener.start();
      usage.start();
    },
    stop: async (timeoutMs) => {
      await listener.stop(timeoutMs);
      await usage.stop();
    },
  });
  return {
    name: 's3',
    events: { 'credentials.changed': { handler: () => credentials.forget() } },
  };
}
