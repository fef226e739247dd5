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
import { credentialOf, readAddress, refusalOfHost, type OpenSource, type SourceTools } from './read-address.ts';
import { replaceConnector } from './replace.ts';
import { requestSync } from './request-sync.ts';
import { syncThread } from './sync/apart/sync-thread.ts';
import { candidatesSweeper } from './sync/sweep-candidates.ts';
import { syncIntake } from './sync/sync-intake.ts';
import type { ConnectorTools } from './tools.ts';

/**
 * The actor that keeps connectors, asks for their syncs and carries them out.
 * @param openSource opens sources to read files from
 * @param sources address of the module that exports it: syncs open theirs in a thread
 */
export function connectorsService(house: House, broker: ServiceBroker, openSource: OpenSource, sources: URL): ServiceSchema {
  const { PLY_PRIVATE_NETWORKS: privateNetworks } = house.configuration;
  const client = guardedClient({ privateNetworks });
  const reading: SourceTools = { house, client, openSource };
  const thread = syncThread({
    sources: sources.href, privateNetworks, credentialOf: (connector) => credentialOf(house, connector),
    permit: (organizationId, address) => refusalOfHost(house, organizationId, address),
  });
  const syncs = syncIntake({ house, actions: broker, compare: thread.compare });
  const bell = newBell(() => syncs.ring());
  const tools: ConnectorTools = { house, ring: (inMilliseconds) => bell.ring(inMilliseconds) };
  const events = notifications(tools);
  house.lifecycle.add(syncs);
  house.lifecycle.add(nightlyIntake(tools));
  house.lifecycle.add(candidatesSweeper(house));
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
      readAddress: (file) => readAddress(reading, file),
      notify: (event) => events.take(event),
    }),
    async stopped() {
      bell.silence();
      await thread.close();
      await client.close();
    },
  };
}
