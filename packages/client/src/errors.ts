import type { components } from './schema.d.ts';

/** A code of the API's errors (docs/errors.md). */
export type ErrorCode = components['schemas']['Error']['code'];

/** What a response says about an error. */
export interface ErrorDetails {
  status: number;
  /** `unknown_answer` where the response was not one of the API, such as the page of a proxy. */
  code: ErrorCode | 'unknown_answer';
  detail: string;
  /** Path of the first field at fault, outermost first. */
  fields: readonly (string | number)[] | null;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** Names the request in the program's log. */
  requestId: string | null;
  /** Seconds after which to try again; null if the response does not say. */
  retryAfter: number | null;
}

/** An error that the API answered. Decide by `code`; the message is for people. */
export class PlyError extends Error implements ErrorDetails {
  override readonly name = 'PlyError';
  readonly status: number;
  readonly code: ErrorCode | 'unknown_answer';
  readonly detail: string;
  readonly fields: readonly (string | number)[] | null;
  readonly retryable: boolean;
  readonly requestId: string | null;
  readonly retryAfter: number | null;

  constructor({ status, code, detail, fields, retryable, requestId, retryAfter }: ErrorDetails) {
    super(`${status} ${code}: ${detail}${requestId === null ? '' : ` (request ${requestId})`}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.fields = fields;
    this.retryable = retryable;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** No response arrived: it is not known whether the request was carried out. */
export class PlyConnectionError extends Error {
  override readonly name = 'PlyConnectionError';

  constructor(url: string, cause: unknown) {
    super(`No response from ${new URL(url).origin}`, { cause });
  }
}

/** The error that a response with a status of 400 or more stands for. */
export async function errorOf(response: Response): Promise<PlyError> {
  const body = parsed(await response.text().catch(() => ''));
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  const head = {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfter: Number.isFinite(seconds) ? seconds : null,
  };
  return isErrorBody(body)
    ? new PlyError({ ...head, ...body, fields: body.fields ?? null, retryable: body.retryable === true })
    : new PlyError({
        ...head,
        code: 'unknown_answer',
        detail: 'The response is not one of the Ply API.',
        fields: null,
        retryable: response.status === 502 || response.status === 503 || response.status === 504,
      });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isErrorBody(
  body: unknown,
): body is { code: ErrorCode; detail: string; fields?: (string | number)[]; retryable?: true } {
  return (
    typeof body === 'object' &&
    body !== null &&
    'code' in body &&
    typeof body.code === 'string' &&
    'detail' in body &&
    typeof body.detail === 'string'
  );
}
