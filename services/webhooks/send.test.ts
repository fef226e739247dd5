import type { GuardedClient } from '../../mixins/guarded-client/client.ts';
import { RequestFailure } from '../../mixins/guarded-client/failure.ts';
import { publishEvents } from '../../mixins/webhooks/publish-events.ts';
import { webhookWork } from '../../mixins/webhooks/webhook-work.ts';
import { deactivateWebhook } from '../../mixins/webhooks/webhook-outbox.ts';
import { drainOutbox } from '../../mixins/work/outbox.ts';
import * as transitions from '../../mixins/work/transitions.ts';
import { systemScope } from '../../models/scope.ts';
import type { VideoEvent } from '../../models/video.ts';
import {
  webhookDeliveries,
  webhooks,
  webhookSecretContext,
  type Webhook,
  type WebhookDelivery,
} from '../../models/webhook.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { sealedTestWebhook } from '../../test/support/webhook.ts';
import { removeOldWebhooks } from './upkeep.ts';
import { send } from './work.ts';

const event: VideoEvent = {
  id: '0d6a6c1e-53a7-4c0e-8f0a-5b7f3c9e1a22',
  type: 'video.ready',
  at: 1_893_456_000_000,
  organizationId: 'organization',
  videoId: 'video',
  libraryId: 'library',
  status: 'ready',
  errorCode: null,
  sequence: 2,
};
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let test: TestApp;
beforeEach(async () => {
  test = await testApp();
});
afterEach(() => test.close());

const endpoints = () => test.app.records.collection(webhooks, systemScope);
const deliveries = () => test.app.records.collection(webhookDeliveries, systemScope);
const all = (): Promise<WebhookDelivery[]> => deliveries().find({ filter: {}, sort: [['_id', 1]], limit: 1000 });
const addWebhook = (fields: Partial<Webhook> = {}): Promise<void> =>
  endpoints().insert(sealedTestWebhook(test.app.sealer, fields));
async function only(): Promise<WebhookDelivery> {
  const [delivery, ...others] = await all();
  if (delivery === undefined || others.length > 0) throw new Error('there is not one delivery');
  return delivery;
}
function pass(milliseconds: number): void {
  test.ahead.local += milliseconds;
  test.ahead.records += milliseconds;
}

/** A client whose requests come to this. */
function client(answer: () => number | RequestFailure): GuardedClient & { asked: { url: string; body: unknown }[] } {
  const asked: { url: string; body: unknown }[] = [];
  return {
    asked,
    request: (url, { body }) => {
      asked.push({ url: String(url), body });
      const given = answer();
      if (typeof given !== 'number') return Promise.reject(given);
      return Promise.resolve({
        status: given,
        header: () => null,
        body: (async function* () {})(),
        discard: () => undefined,
      });
    },
    close: () => Promise.resolve(),
  };
}

/** Makes the next attempt of the one delivery, when its time has come, as a worker does. */
async function attempt(made: GuardedClient): Promise<WebhookDelivery> {
  const { app } = test;
  let delivery = await only();
  if (delivery.run.phase === 'put_off') {
    pass(Math.max(0, (delivery.run.dueAt ?? 0) - app.records.time()));
    const { filter, change } = transitions.resume(delivery, app.records.time());
    delivery = (await deliveries().update(delivery._id, filter, change)) ?? delivery;
  }
  const claim = transitions.claim(delivery, { owner: 'test', held: 1 }, app.records.time(), 30_000);
  const claimed = await deliveries().update(delivery._id, claim.filter, claim.change);
  if (claimed === null) return only();
  const result = await send(app, made, { document: claimed, signal: new AbortController().signal });
  const { filter, change } = result(claimed, app.records.time());
  const written = await deliveries().update(claimed._id, filter, change);
  if (written !== null && transitions.isFinished(written.run))
    await drainOutbox(app, webhookWork(app), deliveries(), written);
  return only();
}

