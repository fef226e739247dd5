import { randomUUID } from 'node:crypto';
import type { WebhookView } from '../../../models/webhook.ts';
import type { Asker } from './asker.ts';

/** Endpoints of webhooks, and their deliveries: their successes and errors. */
export async function askAboutWebhooks({ succeed, refused }: Asker): Promise<void> {
  const key = (): { 'Idempotency-Key': string } => ({ 'Idempotency-Key': randomUUID() });
  const body = { url: 'http://127.0.0.1:9/', events: ['video.ready'] };
  const first = { body, headers: key() };
  const { id: webhookId } = await succeed<WebhookView>('createWebhook', first);
  await refused('createWebhook', 'idempotency_conflict', { ...first, body: { ...body, events: ['video.failed'] } });
  const hidden = { ...body, url: 'https://someone@127.0.0.1/' };
  await refused('createWebhook', 'webhook_url_invalid', { body: hidden, headers: key() });
  const ids = { webhookId };
  await refused('changeWebhook', 'webhook_url_invalid', { ids, body: { url: hidden.url } });
  await succeed('changeWebhook', { ids, body: { ...body, description: 'x', active: true } });
  await succeed('readWebhook', { ids });
  await succeed('rotateWebhookSecret', { ids });
  for (let count = 1; count < 10; count += 1) await succeed('createWebhook', { body, headers: key() });
  await refused('createWebhook', 'webhook_limit_reached', { body, headers: key() });
  await succeed('listWebhooks');
  const ping = { ids, headers: key() };
  const { deliveryId } = await succeed<{ deliveryId: string }>('pingWebhook', ping);
  await succeed('readWebhookDelivery', { ids: { deliveryId } });
  const again = { ids: { deliveryId }, headers: ping.headers };
  await succeed('redeliverWebhook', again);
  const other = await succeed<{ deliveryId: string }>('pingWebhook', { ids });
  await refused('redeliverWebhook', 'idempotency_conflict', { ...again, ids: { deliveryId: other.deliveryId } });
  const { items } = await succeed<{ items: WebhookView[] }>('listWebhooks');
  const secondId = items.find(({ id }) => id !== webhookId)?.id ?? '';
  await refused('pingWebhook', 'idempotency_conflict', { ids: { webhookId: secondId }, headers: ping.headers });
  const { nextCursor } = await succeed<{ nextCursor: string }>('listWebhookDeliveries', { ids, query: '?limit=1' });
  await succeed('listWebhookDeliveries', { ids, query: `?limit=5&cursor=${nextCursor}&state=pending` });
  await succeed('removeWebhook', { ids });
}
