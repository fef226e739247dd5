import { Refusal, refusalOf, type ErrorCode, type RefusalDetails } from '../../models/errors.ts';

/** What a failure is to the client. */
export interface Failure {
  status: number;
  type: ErrorCode;
  data: RefusalDetails;
  /** True where the reason is for the log alone. */
  internal: boolean;
}

/** Names of errors that mean that a store or a part of the service is away. They cross the broker by name alone. */
const away = new Set([
  'StoreUnavailable',
  'ModelUnavailable',
  'ServiceNotFoundError',
  'ServiceNotAvailableError',
  'RequestTimeoutError',
  'RequestRejectedError',
  'QueueIsFullError',
  'BrokerDisconnectedError',
  'RequestSkippedError',
  'MaxCallLevelError',
  'NatsError',
  // One whose code is not known here comes from a part of a later version, while versions change: a gateway of that version has the words for it in a moment.
  'Refusal',
]);

/** Seconds after which a client may try again when something is away. */
const retryAfter = 2;

/** The failure that any error is. */
export function failureOf(error: unknown): Failure {
  const refusal = refusalOf(error);
  if (refusal !== null) return { status: refusal.code, type: refusal.type, data: refusal.data, internal: refusal.code >= 500 };
  if (error instanceof Error && away.has(error.name)) return { ...failureOf(new Refusal('content_service_unavailable', { retryable: true, retryAfter })), internal: true };
  return { ...failureOf(new Refusal('internal_error')), internal: true };
}

/** Whether an action may still be running: only its caller was told to stop waiting. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'RequestTimeoutError';
}
