import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions-of.ts';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import type { House } from '../../mixins/house.ts';
import { recordsMixin } from '../../mixins/records/records.ts';
import { connectors } from '../../models/connector.ts';
import { newBell } from './bell.ts';
import { createConnector, listConnectors, readConnector, removeConnector } from './create.ts';
import { nightlyIntake } from './nightly.ts';
import { notifications } from './notify.ts';
import { readAddress, sourceOf, type OpenSource, type SourceTools } from './read-address.ts';
import { replaceConnector } from './replace.ts';
import { requestSync } from './request-sync.ts';
import { syncIntake } from './sync/sync-intake.ts';
import type { ConnectorTools } from './tools.ts';

/** The actor that keeps connectors, asks for their syncs and carries them out. */
export function connectorsService(house: House, broker: ServiceBroker, openSource: OpenSource): ServiceSchema {
  const client = guardedClient({ privateNetworks: house.configuration.PLY_PRIVATE_NETWORKS });
  const sources: SourceTools = { house, client, openSource };
  const syncs = syncIntake({ house, actions: broker, sourceOf: (connector) => sourceOf(sources, connector) });
  const bell = newBell(() => syncs.ring());
  const tools: ConnectorTools = { house, ring: (inMilliseconds) => bell.ring(inMilliseconds) };
  const events = notifications(tools);
  house.lifecycle.add(syncs);
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
