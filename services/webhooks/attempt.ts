import { errorCodeOf } from '../../models/error-code.ts';
import type { DeliveryError, WebhookDelivery } from '../../models/webhook.ts';
import { webhookSignature } from '../../models/webhook-signature.ts';
import type { GuardedClient } from '../../mixins/guarded-client/client.ts';
import { requestFailureOf, type RequestFailure } from '../../mixins/guarded-client/failure.ts';

/** Milliseconds that an attempt may take, from looking the name up to the headers of the answer. */
export const attemptMs = 15_000;

/** How an attempt came out: `error` is null if the endpoint has the event. */
export interface AttemptOutcome {
  /** Of the answer; null if there was none. */
  status: number | null;
  error: DeliveryError | null;
}

/** The codes of Node and OpenSSL for a certificate or a handshake that is refused. */
const tlsCodes =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|ERROR_IN_C|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$|PATH_LENGTH_EXCEEDED$|SELF_SIGNED_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|EPROTO$)/;

/**
 * Sends a delivery to its endpoint once. Any status from 200 to 299 is a success; redirects are not followed, and the
 * body of the answer is not read.
 * @param secrets that sign the request, the current one first
 * @param now milliseconds
 * @throws what ended `signal`
 */
export async function attemptDelivery(
  client: GuardedClient,
  url: string,
  secrets: readonly string[],
  { eventId, body }: Pick<WebhookDelivery, 'eventId' | 'body'>,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<AttemptOutcome> {
  const timestamp = Math.floor(now / 1000);
  const late = AbortSignal.timeout(attemptMs);
  try {
    const answer = await client.request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': eventId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': webhookSignature(secrets, { id: eventId, timestamp, body }),
      },
      body,
      maxBytes: 0,
      signal: AbortSignal.any([signal, late]),
    });
    answer.discard();
    const { status } = answer;
    return { status, error: status >= 200 && status < 300 ? null : 'status' };
  } catch (error) {
    signal.throwIfAborted();
    const failure = requestFailureOf(error);
    if (failure === null) throw error;
    return { status: null, error: late.aborted ? 'timeout' : errorOf(failure) };
  }
}

function errorOf({ reason, cause }: RequestFailure): DeliveryError {
  switch (reason) {
    case 'timeout':
    case 'slow':
      return 'timeout';
    case 'unresolved':
      return 'dns_failed';
    case 'refused':
      return 'address_not_allowed';
    default:
      return tlsCodes.test(errorCodeOf(cause) ?? '') ? 'tls_failed' : 'connection_failed';
  }
}
