import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { recordsService } from '../../mixins/records/records.ts';
import { connectors } from '../../models/connector.ts';
import { createConnector, listConnectors, readConnector, removeConnector } from './create.ts';
import { nightlyIntake } from './nightly.ts';
import { notifications } from './notify.ts';
import { credentialOf, readAddress, refusalOfHost, type OpenSource, type SourceTools } from './read-address.ts';
import { replaceConnector } from './replace.ts';
import { requestSync } from './request-sync.ts';
import { syncThread } from './sync/worker/sync-thread.ts';
import { candidatesSweeper } from './sync/sweep-candidates.ts';
import { syncIntake } from './sync/sync-intake.ts';
import type { ConnectorTools } from './tools.ts';

/**
 * The actor that stores connectors and schedules and runs their syncs.
 * @param openSource opens a source to read a file
 * @param sources URL of the module that exports `openSource`, for the thread of the syncs
 */
export function connectorsService(
  app: AppContext,
  broker: ServiceBroker,
  openSource: OpenSource,
  sources: URL,
): ServiceSchema {
  const { PLY_PRIVATE_NETWORKS: privateNetworks } = app.configuration;
  const client = guardedClient({ privateNetworks });
  const reading: SourceTools = { app, client, openSource };
  const thread = syncThread({
    sources: sources.href,
    privateNetworks,
    credentialOf: (connector) => credentialOf(app, connector),
    permit: (organizationId, address) => refusalOfHost(app, organizationId, address),
  });
  const syncs = syncIntake({ app, actions: broker, compare: thread.compare });
  const plain = recordsService(app.records, connectors);
  const tools: ConnectorTools = {
    app,
    wakeUp: (inMilliseconds) => void setTimeout(() => syncs.wakeUp(), inMilliseconds).unref(),
  };
  const events = notifications(tools);
  app.lifecycle.add(syncs);
  app.lifecycle.add(nightlyIntake(tools));
  app.lifecycle.add(candidatesSweeper(app));
  return {
    name: 'connectors',
    mixins: [plain.mixin],
    actions: actionsOf('connectors', {
      create: ({ caller, connector }) => createConnector(app, plain, caller, connector),
      list: ({ caller }) => listConnectors(app, plain, caller),
      read: ({ caller, connectorId }) => readConnector(app, plain, caller, connectorId),
      replace: ({ caller, connectorId, connector }) => replaceConnector(tools, caller, connectorId, connector),
      remove: ({ caller, connectorId }) => removeConnector(app, plain, caller, connectorId),
      requestSync: ({ caller, connectorId }) => requestSync(tools, caller, connectorId),
      readAddress: (file) => readAddress(reading, file),
      notify: (event) => events.take(event),
    }),
    async stopped() {
      await thread.close();
      await client.close();
    },
  };
}
