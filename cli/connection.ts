import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readOperatorFile } from '../app/operator-file.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { printable } from './terminal.ts';

/** An error that ends a command; its message says what to do next. */
export class CommandError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
  }
}

/** The body of a response. */
export interface AnswerBody {
  [field: string]: unknown;
}

/** A connection to the API of a running program. */
export interface Connection {
  apiUrl: string;
  organizationId: string;
  /**
   * Sends a request to the content API; waits and repeats it when rate limited, and as its retry policy says.
   * @param idempotencyKey lets a request that changes something be repeated, though its response was lost
   * @throws CommandError if the program does not respond, or responds with an error
   */
  ask(method: string, path: string, body?: object, idempotencyKey?: string): Promise<AnswerBody>;
}

/** For how long a command repeats requests that can be retried: 502, 503, 504, and lost connections. */
export interface RetryPolicy {
  /** Milliseconds for one request. */
  forMs: number;
  /** Ends the waiting. */
  signal: AbortSignal;
  /** Called once for each request that has to be repeated, with the reason, and again without when it was answered. */
  report(reason: string | null): void;
}

const noRetries: RetryPolicy = { forMs: 0, signal: new AbortController().signal, report: () => undefined };
const answerMs = 60_000;
/** Longest pause between two attempts, in milliseconds. */
const longestPauseMs = 10_000;
const unavailable: readonly number[] = [502, 503, 504];

/** Address of the API: from the variables, otherwise from the file that the first start wrote. */
export async function apiUrlOf(configuration: Configuration): Promise<string> {
  const kept = await readOperatorFile(resolve(configuration.PLY_DATA_DIR));
  return configuration.PLY_API_URL ?? kept?.apiUrl ?? `http://${configuration.PLY_HOST}:${configuration.PLY_API_PORT}`;
}

/** Port at which files of buckets are delivered on this machine: that of the running program, otherwise of the variables. */
export async function deliveryPortOf(configuration: Configuration): Promise<number> {
  const kept = await readOperatorFile(resolve(configuration.PLY_DATA_DIR));
  const isAsked = kept?.apiUrl === (await apiUrlOf(configuration));
  return (isAsked ? kept.deliveryPort : undefined) ?? configuration.PLY_DELIVERY_PORT;
}

/** Where the API is, and who asks. */
export interface Access {
  apiUrl: string;
  organizationId: string;
  /** Of every request. */
  headers: { Authorization: string; 'X-Organization-Id': string };
}

/**
 * Finds the API and its key: from the variables, otherwise from the file that the first start wrote.
 * @throws CommandError if there is no key
 */
export async function findAccess(configuration: Configuration): Promise<Access> {
  const kept = await readOperatorFile(resolve(configuration.PLY_DATA_DIR));
  const apiUrl = await apiUrlOf(configuration);
  const key = configuration.PLY_API_KEY ?? kept?.key;
  const organizationId = configuration.PLY_ORGANIZATION_ID ?? kept?.organizationId;
  if (key === undefined || organizationId === undefined) {
    throw new CommandError(
      'No API key was found. Start the program with npm start in this folder, or set PLY_API_URL, PLY_API_KEY and PLY_ORGANIZATION_ID.',
    );
  }
  const headers = { Authorization: `ApiKey ${key}`, 'X-Organization-Id': organizationId };
  return { apiUrl, organizationId, headers };
}

