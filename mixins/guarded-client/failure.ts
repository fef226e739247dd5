/**
 * Why a request came to nothing. `refused`: the address may not be asked (scheme, port, or an address that is not
 * public). `unresolved`: the name has no address. `unreachable`: no connection, or it broke. `timeout`: too long
 * without an answer or without bytes. `slow`: too few bytes a second. `too_large`: a longer body than asked for.
 * `malformed`: no valid HTTP, or headers larger than the limit. `aborted`: the caller's signal.
 */
export type RequestFailureReason =
  'refused' | 'unresolved' | 'unreachable' | 'timeout' | 'slow' | 'too_large' | 'malformed' | 'aborted';

/** A request that came to nothing. Decide by `name` and `reason`. The message names the host, never the address. */
export class RequestFailure extends Error {
  readonly reason: RequestFailureReason;
  constructor(reason: RequestFailureReason, detail: string, options?: { cause: unknown }) {
    super(detail, options);
    this.name = 'RequestFailure';
    this.reason = reason;
  }
}

/** The failure that an error is; null for every other error. */
export function requestFailureOf(error: unknown): RequestFailure | null {
  return error instanceof RequestFailure ? error : null;
}

/** Codes of undici and of Node's sockets that mean more than a broken connection. */
const reasons: Readonly<Record<string, RequestFailureReason>> = {
  ENOTFOUND: 'unresolved',
  EAI_AGAIN: 'unresolved',
  ENODATA: 'unresolved',
  ESERVFAIL: 'unresolved',
  EREFUSED: 'unresolved',
  ETIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'malformed',
  UND_ERR_INVALID_ARG: 'malformed',
  ERR_INVALID_CHAR: 'malformed',
};

function textOf(error: unknown, property: 'code' | 'name'): string {
  if (typeof error !== 'object' || error === null) return '';
  const value: unknown = Reflect.get(error, property);
  return typeof value === 'string' ? value : '';
}

/** Turns whatever undici, a socket or an abort threw into a failure; failures stay as they are. */
export function failureFrom(error: unknown, host: string, signal: AbortSignal | undefined): RequestFailure {
  const known = requestFailureOf(error);
  if (known !== null) return known;
  if (signal?.aborted === true)
    return new RequestFailure('aborted', `the request to ${host} was called off`, { cause: error });
  const code = textOf(error, 'code');
  // undici's parser names its errors, but does not always give them a code.
  const reason = reasons[code] ?? (textOf(error, 'name') === 'HTTPParserError' ? 'malformed' : 'unreachable');
  return new RequestFailure(reason, `the host ${host} did not answer as it should${code === '' ? '' : ` (${code})`}`, {
    cause: error,
  });
}
