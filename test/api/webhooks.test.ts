import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { AuditLogView } from '../../models/audit-log.ts';
import type { WebhookDeliveryView, WebhookView } from '../../models/webhook.ts';
import { makeTestAuthority, type TestAuthority } from '../support/test-authority.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import {
  content,
  expectRefused,
  until,
  type Answer,
  type Client,
  type ErrorBody,
  type Expected,
} from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const path = `${content}/webhooks`;
const unknown = '00000000-0000-4000-8000-000000000000';
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const dayMs = 24 * 3_600_000;

let authority: TestAuthority;
let receiver: WebhookReceiver;
let program: TestProgram;
let admin: Client;
let standard: Client;
beforeAll(async () => {
  authority = await makeTestAuthority();
  receiver = new WebhookReceiver(await authority.issue());
  await receiver.start();
  program = await startTestProgram({ NODE_EXTRA_CA_CERTS: authority.trustFile });
});
afterAll(async () => {
  await program.end();
  await receiver.stop();
  authority.remove();
});
beforeEach(async () => {
  // Each test has the ten endpoints of an organization.
  const { id } = await program.admin.createOrganization(randomUUID());
  admin = program.admin.as(id);
  standard = program.standard.as(id);
});

const key = (): { 'Idempotency-Key': string } => ({ 'Idempotency-Key': randomUUID() });
const bodyOf = (fields: object = {}): object => ({
  url: receiver.url(`/${randomUUID()}`),
  events: ['video.ready'],
  ...fields,
});
function ask(body: object, client = admin): Promise<Answer<ErrorBody>> {
  return client.ask('POST', path, { body, headers: key() });
}
function create(fields: object = {}, client = admin): Promise<WebhookView> {
  return client.get(201, 'POST', path, { body: bodyOf(fields), headers: key() });
}
const read = (id: string): Promise<WebhookView> => standard.get(200, 'GET', `${path}/${id}`);
const change = (id: string, body: object): Promise<Answer<ErrorBody>> => admin.ask('PATCH', `${path}/${id}`, { body });
async function ping(id: string): Promise<string> {
  return (await standard.get<{ deliveryId: string }>(202, 'POST', `${path}/${id}/ping`)).deliveryId;
}
async function deliveries(id: string, query = ''): Promise<WebhookDeliveryView[]> {
  return (await standard.get<{ items: WebhookDeliveryView[] }>(200, 'GET', `${path}/${id}/deliveries${query}`)).items;
}
function reaches(
  id: string,
  deliveryId: string,
  isThere: (found: WebhookDeliveryView) => boolean,
): Promise<WebhookDeliveryView> {
  return until(
    async () => {
      const found = (await deliveries(id)).find((delivery) => delivery.id === deliveryId);
      if (found === undefined) throw new Error('no such delivery');
      return found;
    },
    isThere,
    10_000,
  );
}
const invalid = (...field: (string | number)[]): Expected => [422, 'validation_error', ['body', ...field]];