/** Connects to the API that `findAccess` finds. @throws CommandError if there is no key */
export async function connect(configuration: Configuration, retries: RetryPolicy = noRetries): Promise<Connection> {
  const { apiUrl, organizationId, headers } = await findAccess(configuration);
  // A program that never responded is not running, which waiting does not change.
  let hasResponded = false;

  async function attempt(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Attempt> {
    const own = idempotencyKey === undefined ? headers : { ...headers, 'Idempotency-Key': idempotencyKey };
    let response: Response;
    try {
      response = await request(apiUrl, method, path, own, body);
    } catch (error) {
      if (!hasResponded) throw error;
      return { retry: 'unavailable', error, afterMs: 1000 };
    }
    hasResponded = true;
    const afterMs = 1000 * Math.max(1, Number(response.headers.get('retry-after') ?? 1));
    if (unavailable.includes(response.status)) {
      // A proxy's page is not JSON.
      const error = await bodyOf(response, apiUrl).then(
        (answer) => refused(`${method} ${path}`, response.status, answer),
        () => new CommandError(`${method} ${path} was answered ${response.status}`),
      );
      return { retry: 'unavailable', error, afterMs };
    }
    const answer = await bodyOf(response, apiUrl);
    if (response.ok) return { answer };
    const error = refused(`${method} ${path}`, response.status, answer);
    if (answer['code'] === 'rate_limited') return { retry: 'limited', error, afterMs };
    // The first request with this Idempotency-Key still runs.
    if (answer['code'] === 'idempotency_conflict' && answer['retryable'] === true)
      return { retry: 'unavailable', error, afterMs };
    throw error;
  }

  return {
    apiUrl,
    organizationId,
    ask: async (method, path, body, idempotencyKey) => {
      const deadline = performance.now() + retries.forMs;
      let isReported = false;
      for (;;) {
        const outcome = await attempt(method, path, body, idempotencyKey);
        if ('answer' in outcome) {
          if (isReported) retries.report(null);
          return outcome.answer;
        }
        const { retry, error, afterMs } = outcome;
        const isLimited = retry === 'limited';
        if (retries.signal.aborted || (!isLimited && performance.now() >= deadline)) throw error;
        if (!isLimited && !isReported) {
          isReported = true;
          retries.report(reasonOf(error));
        }
        // An interrupted pause is the request to stop: it is tried once more, at once.
        await pause(isLimited ? afterMs : Math.min(afterMs, longestPauseMs), undefined, {
          signal: retries.signal,
        }).catch(() => undefined);
      }
    },
  };
}

/** The outcome of one request: its answer, or why it may be repeated, and when. */
type Attempt = { answer: AnswerBody } | { retry: 'limited' | 'unavailable'; error: unknown; afterMs: number };

async function request(
  apiUrl: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Response> {
  try {
    return await fetch(`${apiUrl}/api/content/v1${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      signal: AbortSignal.timeout(answerMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw new CommandError(`Ply does not respond at ${apiUrl} (${reasonOf(error)}). Start it with: npm start`);
  }
}

/** Why a request failed; fetch has it in the cause. */
export function reasonOf(error: unknown): string {
  if (!hasMessage(error)) return String(error);
  return hasMessage(error.cause) ? error.cause.message : error.message;
}

/** Checked by its fields, because an error may come from another realm. */
function hasMessage(error: unknown): error is { message: string; cause?: unknown } {
  return (
    typeof error === 'object' &&
    error !== null &&
    'message' in error &&
    typeof error.message === 'string' &&
    error.message !== ''
  );
}

async function bodyOf(response: Response, apiUrl: string): Promise<AnswerBody> {
  const text = await response.text();
  try {
    const body: unknown = text === '' ? {} : JSON.parse(text);
    if (typeof body === 'object' && body !== null) return { ...body };
  } catch {
    // Not JSON: handled below like every other response that is not from Ply.
  }
  throw new CommandError(
    `The server at ${apiUrl} is not Ply (status ${response.status}). Set PLY_API_URL to the address that npm start printed.`,
  );
}

function refused(asked: string, status: number, { code, detail }: AnswerBody): CommandError {
  const why = `${asked} was answered ${status} ${String(code)}: ${printable(String(detail))}`;
  const next =
    status === 401 || status === 403
      ? ' Set PLY_API_KEY and PLY_ORGANIZATION_ID; npm run ply -- keys lists the keys, and keys create adds one.'
      : '';
  return new CommandError(why + next);
}
