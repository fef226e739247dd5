import { Webhook } from 'standardwebhooks';
import fc from 'fast-check';
import { webhookSecret, webhookSignature } from './webhook-signature.ts';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

describe('a signature', () => {
  it('is the one of the published vector', () => {
    const hex = 'b0d8f8e9fcaef9f4a4d931368c35bf2efd820f6e9f303a7a28f907dcef8a7157';
    expect(webhookSignature([secret], { id: 'e1', timestamp: 1_893_456_000, body: '{"id":"e1"}' })).toBe(
      `v1,${Buffer.from(hex, 'hex').toString('base64')}`,
    );
  });

  it('is verified by the library with each of the secrets, and with no other', () => {
    const secrets = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((key) => webhookSecret(Buffer.from(key).toString('base64url')));
    fc.assert(
      fc.property(
        fc.uniqueArray(secrets, { minLength: 3, maxLength: 3 }),
        fc.uuid(),
        fc.json(),
        ([one = '', two = '', other = ''], id, body) => {
          const timestamp = Math.floor(Date.now() / 1000);
          const headers = {
            'webhook-id': id,
            'webhook-timestamp': String(timestamp),
            'webhook-signature': webhookSignature([one, two], { id, timestamp, body }),
          };
          for (const good of [one, two]) expect(new Webhook(good).verify(body, headers)).toEqual(JSON.parse(body));
          expect(() => new Webhook(other).verify(body, headers)).toThrow();
        },
      ),
    );
  });
});
