import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

/** Writes 32 random bytes as the secret of an endpoint. @param bytes base64url or base64 */
export function webhookSecret(bytes: string): string {
  return `${prefix}${Buffer.from(bytes, 'base64url').toString('base64')}`;
}

/** A request as its signature covers it. */
export interface SignedRequest {
  /** `webhook-id` */
  id: string;
  /** `webhook-timestamp`: seconds since 1970. */
  timestamp: number;
  body: string;
}

/**
 * The `webhook-signature` of a request: one for each secret, separated by spaces (Standard Webhooks 1.0,
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 * @param secrets `whsec_` and the base64 of the key
 */
export function webhookSignature(secrets: readonly string[], { id, timestamp, body }: SignedRequest): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
