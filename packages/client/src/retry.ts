import { errorOf, PlyConnectionError, PlyError } from './errors.ts';

/** When requests are sent again. */
export interface RetryRules {
  /** How often one request is sent again; 4 by default. */
  retries?: number;
  /** Longest wait that a response may ask for, in seconds; longer ones are errors. 60 by default. */
  maxRetryAfter?: number;
}

/** A request that may have to be sent several times. */
export interface Attempts extends RetryRules {
  url: string;
  /** Whether it may be sent again when it is not known if it was carried out. */
  mayRepeat: boolean;
  signal: AbortSignal | undefined;
  send: (signal: AbortSignal) => Promise<Response>;
  /** Milliseconds for one attempt. */
  timeoutMs: number;
}

/** Pause before the first repetition where the response names none, in milliseconds; it doubles each time. */
const firstPauseMs = 500;
const longestPauseMs = 20_000;

/**
 * Sends a request until it is answered. What was refused by a rate limit is always sent again; what may have been
 * carried out only where the request may be repeated.
 * @returns a response whose status is below 400
 * @throws PlyError, PlyConnectionError, and the reason of the signal
 */
export async function sendWithRetries(attempts: Attempts): Promise<Response> {
  const { retries = 4, maxRetryAfter = 60, signal, mayRepeat } = attempts;
  for (let repeated = 0; ; repeated += 1) {
    const outcome = await attempt(attempts);
    if (outcome instanceof Response) return outcome;
    signal?.throwIfAborted();
    const isLimited = outcome instanceof PlyError && outcome.code === 'rate_limited';
    const isTransient = outcome instanceof PlyConnectionError || outcome.retryable;
    const seconds = outcome instanceof PlyError ? outcome.retryAfter : null;
    if (!isLimited && !(isTransient && mayRepeat)) throw outcome;
    if (repeated >= retries || (seconds ?? 0) > maxRetryAfter) throw outcome;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** repeated);
    // Random, so that clients that were refused together do not come back together.
    await pause(seconds === null ? pauseMs * (0.5 + Math.random() / 2) : seconds * 1000 + Math.random() * 250, signal);
  }
}

async function attempt({ url, send, timeoutMs, signal }: Attempts): Promise<Response | PlyError | PlyConnectionError> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await send(signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
  } catch (error) {
    return new PlyConnectionError(url, error);
  }
  return response.status < 400 ? response : errorOf(response);
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}
