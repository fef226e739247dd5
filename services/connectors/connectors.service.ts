import type { ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions-of.ts';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import { recordsMixin } from '../../mixins/records/records.ts';
import { connectors } from '../../models/connector.ts';
import { newBell } from './bell.ts';
import { createConnector, listConnectors, readConnector, removeConnector } from './create.ts';
import { nightlyIntake } from './nightly.ts';
import { notifications } from './notify.ts';
import { readAddress, type OpenSource, type SourceTools } from './read-address.ts';
import { replaceConnector } from './replace.ts';
import { requestSync } from './request-sync.ts';
import type { ConnectorsHouse, ConnectorTools } from './tools.ts';

/** The actor that keeps connectors, asks for their syncs and carries them out. */
export function connectorsService(house: ConnectorsHouse, openSource: OpenSource): ServiceSchema {
  const client = guardedClient({ privateNetworks: house.configuration.PLY_PRIVATE_NETWORKS });
  const bell = newBell();
  const tools: ConnectorTools = { house, ring: (inMilliseconds) => bell.ring(inMilliseconds) };
  const sources: SourceTools = { house, client, openSource };
  const events = notifications(tools);
  house.lifecycle.add(nightlyIntake(tools));
  return {
    name: 'connectors',
    mixins: [recordsMixin(house.records, connectors)],
    actions: actionsOf<'connectors'>({
      create: ({ caller, connector }) => createConnector(house, caller, connector),
      list: ({ caller }) => listConnectors(house, caller),
      read: ({ caller, connectorId }) => readConnector(house, caller, connectorId),
      replace: ({ caller, connectorId, connector }) => replaceConnector(tools, caller, connectorId, connector),
      remove: ({ caller, connectorId }) => removeConnector(house, caller, connectorId),
      requestSync: ({ caller, connectorId }) => requestSync(tools, caller, connectorId),
      readAddress: (file) => readAddress(sources, file),
      notify: (event) => events.take(event),
    }),
    async stopped() {
      bell.silence();
      await client.close();
    },
  };
}
