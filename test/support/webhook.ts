import { webhookSecretContext, type Webhook } from '../../models/webhook.ts';
import type { Sealer } from '../../mixins/sealing.ts';

/** The secret of test endpoints: bytes 0 to 31. */
export const testSecret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

/** An active endpoint for every event. */
export function testWebhook(fields: Partial<Webhook> = {}): Webhook {
  return {
    _id: 'webhook',
    organizationId: 'organization',
    accountId: 'account',
    url: 'https://hooks.example.com/',
    events: ['video.playable', 'video.ready', 'video.failed'],
    description: null,
    active: true,
    sealedSecret: '',
    previousSecretExpiresAt: null,
    secretRotatedAt: null,
    failingSince: null,
    term: 1,
    createdAt: 0,
    updatedAt: 0,
    listedAt: 0,
    version: 1,
    outbox: [],
    ...fields,
  };
}

/** The same with a secret that is sealed with this key. */
export function sealedTestWebhook(sealer: Pick<Sealer, 'seal'>, fields: Partial<Webhook> = {}): Webhook {
  const { _id = 'webhook' } = fields;
  return testWebhook({ ...fields, _id, sealedSecret: sealer.seal(testSecret, webhookSecretContext(_id)) });
}
