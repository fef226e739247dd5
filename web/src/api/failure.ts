/** An error that the API answered, or a request that got no answer (`status` 0, code `no_answer`). */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number;
  /** One of docs/errors.md, or `no_answer`. */
  readonly code: string;
  /** Path of the first invalid field, joined with dots. */
  readonly field: string | null;
  /** What the operator finds the request by in the log. */
  readonly requestId: string | null;
  readonly retryable: boolean;

  constructor(status: number, body: Partial<FailureBody>) {
    super(body.detail ?? '');
    this.status = status;
    this.code = body.code ?? (status === 0 ? 'no_answer' : 'internal_error');
    this.field = body.field ?? null;
    this.requestId = body.requestId ?? null;
    this.retryable = body.retryable ?? status === 0;
  }
}

interface FailureBody {
  code: string;
  detail: string;
  field: string;
  requestId: string;
  retryable: boolean;
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

/** The failure of a response whose body was read, as JSON where it is some. */
export function failureOf(response: Response, body: unknown): ApiFailure {
  const sent = isObject(body) ? body : {};
  const text = (name: string): Record<string, string> => {
    const value = sent[name];
    return typeof value === 'string' ? { [name]: value } : {};
  };
  return new ApiFailure(response.status, {
    ...text('code'),
    ...text('detail'),
    ...text('field'),
    requestId: response.headers.get('x-request-id') ?? '',
    retryable: sent['retryable'] === true,
  });
}

/** Any error as a failure: one that is none of the API's means that no answer came. */
export function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure(0, { detail: error instanceof Error ? error.message : String(error) });
}
