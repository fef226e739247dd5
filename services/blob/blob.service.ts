import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { AppContext } from '../../mixins/app-context.ts';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import { DoorCredentials } from '../../mixins/storage/door-credentials.ts';
import { doorService } from '../../mixins/storage/door-service.ts';
import type { Region } from '../../models/region.ts';
import { AccountNames } from './auth/authenticate.ts';
import type { Door } from './door.ts';
import { accountsInHosts, hostsOfAccounts } from './protocol/address.ts';
import { BlobServer } from './serve.ts';

/** The actor that Blob clients talk to: the buckets of an organization as the containers of its storage account. */
export function blobService(app: AppContext, broker: ServiceBroker, regions: readonly Region[]): ServiceSchema {
  const credentials = new DoorCredentials(app);
  const { PLY_PRIVATE_NETWORKS: privateNetworks, PLY_BLOB_PORT: port } = app.configuration;
  const door: Door = {
    app,
    actions: broker,
    regions,
    credentials,
    accounts: new AccountNames(app),
    accountOfHost: accountsInHosts(regions),
    hosts: hostsOfAccounts(regions),
    client: guardedClient({ privateNetworks }),
  };
  return doorService(app, broker, regions, {
    name: 'blob',
    port,
    credentials,
    serve: (closed) => {
      const server = new BlobServer(door, closed);
      return (request, response) => server.serve(request, response);
    },
    close: () => door.client.close(),
  });
}
