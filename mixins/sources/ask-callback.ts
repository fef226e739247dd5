import type { Ambient } from '../../models/ambient.ts';
import type { PrivateNetworks } from '../guarded-client/addresses.ts';
import type { GuardedAnswer, GuardedClient } from '../guarded-client/client.ts';
import { requestFailureOf } from '../guarded-client/failure.ts';
import { callbackBody, callbackHeaders, mostAnswerBytes, mostRequestBytes, readCallbackAnswer, type CallbackFile, type RenewedAddress } from './callback.ts';
import { SourceFailure } from './failure.ts';

/** How long a callback may take from the request to the end of its answer, in milliseconds. */
export const callbackPatienceMs = 15_000;
/** Random bytes of a nonce. */
const nonceBytes = 18;

/** A callback and how it is asked. */
export interface CallbackTarget {
  url: string;
  secret: string;
  /** Reaches what `privateNetworks` lets it reach, wherever an organization's callback leads. */
  client: GuardedClient;
  privateNetworks: PrivateNetworks;
  ambient: Pick<Ambient, 'now' | 'secret'>;
  /** `callbackPatienceMs` where left out. */
  patienceMs?: number;
}

/**
 * Asks an organization's callback for an address of a file. One request, with a signature and a nonce of its own; a
 * redirect is an answer other than 200. Neither what was asked with nor what was answered stands in a failure.
 * @throws SourceFailure `source_callback_refused`, `source_access_mismatch`, `ambiguous_source_credentials`; RequestFailure
 * `aborted` where the caller's signal was
 */
export async function askCallback(target: CallbackTarget, file: CallbackFile, signal: AbortSignal | undefined): Promise<RenewedAddress> {
  const { client, ambient, url, secret, privateNetworks } = target;
  const body = callbackBody(file);
  if (Buffer.byteLength(body) > mostRequestBytes) throw new SourceFailure('source_callback_refused', `the request to the callback would be over ${mostRequestBytes} bytes`);
  const patience = target.patienceMs ?? callbackPatienceMs;
  const late = AbortSignal.timeout(patience);
  const headers = callbackHeaders(body, { timestamp: Math.floor(ambient.now() / 1000), nonce: ambient.secret(nonceBytes), secret });
  let answered: Uint8Array;
  try {
    const answer = await client.request(url, { method: 'POST', headers: { accept: 'application/json', ...headers }, body, maxBytes: mostAnswerBytes, headersMs: patience, signal: signal === undefined ? late : AbortSignal.any([signal, late]) });
    answered = await bytesOf(answer);
  } catch (error) {
    const failure = requestFailureOf(error);
    if (failure === null || signal?.aborted === true) throw error;
    const detail = late.aborted ? 'the callback did not answer in time' : `the callback gave no answer: ${failure.message}`;
    throw new SourceFailure('source_callback_refused', detail, { cause: failure });
  }
  return readCallbackAnswer(answered, file.sourceUrl, privateNetworks, ambient.now());
}

/** An answer's body, of at most `mostAnswerBytes`. @throws SourceFailure for a status other than 200; RequestFailure */
async function bytesOf(answer: GuardedAnswer): Promise<Uint8Array> {
  if (answer.status !== 200) {
    answer.discard();
    throw new SourceFailure('source_callback_refused', `the callback answered ${answer.status}`);
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.body) pieces.push(piece);
  return Buffer.concat(pieces);
}