describe('an endpoint', () => {
  it('is made, read, listed, changed and deleted, and shows its secret once', async () => {
    const url = receiver.url('/a%20b?c=d');
    const { secret, ...made } = await create({ url, events: ['video.ready', 'video.failed', 'video.ready'] });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toEqual({
      id: made.id,
      url,
      events: ['video.ready', 'video.failed'],
      description: null,
      active: true,
      secretRotatedAt: null,
      previousSecretExpiresAt: null,
      createdAt: expect.stringMatching(instant),
      updatedAt: made.createdAt,
    });
    const second = await create({ description: 'x'.repeat(200) });
    expect(await read(made.id)).toEqual(made);
    const { items } = await standard.get<{ items: WebhookView[] }>(200, 'GET', path);
    expect(items.map(({ id }) => id)).toEqual([made.id, second.id]);
    expect(JSON.stringify(items)).not.toContain('whsec_');
    expect((await change(made.id, {})).body).toEqual(made);
    const changed = await change(made.id, { events: ['video.playable'], description: 'mine', url: receiver.url('/x') });
    expect(changed.body).toMatchObject({ events: ['video.playable'], description: 'mine', url: receiver.url('/x') });
    expect((await change(made.id, { description: null, active: false })).body).toMatchObject({
      description: null,
      active: false,
      events: ['video.playable'],
    });
    expect((await admin.ask('DELETE', `${path}/${made.id}`)).status).toBe(204);
    for (const [method, suffix] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/secret/rotate'],
      ['POST', '/ping'],
      ['GET', '/deliveries'],
    ] as const)
      expectRefused(await admin.ask(method, `${path}/${made.id}${suffix}`, method === 'PATCH' ? { body: {} } : {}), [
        404,
        'webhook_not_found',
      ]);
    const { items: rows } = await standard.get<AuditLogView>(200, 'GET', `${content}/audit?resourceId=${made.id}`);
    expect(rows.map(({ action, resourceKind, detail }) => [action, resourceKind, detail])).toEqual([
      ['webhook.deleted', 'webhook', {}],
      ['webhook.updated', 'webhook', { fields: ['description', 'active'] }],
      ['webhook.updated', 'webhook', { fields: ['url', 'events', 'description'] }],
      ['webhook.created', 'webhook', {}],
    ]);
    expect(rows[0]?.actor).toMatch(/^api_key:/);
  });

  it('is made once for an Idempotency-Key, also in what it answers', async () => {
    const sent = { body: bodyOf(), headers: key() };
    const first = await admin.get<WebhookView>(201, 'POST', path, sent);
    expect(await admin.get(201, 'POST', path, sent)).toEqual(first);
    expectRefused(await admin.ask('POST', path, { ...sent, body: bodyOf() }), [409, 'idempotency_conflict']);
    expectRefused(await admin.ask('POST', path, { body: bodyOf() }), [400, 'idempotency_key_required']);
    expect((await standard.get<{ items: WebhookView[] }>(200, 'GET', path)).items).toHaveLength(1);
  });

  it.each<[object, Expected]>([
    [{ url: 'ftp://example.com/' }, invalid('url')],
    [{ url: 'example.com' }, invalid('url')],
    [{ url: 'https://' }, invalid('url')],
    [{ url: '' }, invalid('url')],
    [{ url: 5 }, invalid('url')],
    [{ url: null }, invalid('url')],
    [{ url: `https://localhost/${'x'.repeat(2048)}` }, invalid('url')],
    [{ url: 'https://münchen.example/' }, [400, 'webhook_url_invalid']],
    [{ url: 'https://localhost/ä' }, [400, 'webhook_url_invalid']],
    [{ url: 'https://localhost/a b' }, [400, 'webhook_url_invalid']],
    [{ url: 'https://me@localhost/' }, [400, 'webhook_url_invalid']],
    [{ url: 'https://:@localhost/' }, [400, 'webhook_url_invalid']],
    [{ url: 'https://169.254.169.254/latest' }, [400, 'webhook_url_invalid']],
    [{ url: 'https://0.0.0.0/' }, [400, 'webhook_url_invalid']],
    [{ url: 'https://[::ffff:169.254.169.254]/' }, [400, 'webhook_url_invalid']],
    [{ url: 'https://does-not-exist.invalid/' }, [400, 'webhook_url_invalid']],
    [{ events: [] }, invalid('events')],
    [{ events: null }, invalid('events')],
    [{ events: ['video.ready', 'video.deleted'] }, invalid('events', 1)],
    [{ events: ['webhook.ping'] }, invalid('events', 0)],
    [{ events: Array.from({ length: 21 }, () => 'video.ready') }, invalid('events')],
    [{ description: 'x'.repeat(201) }, invalid('description')],
    [{ secret: 'whsec_x' }, invalid('secret')],
    [{ active: true }, invalid('active')],
  ])('%j is refused', async (fields, expected) => {
    const answer = await ask(bodyOf(fields));
    expectRefused(answer, expected);
    // What the name leads to is not told.
    if (answer.body.code === 'webhook_url_invalid') expect(answer.body.detail).not.toMatch(/private|resolve|169\.254/);
    if ('active' in fields) return;
    const { id } = await create();
    expectRefused(await change(id, fields), expected);
  });

  it('is one of ten at most', async () => {
    for (let count = 0; count < 10; count += 1) await create();
    expectRefused(await ask(bodyOf()), [409, 'webhook_limit_reached']);
    const [first] = (await standard.get<{ items: WebhookView[] }>(200, 'GET', path)).items;
    await admin.ask('DELETE', `${path}/${first?.id}`);
    await create();
  });

  it('needs an admin key to be changed', async () => {
    const { id } = await create();
    for (const [method, suffix] of [
      ['POST', ''],
      ['PATCH', `/${id}`],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/secret/rotate`],
    ] as const)
      expectRefused(await standard.ask(method, `${path}${suffix}`, { body: {}, headers: key() }), [
        403,
        'admin_key_required',
      ]);
  });
});

describe('a delivery', () => {
  it('is signed as Standard Webhooks says, and is verified by its library', async () => {
    const url = receiver.url('/signed');
    const { id, secret = '' } = await create({ url });
    const deliveryId = await ping(id);
    const delivered = await reaches(id, deliveryId, ({ state }) => state !== 'pending');
    expect(delivered).toEqual({
      id: deliveryId,
      webhookId: id,
      event: 'webhook.ping',
      videoId: null,
      state: 'delivered',
      attempts: 1,
      lastStatus: 204,
      lastError: null,
      nextAttemptAt: null,
      createdAt: expect.stringMatching(instant),
      deliveredAt: expect.stringMatching(instant),
    });
    const [request] = receiver.at('/signed');
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'ply' });
    const body = new Webhook(secret).verify(request?.body ?? '', request?.headers ?? {});
    expect(body).toEqual({
      id: request?.headers['webhook-id'],
      type: 'webhook.ping',
      timestamp: expect.stringMatching(instant),
      organizationId: admin.organizationId,
      data: { webhookId: id },
    });
    const path = `${content}/webhook-deliveries/${deliveryId}`;
    expect(await standard.get(200, 'GET', path)).toEqual({ ...delivered, body: request?.body });
    expect(() => new Webhook(secret).verify(`${request?.body} `, request?.headers ?? {})).toThrow();
  });

  it('is signed with both secrets after a rotation, and with the last two after another', async () => {
    const { id, secret: first = '' } = await create({ url: receiver.url('/rotated') });
    const rotate = (): Promise<WebhookView> => admin.get(200, 'POST', `${path}/${id}/secret/rotate`);
    const { secret: second = '', ...rotated } = await rotate();
    expect(second).not.toBe(first);
    expect(Date.parse(rotated.previousSecretExpiresAt ?? '') - Date.parse(rotated.secretRotatedAt ?? '')).toBe(dayMs);
    expect(await read(id)).toEqual(rotated);
    const verifiedBy = async (...secrets: string[]): Promise<boolean[]> => {
      await reaches(id, await ping(id), ({ state }) => state === 'delivered');
      const { body, headers } = receiver.at('/rotated').at(-1) ?? { body: '', headers: {} };
      return secrets.map((secret) => {
        try {
          new Webhook(secret).verify(body, headers);
          return true;
        } catch {
          return false;
        }
      });
    };
    expect(await verifiedBy(first, second)).toEqual([true, true]);
    const { secret: third = '' } = await rotate();
    expect(await verifiedBy(first, second, third)).toEqual([false, true, true]);
  });

  it('is tried again under the same id, and sent anew on request', async () => {
    const { id } = await create({ url: receiver.url('/busy') });
    let refusals = 1;
    receiver.answerWith(({ path: at }) => ({ status: at === '/busy' && refusals-- > 0 ? 503 : 204 }));
    const deliveryId = await ping(id);
    const failed = await reaches(id, deliveryId, ({ attempts }) => attempts === 1);
    expect(failed).toMatchObject({ state: 'pending', lastStatus: 503, lastError: 'status', deliveredAt: null });
    const wait = Date.parse(failed.nextAttemptAt ?? '') - Date.now();
    expect(wait).toBeGreaterThan(3000);
    expect(wait).toBeLessThanOrEqual(6000);
    expect(await deliveries(id, '?state=pending')).toEqual([failed]);
    const delivered = await reaches(id, deliveryId, ({ state }) => state === 'delivered');
    expect(delivered).toMatchObject({ attempts: 2, lastStatus: 204, lastError: null, nextAttemptAt: null });
    const sent = { headers: key() };
    const again = await standard.get<{ deliveryId: string }>(
      202,
      'POST',
      `${content}/webhook-deliveries/${deliveryId}/redeliver`,
      sent,
    );
    expect(await standard.get(202, 'POST', `${content}/webhook-deliveries/${deliveryId}/redeliver`, sent)).toEqual(
      again,
    );
    await reaches(id, again.deliveryId, ({ state }) => state === 'delivered');
    expect((await deliveries(id)).map((delivery) => delivery.id)).toEqual([again.deliveryId, deliveryId]);
    const received = receiver.at('/busy');
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
  });

  it.each<[string, () => Promise<string> | string, object]>([
    ['a redirect', () => receiver.url('/redirect'), { lastStatus: 307, lastError: 'status' }],
    ['a certificate of a stranger', strangersUrl, { lastStatus: null, lastError: 'tls_failed' }],
    ['no server', () => 'https://localhost:9/', { lastStatus: null, lastError: 'connection_failed' }],
    ['no TLS', plainUrl, { lastStatus: null, lastError: 'tls_failed' }],
  ])('to %s fails', async (_, url, expected) => {
    receiver.answerWith(({ path: at }) =>
      at === '/redirect' ? { status: 307, headers: { location: receiver.url('/elsewhere') } } : { status: 204 },
    );
    const { id } = await create({ url: await url() });
    const failed = await reaches(id, await ping(id), ({ attempts }) => attempts === 1);
    expect(failed).toMatchObject({ state: 'pending', ...expected });
    expect(receiver.at('/elsewhere')).toEqual([]);
  });

  it('to an endpoint that is gone makes it inactive, and fails with what was pending', async () => {
    receiver.answerWith(({ path: at }) => ({ status: at === '/gone' ? 410 : at === '/down' ? 500 : 204 }));
    const { id } = await create({ url: receiver.url('/down') });
    const pending = await ping(id);
    await reaches(id, pending, ({ attempts }) => attempts === 1);
    await change(id, { url: receiver.url('/gone') });
    const last = await ping(id);
    expect(await reaches(id, last, ({ state }) => state === 'failed')).toMatchObject({
      attempts: 1,
      lastStatus: 410,
      lastError: 'status',
      nextAttemptAt: null,
    });
    expect(await reaches(id, pending, ({ state }) => state === 'failed')).toMatchObject({
      lastStatus: 500,
      nextAttemptAt: null,
    });
    const inactive = await until(
      () => read(id),
      ({ active }) => !active,
    );
    expect(inactive.events).toEqual(['video.ready']);
    const { items } = await standard.get<AuditLogView>(200, 'GET', `${content}/audit?resourceId=${id}&limit=1`);
    expect(items).toMatchObject([
      { action: 'webhook.updated', actor: 'plycdn', detail: { fields: ['active'] }, ip: null },
    ]);
    // Pings go to inactive endpoints too.
    await change(id, { url: receiver.url('/well') });
    await reaches(id, await ping(id), ({ state }) => state === 'delivered');
  });

  it('of a deleted endpoint is never sent', async () => {
    receiver.answerWith(() => ({ status: 500 }));
    const { id } = await create({ url: receiver.url('/deleted') });
    const deliveryId = await ping(id);
    await reaches(id, deliveryId, ({ attempts }) => attempts === 1);
    await admin.ask('DELETE', `${path}/${id}`);
    for (const [method, suffix] of [
      ['GET', ''],
      ['POST', '/redeliver'],
    ] as const)
      expectRefused(await standard.ask(method, `${content}/webhook-deliveries/${deliveryId}${suffix}`), [
        404,
        'delivery_not_found',
      ]);
    await new Promise((resolve) => setTimeout(resolve, 7000));
    expect(receiver.at('/deleted')).toHaveLength(1);
  });

  it('is listed in pages, newest first', async () => {
    receiver.answerWith(() => ({ status: 204 }));
    const { id } = await create();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.unshift(await ping(id));
    const found: string[] = [];
    let query = '?limit=2';
    for (;;) {
      const page = await standard.get<{ items: WebhookDeliveryView[]; nextCursor: string | null }>(
        200,
        'GET',
        `${path}/${id}/deliveries${query}`,
      );
      found.push(...page.items.map((delivery) => delivery.id));
      if (page.nextCursor === null) break;
      query = `?limit=2&cursor=${page.nextCursor}`;
    }
    expect(found.toSorted()).toEqual(made.toSorted());
    for (const [field, wrong] of [
      ['limit', '0'],
      ['limit', '201'],
      ['cursor', 'x'],
      ['state', 'sent'],
    ] as const)
      expectRefused(await standard.ask('GET', `${path}/${id}/deliveries?${field}=${wrong}`), [
        422,
        'validation_error',
        ['query', field],
      ]);
    expectRefused(await standard.ask('POST', `${content}/webhook-deliveries/${unknown}/redeliver`), [
      404,
      'delivery_not_found',
    ]);
  });
});

async function strangersUrl(): Promise<string> {
  const other = await makeTestAuthority();
  const stranger = new WebhookReceiver(await other.issue());
  other.remove();
  await stranger.start();
  strangers.push(stranger);
  return stranger.url();
}
async function plainUrl(): Promise<string> {
  const plain = new WebhookReceiver(null);
  await plain.start();
  strangers.push(plain);
  return plain.url().replace('http:', 'https:');
}
const strangers: WebhookReceiver[] = [];
afterAll(async () => {
  for (const stranger of strangers) await stranger.stop();
});
