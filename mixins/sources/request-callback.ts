import type { Runtime } from '../../models/runtime.ts';
import type { PrivateNetworks } from '../guarded-client/addresses.ts';
import type { GuardedAnswer, GuardedClient } from '../guarded-client/client.ts';
import { requestFailureOf } from '../guarded-client/failure.ts';
import {
  callbackBody,
  callbackHeaders,
  maxAnswerBytes,
  maxRequestBytes,
  readCallbackAnswer,
  type CallbackFile,
  type RenewedAddress,
} from './callback.ts';
import { SourceFailure } from './failure.ts';

/** Timeout of a callback from the request to the end of the answer, in milliseconds. */
export const callbackTimeoutMs = 15_000;
/** Random bytes of a nonce. */
const nonceBytes = 18;

/** A callback, and what a request to it needs. */
export interface CallbackTarget {
  url: string;
  secret: string;
  /** Reaches only hosts that `privateNetworks` allows. */
  client: GuardedClient;
  privateNetworks: PrivateNetworks;
  runtime: Pick<Runtime, 'now' | 'secret'>;
  /** `callbackTimeoutMs` if omitted. */
  timeoutMs?: number;
}

/**
 * Requests the address of a file from an organization's callback: one request with its own signature and nonce. A
 * redirect is refused like any status other than 200. Failures contain neither the request nor the answer.
 * @throws SourceFailure `source_callback_refused`, `source_access_mismatch`, `ambiguous_source_credentials`;
 * RequestFailure `aborted` where the caller's signal was
 */
export async function requestCallback(
  target: CallbackTarget,
  file: CallbackFile,
  signal: AbortSignal | undefined,
): Promise<RenewedAddress> {
  const { client, runtime, url, secret, privateNetworks } = target;
  const body = callbackBody(file);
  if (Buffer.byteLength(body) > maxRequestBytes)
    throw new SourceFailure(
      'source_callback_refused',
      `the request to the callback would be over ${maxRequestBytes} bytes`,
    );
  const timeoutMs = target.timeoutMs ?? callbackTimeoutMs;
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers = callbackHeaders(body, {
    timestamp: Math.floor(runtime.now() / 1000),
    nonce: runtime.secret(nonceBytes),
    secret,
  });
  let answered: Uint8Array;
  try {
    const answer = await client.request(url, {
      method: 'POST',
      headers: { accept: 'application/json', ...headers },
      body,
      maxBytes: maxAnswerBytes,
      headersMs: timeoutMs,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    answered = await bytesOf(answer);
  } catch (error) {
    const failure = requestFailureOf(error);
    if (failure === null || signal?.aborted === true) throw error;
    const detail = timeout.aborted
      ? 'the callback did not answer in time'
      : `the callback gave no answer: ${failure.message}`;
    throw new SourceFailure('source_callback_refused', detail, { cause: failure });
  }
  return readCallbackAnswer(answered, file.sourceUrl, privateNetworks, runtime.now());
}

/** An answer's body, of at most `maxAnswerBytes`. @throws SourceFailure for a status other than 200; RequestFailure */
async function bytesOf(answer: GuardedAnswer): Promise<Uint8Array> {
  if (answer.status !== 200) {
    answer.discard();
    throw new SourceFailure('source_callback_refused', `the callback answered ${answer.status}`);
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.body) pieces.push(piece);
  return Buffer.concat(pieces);
}
