import { randomUUID } from 'node:crypto';
import type { WebhookDeliveryView, WebhookView } from '../../models/webhook.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { content, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const kills = 4;
const pings = 40;

let program: TestProgram;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = new WebhookReceiver(null);
  await receiver.start();
  program = await startTestProgram();
});
afterAll(async () => {
  await program.end();
  await receiver.stop();
});

it('a program that is killed while it sends delivers everything that it accepted', async () => {
  const { id } = await program.admin.get<WebhookView>(201, 'POST', `${content}/webhooks`, {
    body: { url: receiver.url('/hook'), events: ['video.ready'] },
    headers: { 'Idempotency-Key': randomUUID() },
  });
  const accepted: string[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    // Requests that the kill cuts off have no answer: whether they were accepted is not known.
    const asked = Array.from({ length: pings }, async () => {
      const { status, body } = await program.standard.ask<{ deliveryId: string }>(
        'POST',
        `${content}/webhooks/${id}/ping`,
      );
      if (status === 202) accepted.push(body.deliveryId);
    });
    await until(
      () => Promise.resolve(receiver.received.length),
      (count) => count >= (kill + 1) * 5,
    );
    await program.process.kill();
    await Promise.allSettled(asked);
    await program.start();
  }
  expect(accepted.length).toBeGreaterThan(kills);
  const list = async (query: string): Promise<WebhookDeliveryView[]> =>
    (
      await program.standard.get<{ items: WebhookDeliveryView[] }>(
        200,
        'GET',
        `${content}/webhooks/${id}/deliveries?limit=200${query}`,
      )
    ).items;
  await until(
    () => list('&state=pending'),
    (pending) => pending.length === 0,
    30_000,
  );
  const delivered = new Map((await list('')).map((delivery) => [delivery.id, delivery]));
  for (const deliveryId of accepted)
    expect(delivered.get(deliveryId)).toMatchObject({ state: 'delivered', attempts: 1 });
  // Each of them arrived, and nothing that was never asked for.
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  expect(ids.size).toBe(delivered.size);
}, 120_000);
