import { Refusal, refusalOf, type ErrorCode, type RefusalDetails } from '../../../models/errors.ts';

/** A failure as the client sees it. */
export interface Failure {
  status: number;
  type: ErrorCode;
  data: RefusalDetails;
  /** Whether the reason is logged and not shown to the client. */
  internal: boolean;
}

/** Names of errors of an unavailable store or service. Of an error's class only the name crosses the broker. */
const unavailable = new Set([
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
  // A refusal whose code is unknown here comes from a later version, during a rolling upgrade: the client may try
  // again.
  'Refusal',
]);

/** Seconds after which a client may try again when something is unavailable. */
const retryAfter = 2;

/** Maps any error to a failure. */
export function failureOf(error: unknown): Failure {
  const refusal = refusalOf(error);
  if (refusal !== null)
    return {
      status: refusal.code,
      type: refusal.type,
      data: refusal.data,
      internal: refusal.code >= 500 && refusal.data.isShed !== true,
    };
  if (error instanceof Error && unavailable.has(error.name))
    return {
      ...failureOf(new Refusal('content_service_unavailable', { retryable: true, retryAfter })),
      internal: true,
    };
  return { ...failureOf(new Refusal('internal_error')), internal: true };
}

/** Whether an action may still be running, because only its caller stopped waiting. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'RequestTimeoutError';
}