describe('an event', () => {
  it('becomes one delivery for each active endpoint that subscribes, however often it is published', async () => {
    await addWebhook({ _id: 'all' });
    await addWebhook({ _id: 'failures', events: ['video.failed'] });
    await addWebhook({ _id: 'inactive', active: false });
    await addWebhook({ _id: 'elsewhere', organizationId: 'another' });
    const second: VideoEvent = {
      ...event,
      id: 'f3b0c442-98fc-4c14-9afb-f4c8996fb924',
      type: 'video.failed',
      status: 'failed',
      errorCode: 'video_unreadable',
      sequence: 3,
    };
    const woken: unknown[] = [];
    const wakeUp = (...given: unknown[]): void => void woken.push(given);
    await publishEvents(test.app, [event], wakeUp);
    await publishEvents(test.app, [{ ...event, organizationId: 'without endpoints' }], wakeUp);
    expect(woken).toEqual([['organization', ['delivering_webhook', 'retrying_webhook']]]);
    await Promise.all([publishEvents(test.app, [event, second]), publishEvents(test.app, [event, second])]);
    const made = await all();
    expect(made.map(({ webhookId, eventId }) => `${webhookId} ${eventId}`).toSorted()).toEqual(
      [`all ${event.id}`, `all ${second.id}`, `failures ${second.id}`].toSorted(),
    );
    expect(made.find(({ eventId }) => eventId === event.id)).toMatchObject({
      state: 'pending',
      event: 'video.ready',
      body: `{"id":"${event.id}","type":"video.ready","timestamp":"2030-01-01T00:00:00.000Z","organizationId":"organization","data":{"videoId":"video","libraryId":"library","status":"ready","sequence":2}}`,
    });
    expect(made.find(({ eventId }) => eventId === second.id)?.body).toContain(
      '"status":"failed","errorCode":"video_unreadable","sequence":3',
    );
  });

  it('is tried ten times over three days, and then has failed', async () => {
    await addWebhook();
    await publishEvents(test.app, [event]);
    const failing = client(() => 500);
    const waits: number[] = [];
    for (let attempts = 1; attempts <= 10; attempts += 1) {
      const delivery = await attempt(failing);
      expect(delivery).toMatchObject({ attempts, lastStatus: 500, lastError: 'status' });
      if (delivery.nextAttemptAt !== null) waits.push(delivery.nextAttemptAt - test.app.runtime.now());
    }
    expect(await only()).toMatchObject({ state: 'failed', nextAttemptAt: null, run: { phase: 'ended' } });
    const hours = [5 / 3600, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24];
    expect(waits).toHaveLength(hours.length);
    for (const [index, wait] of waits.entries()) {
      const least = (hours[index] ?? 0) * hourMs;
      expect(wait).toBeGreaterThan(least - 1000);
      expect(wait).toBeLessThanOrEqual(least * 1.2 + 1);
    }
    // Three days of failures leave it active.
    expect(await endpoints().get('webhook')).toMatchObject({ active: true, failingSince: expect.any(Number) });
    expect(new Set(failing.asked.map(({ body }) => body)).size).toBe(1);
  });

  it.each([
    [new RequestFailure('timeout', ''), 'timeout'],
    [new RequestFailure('unresolved', ''), 'dns_failed'],
    [new RequestFailure('refused', ''), 'address_not_allowed'],
    [new RequestFailure('unreachable', ''), 'connection_failed'],
    [new RequestFailure('malformed', ''), 'connection_failed'],
    [
      new RequestFailure('unreachable', '', { cause: Object.assign(new Error(), { code: 'CERT_HAS_EXPIRED' }) }),
      'tls_failed',
    ],
  ])('that meets %s has its lastError', async (failure, lastError) => {
    await addWebhook();
    await publishEvents(test.app, [event]);
    expect(await attempt(client(() => failure))).toMatchObject({ state: 'pending', lastStatus: null, lastError });
  });

  it('to an endpoint that failed for five days makes it inactive; a success or PATCH in between does not', async () => {
    await addWebhook({ failingSince: test.app.runtime.now() - 5 * dayMs });
    await publishEvents(test.app, [event]);
    // New events of a failing endpoint wait in the queue of such endpoints.
    expect((await only()).run.stage).toBe('retrying_webhook');
    expect(await attempt(client(() => 500))).toMatchObject({ state: 'failed', attempts: 1 });
    expect(await endpoints().get('webhook')).toMatchObject({ active: false, term: 2 });
    await publishEvents(test.app, [{ ...event, id: 'another' }]);
    expect(await all()).toHaveLength(1);
  });

  it('that arrives ends the failures of its endpoint', async () => {
    await addWebhook({ failingSince: test.app.runtime.now() - 6 * dayMs });
    await publishEvents(test.app, [event]);
    expect(await attempt(client(() => 204))).toMatchObject({ state: 'delivered', lastError: null });
    expect(await endpoints().get('webhook')).toMatchObject({ active: true, failingSince: null });
  });

  it('is never sent in a later term of its endpoint, and a slow worker changes nothing', async () => {
    await addWebhook();
    const stale = sealedTestWebhook(test.app.sealer);
    await publishEvents(test.app, [event]);
    const { organizationId } = stale;
    await deactivateWebhook(test.app, { organizationId, webhookId: 'webhook', term: 1 });
    expect(await only()).toMatchObject({ state: 'failed', attempts: 0, run: { phase: 'ended' } });
    // Written by a process that had read the endpoint before.
    await deliveries().remove((await only())._id);
    await endpoints().update('webhook', {}, { set: { active: true, term: 1 } });
    await publishEvents(test.app, [event]);
    await endpoints().update('webhook', {}, { set: { active: false, term: 2 } });
    const asked = client(() => 204);
    expect(await attempt(asked)).toMatchObject({ state: 'failed', attempts: 0, nextAttemptAt: null });
    expect(asked.asked).toEqual([]);
    await deactivateWebhook(test.app, { organizationId, webhookId: 'webhook', term: 1 });
    expect(await endpoints().get('webhook')).toMatchObject({ term: 2 });
  });
});

it('deliveries are kept for 30 days, and secrets before a rotation for one', async () => {
  const sealedPreviousSecret = test.app.sealer.seal('whsec_AAAA', webhookSecretContext('webhook'));
  await addWebhook({ sealedPreviousSecret, previousSecretExpiresAt: test.app.runtime.now() + dayMs });
  await publishEvents(test.app, [event]);
  await attempt(client(() => 204));
  await addWebhook({ _id: 'gone', goneAt: test.app.runtime.now() });
  await removeOldWebhooks(test.app);
  expect(await all()).toHaveLength(1);
  expect(await endpoints().get('gone')).toBeNull();
  pass(dayMs);
  await removeOldWebhooks(test.app);
  expect(await endpoints().get('webhook')).toMatchObject({ previousSecretExpiresAt: null });
  expect((await endpoints().get('webhook'))?.sealedPreviousSecret).toBeUndefined();
  pass(29 * dayMs);
  await removeOldWebhooks(test.app);
  expect(await all()).toEqual([]);
});
