import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { AppContext } from '../../mixins/app-context.ts';
import { DoorCredentials } from '../../mixins/storage/door-credentials.ts';
import type { Region } from '../../models/region.ts';
import type { Door } from './door.ts';
import { S3Server } from './serve.ts';

/** Milliseconds after which a connection that moves nothing is closed. */
const idleTimeoutMs = 60_000;

/** The actor that S3 clients talk to. */
export function s3Service(app: AppContext, broker: ServiceBroker, regions: readonly Region[]): ServiceSchema {
  const credentials = new DoorCredentials(app);
  const door: Door = { app, actions: broker, regions, credentials };
  const server = new S3Server(door, () => undefined);
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
    },
    stop: (timeoutMs) => listener.stop(timeoutMs),
  });
  return {
    name: 's3',
    events: { 'credentials.changed': { handler: () => credentials.forget() } },
  };
}
