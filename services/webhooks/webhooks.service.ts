import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { emitEvent } from '../../mixins/events.ts';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import { dnsResolve, systemResolve } from '../../mixins/guarded-client/connector.ts';
import type { StagesMetadata } from '../../mixins/work/worker.ts';
import { attemptMs } from './attempt.ts';
import { listDeliveries, pingWebhook, readDelivery, redeliver } from './deliveries.ts';
import { changeWebhook, createWebhook, listWebhooks, readWebhook, removeWebhook, rotateSecret } from './endpoints.ts';
import type { WebhookTools } from './tools.ts';
import { webhookUpkeep } from './upkeep.ts';
import { webhookSlots, webhookWorkers } from './work.ts';

/** The actor of webhooks: the endpoints of organizations, and sending events to them. */
export function webhooksService(app: AppContext, broker: ServiceBroker): ServiceSchema {
  const { PLY_PRIVATE_NETWORKS: privateNetworks } = app.configuration;
  // Private names may be in the hosts file of the machine.
  const resolve = privateNetworks === 'allow' ? systemResolve : dnsResolve;
  const client = guardedClient({
    privateNetworks,
    resolve,
    limits: {
      connectMs: attemptMs,
      headersMs: attemptMs,
      idleMs: attemptMs,
      // Endpoints of many organizations may be at one origin: one that hangs must not take another's connection.
      connections: webhookSlots.delivering_webhook + webhookSlots.retrying_webhook,
    },
  });
  const changed = (organizationId: string, stages: readonly string[]): void =>
    emitEvent(broker, 'runs.changed', { organizationId, stages });
  const stages = Object.keys(webhookSlots);
  const tools: WebhookTools = { app, resolve, wakeUp: (organizationId) => changed(organizationId, stages) };
  for (const intake of webhookWorkers(app, client, changed)) app.lifecycle.add(intake);
  for (const intake of webhookUpkeep(app)) app.lifecycle.add(intake);
  const metadata: StagesMetadata = { stages: webhookSlots };
  return {
    name: 'webhooks',
    metadata,
    actions: actionsOf('webhooks', {
      create: ({ caller, id, webhook }) => createWebhook(tools, caller, id, webhook),
      list: ({ caller }) => listWebhooks(tools, caller),
      read: ({ caller, webhookId }) => readWebhook(tools, caller, webhookId),
      change: ({ caller, webhookId, change }) => changeWebhook(tools, caller, webhookId, change),
      remove: ({ caller, webhookId }) => removeWebhook(tools, caller, webhookId),
      rotateSecret: ({ caller, webhookId }) => rotateSecret(tools, caller, webhookId),
      ping: ({ caller, webhookId, idempotencyId }) => pingWebhook(tools, caller, webhookId, idempotencyId),
      listDeliveries: ({ caller, webhookId, ...page }) => listDeliveries(tools, caller, webhookId, page),
      readDelivery: ({ caller, deliveryId }) => readDelivery(tools, caller, deliveryId),
      redeliver: ({ caller, deliveryId, idempotencyId }) => redeliver(tools, caller, deliveryId, idempotencyId),
    }),
    stopped: () => client.close(),
  };
}
