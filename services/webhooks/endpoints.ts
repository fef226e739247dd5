import { endOfDeliveries, settleWebhook, webhookAudit, webhooksOf } from '../../mixins/webhooks/webhook-outbox.ts';
import type { Caller } from '../../models/api.ts';
import { Refusal } from '../../models/errors.ts';
import type { NewWebhook, WebhookPatch } from '../../models/schemas/webhooks.ts';
import { webhookSecret } from '../../models/webhook-signature.ts';
import { maxWebhooks, webhookSecretContext, type Webhook, type WebhookView } from '../../models/webhook.ts';
import { checkAddress } from './address.ts';
import { findWebhook, writeWebhook, type WebhookTools } from './tools.ts';
import { webhookView, webhookViewWithSecret } from './view.ts';

/** Random bytes of a secret. */
const secretBytes = 32;
/** How long the secret before a rotation signs too, in milliseconds. */
const previousSecretMs = 24 * 3_600_000;

function newSealedSecret({ app }: WebhookTools, webhookId: string): string {
  return app.sealer.seal(webhookSecret(app.runtime.secret(secretBytes)), webhookSecretContext(webhookId));
}

/**
 * Makes an endpoint. Its secret is answered here and never again.
 * @param id fixed by the Idempotency-Key: the same request after a crash finds what it had made
 * @throws Refusal `validation_error`, `webhook_url_invalid`, `webhook_limit_reached`
 */
export async function createWebhook(
  tools: WebhookTools,
  caller: Caller,
  id: string,
  { url, events, description }: NewWebhook,
): Promise<WebhookView> {
  const { app } = tools;
  const { organizationId, accountId } = caller;
  await checkAddress(tools, url);
  const endpoints = webhooksOf(app, organizationId);
  const made = await endpoints.get(id);
  if (made !== null) return webhookViewWithSecret(app, made);
  await requireRoom(tools, organizationId, 0);
  const now = app.runtime.now();
  const webhook: Webhook = {
    _id: id,
    organizationId,
    accountId,
    url,
    events,
    description,
    active: true,
    sealedSecret: newSealedSecret(tools, id),
    previousSecretExpiresAt: null,
    secretRotatedAt: null,
    failingSince: null,
    term: 1,
    createdAt: now,
    updatedAt: now,
    listedAt: now,
    version: 1,
    outbox: [webhookAudit(app, { _id: id, organizationId }, caller, 'webhook.created')],
    outboxDue: app.records.time(),
  };
  await endpoints.insert(webhook);
  try {
    // A concurrent request may have taken the last place.
    await requireRoom(tools, organizationId, 1);
  } catch (error) {
    await endpoints.remove(id);
    throw error;
  }
  await settleWebhook(app, webhook);
  return webhookViewWithSecret(app, webhook);
}

/** @throws Refusal `webhook_limit_reached` */
async function requireRoom({ app }: WebhookTools, organizationId: string, alreadyCounted: number): Promise<void> {
  const present = await webhooksOf(app, organizationId).count({ listedAt: { $exists: true } });
  if (present - alreadyCounted >= maxWebhooks) throw new Refusal('webhook_limit_reached');
}

/** The endpoints of the organization, oldest first. */
export async function listWebhooks(
  { app }: WebhookTools,
  { organizationId }: Caller,
): Promise<{ items: WebhookView[] }> {
  const found = await webhooksOf(app, organizationId).find({
    filter: { listedAt: { $exists: true } },
    sort: [
      ['listedAt', 1],
      ['_id', 1],
    ],
    limit: 2 * maxWebhooks,
  });
  return { items: found.map((webhook) => webhookView(app, webhook)) };
}

/** One endpoint. @throws Refusal `webhook_not_found` */
export async function readWebhook({ app }: WebhookTools, caller: Caller, webhookId: string): Promise<WebhookView> {
  return webhookView(app, await findWebhook(app, caller.organizationId, webhookId));
}

/**
 * Changes an endpoint; what is not sent stays. Making it inactive ends what is pending; making it active forgets the
 * failures before.
 * @throws Refusal `validation_error`, `webhook_not_found`, `webhook_url_invalid`
 */
export async function changeWebhook(
  tools: WebhookTools,
  caller: Caller,
  webhookId: string,
  change: WebhookPatch,
): Promise<WebhookView> {
  const { app } = tools;
  const { url } = await findWebhook(app, caller.organizationId, webhookId);
  if (change.url !== undefined && change.url !== url) await checkAddress(tools, change.url);
  const written = await writeWebhook(tools, caller, webhookId, (webhook) => {
    const fields = changedFields(webhook, change);
    const isForgiven = change.active === true && webhook.failingSince !== null;
    if (fields.length === 0 && !isForgiven) return null;
    const isEnding = change.active === false && webhook.active;
    const term = webhook.term + (isEnding ? 1 : 0);
    return {
      set: {
        ...Object.fromEntries(fields.map((field) => [field, change[field] ?? null])),
        ...(fields.length === 0 ? {} : { updatedAt: Math.max(app.runtime.now(), webhook.updatedAt) }),
        ...(isForgiven ? { failingSince: null } : {}),
        term,
      },
      audit: fields.length === 0 ? null : { action: 'webhook.updated', fields },
      outbox: isEnding ? [endOfDeliveries(app, term)] : [],
    };
  });
  return webhookView(app, written);
}

const changeable = ['url', 'events', 'description', 'active'] as const;

function changedFields(webhook: Webhook, change: WebhookPatch): (typeof changeable)[number][] {
  return changeable.filter(
    (field) => change[field] !== undefined && JSON.stringify(change[field]) !== JSON.stringify(webhook[field]),
  );
}

/** Deletes an endpoint; what is pending of it ends. @throws Refusal `webhook_not_found` */
export async function removeWebhook(tools: WebhookTools, caller: Caller, webhookId: string): Promise<null> {
  const { app } = tools;
  await writeWebhook(tools, caller, webhookId, ({ term }) => ({
    set: { active: false, goneAt: app.runtime.now(), term: term + 1 },
    unset: ['listedAt', 'sealedPreviousSecret'],
    audit: { action: 'webhook.deleted' },
    outbox: [endOfDeliveries(app, term + 1)],
  }));
  return null;
}

/**
 * Gives an endpoint a new secret, which is answered here and never again. The one before signs too for a day; one
 * before that ends now.
 * @throws Refusal `webhook_not_found`
 */
export async function rotateSecret(tools: WebhookTools, caller: Caller, webhookId: string): Promise<WebhookView> {
  const { app } = tools;
  const sealedSecret = newSealedSecret(tools, webhookId);
  const written = await writeWebhook(tools, caller, webhookId, (webhook) => {
    const now = app.runtime.now();
    return {
      set: {
        sealedSecret,
        sealedPreviousSecret: webhook.sealedSecret,
        secretRotatedAt: now,
        previousSecretExpiresAt: now + previousSecretMs,
        updatedAt: Math.max(now, webhook.updatedAt),
      },
      audit: { action: 'webhook.secret_rotated', fields: ['secret'] },
    };
  });
  return webhookViewWithSecret(app, { ...written, sealedSecret });
}
