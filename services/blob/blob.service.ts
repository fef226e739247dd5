import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { AppContext } from '../../mixins/app-context.ts';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import { DoorCredentials } from '../../mixins/storage/door-credentials.ts';
import { GatewayUsage } from '../../mixins/storage/gateway-usage.ts';
import type { Region } from '../../models/region.ts';
import { AccountNames } from './auth/authenticate.ts';
import type { Door } from './door.ts';
import { accountsInHosts } from './protocol/address.ts';
import { BlobServer } from './serve.ts';

/** Milliseconds after which a connection that moves nothing is closed. */
const idleTimeoutMs = 60_000;

/** The actor that Blob clients talk to: the buckets of an organization as the containers of its storage account. */
export function blobService(app: AppContext, broker: ServiceBroker, regions: readonly Region[]): ServiceSchema {
  const credentials = new DoorCredentials(app);
  const { PLY_PRIVATE_NETWORKS: privateNetworks } = app.configuration;
  const door: Door = {
    app,
    actions: broker,
    regions,
    credentials,
    accounts: new AccountNames(app),
    accountOfHost: accountsInHosts(regions),
    client: guardedClient({ privateNetworks }),
  };
  const usage = new GatewayUsage(app, broker, regions[0]?.code ?? '');
  const server = new BlobServer(door, (answered) => usage.count(answered));
  const { PLY_HOST: host, PLY_BLOB_PORT: port } = app.configuration;
  const listener = app.listeners.add({
    name: 'blob',
    host,
    port,
    requestTimeout: 0,
    idleTimeout: idleTimeoutMs,
    handle: (request, response) => void listener.track(server.serve(request, response)),
  });
  app.lifecycle.add({
    name: 'blob',
    start: async () => {
      await listener.start();
      usage.start();
    },
    stop: async (timeoutMs) => {
      await listener.stop(timeoutMs);
      await door.client.close();
      await usage.stop();
    },
  });
  return {
    name: 'blob',
    events: { 'credentials.changed': { handler: () => credentials.forget() } },
  };
}
