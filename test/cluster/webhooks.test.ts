import { randomUUID } from 'node:crypto';
import type { WebhookDeliveryView, WebhookView } from '../../models/webhook.ts';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { Client, content, until } from '../api/support/client.ts';
import { skipWithReason } from '../support/servers.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const pings = 60;
const started = await startCluster({
  environment: { PLY_EMBEDDING_THREADS: '0', PLY_LOG_LEVEL: 'error', PLY_LEASE_SECONDS: '2' },
  layout: [
    { name: 'gateway', roles: 'gateway,accounts,registrar,ledger,searcher,scheduler' },
    { name: 'webhooks-1', roles: 'webhooks' },
    { name: 'webhooks-2', roles: 'webhooks' },
  ],
});

if ('unavailable' in started) skipWithReason('webhooks over a cluster', started.unavailable);
else {
  const cluster = started;
  const receiver = new WebhookReceiver(null);
  beforeAll(() => receiver.start());
  afterAll(async () => {
    await cluster.stop();
    await receiver.stop();
  }, 60_000);

  it('two processes share deliveries, and those of a killed one are sent by the other', async () => {
    const admin = new Client(cluster.apiUrl, cluster.organizationId, cluster.adminKey);
    const [healthy, hanging] = await Promise.all(
      ['/well', '/hang'].map((path) =>
        admin.get<WebhookView>(201, 'POST', `${content}/webhooks`, {
          body: { url: receiver.url(path), events: ['video.ready'] },
          headers: { 'Idempotency-Key': randomUUID() },
        }),
      ),
    );
    receiver.answerWith(({ path }) => (path === '/hang' ? 'hang' : { status: 204 }));
    /** Asks again, with the same key, where the process that was asked is killed. */
    const ping = async (webhook: WebhookView | undefined): Promise<string> => {
      const headers = { 'Idempotency-Key': randomUUID() };
      const { body } = await until(
        () => admin.ask<{ deliveryId: string }>('POST', `${content}/webhooks/${webhook?.id}/ping`, { headers }),
        ({ status }) => status === 202,
      );
      return body.deliveryId;
    };
    // Attempts that hang are under way when their process is killed.
    const held = await Promise.all([1, 2, 3, 4].map(() => ping(hanging)));
    await until(
      () => Promise.resolve(receiver.at('/hang').length),
      (count) => count === held.length,
    );
    const asked = Array.from({ length: pings }, () => ping(healthy));
    await cluster.processesOf('webhooks-1')[0]?.kill();
    const accepted = await Promise.all(asked);
    receiver.answerWith(() => ({ status: 204 }));
    for (const [webhook, ids] of [
      [healthy, accepted],
      [hanging, held],
    ] as const) {
      const delivered = await until(
        async () =>
          (
            await admin.get<{ items: WebhookDeliveryView[] }>(
              200,
              'GET',
              `${content}/webhooks/${webhook?.id}/deliveries?limit=200`,
            )
          ).items,
        (items) => items.every(({ state }) => state === 'delivered'),
        60_000,
      );
      expect(delivered.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    }
    const ids = receiver.at('/well').map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(pings);
  }, 120_000);
}
