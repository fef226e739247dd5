import { SourceError, type SourceClient } from './port.ts';

/** One request of an adapter whose answer is read completely. */
export interface WholeRequest {
  method?: 'GET' | 'HEAD';
  headers?: Readonly<Record<string, string>>;
  /** Maximum size of the body, in bytes. */
  maxBytes: number;
  signal: AbortSignal;
}

/** An answer with its complete body. */
export interface WholeAnswer {
  status: number;
  header(name: string): string | null;
  body: Buffer;
}

/** The error as a SourceError; null for every other error. */
export function sourceErrorOf(error: unknown): SourceError | null {
  return error instanceof SourceError ? error : null;
}

/**
 * The `reason` of a failed request of the guarded client; null for every other error. It is recognized by name, because
 * adapters do not import the client.
 */
function requestReasonOf(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'RequestFailure' || !('reason' in error)) return null;
  return typeof error.reason === 'string' ? error.reason : null;
}

/**
 * Sends a request to the source and reads its complete answer.
 * @throws SourceError `temporary` for a network error, `refused` where the address is not allowed, or the answer is too
 * large or not HTTP; the signal's reason
 */
export async function requestWhole(client: SourceClient, url: URL, request: WholeRequest): Promise<WholeAnswer> {
  return sendRequest(client, url, request, async (answer) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    return { status: answer.status, header: (name) => answer.header(name), body: Buffer.concat(pieces) };
  });
}

/**
 * Sends a request to the source and passes its answer to `read`, which reads the complete body or throws.
 * @throws what `requestWhole` throws, and what `read` throws
 */
export async function sendRequest<T>(
  client: SourceClient,
  url: URL,
  request: WholeRequest,
  read: (answer: Awaited<ReturnType<SourceClient['request']>>) => Promise<T>,
): Promise<T> {
  const { signal } = request;
  signal.throwIfAborted();
  try {
    return await read(await client.request(url, request));
  } catch (error) {
    signal.throwIfAborted();
    const reason = requestReasonOf(error);
    // Messages of the guarded client contain only the host.
    if (reason === null || !(error instanceof Error)) throw error;
    throw new SourceError(
      reason === 'refused' || reason === 'too_large' || reason === 'malformed' ? 'refused' : 'temporary',
      error.message,
      { cause: error },
    );
  }
}

/** Messages for error codes of S3 and Azure. Other codes are not shown, because a source may send any text. */
const faults: Readonly<Record<string, string>> = {
  AccessDenied: 'the credential may not do this',
  InvalidAccessKeyId: 'the access key id is not known',
  SignatureDoesNotMatch: 'the secret does not fit the access key id',
  RequestTimeTooSkewed: "the source's clock and ours differ by more than it accepts",
  AuthorizationHeaderMalformed: 'the region is not that of the bucket',
  ExpiredToken: 'the credential has expired',
  AuthenticationFailed: 'the token is not valid, or has expired',
  AuthorizationFailure: 'the credential may not be used from here',
  AuthorizationPermissionMismatch: 'the token lacks a permission',
};

/** Error codes of a wrong credential that are sent with a status other than 401 and 403. */
const otherCredentialCodes: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'InvalidToken',
  'InvalidAccessKeyId',
  'RequestTimeTooSkewed',
]);

/**
 * Maps the status of an unsuccessful answer to an error: 401 and 403 `credential`, 404 and 410 `absent`, 408, 425, 429
 * and 5xx `temporary`, all others, also redirects, `refused`. The message contains the status and no text of the
 * source.
 * @param code the source's error code, where it sent one
 */
export function errorOfStatus(status: number, what: string, code: string | null = null): SourceError {
  const fault = code !== null && Object.hasOwn(faults, code) ? faults[code] : faultOfStatus(status);
  return new SourceError(
    reasonOfStatus(status, code),
    `${what} answered ${status}${fault === null ? '' : `: ${fault}`}`,
  );
}

/** The message for a status without a known code. */
function faultOfStatus(status: number): string | null {
  if (status === 401) return 'the credential is not valid, or has expired';
  if (status === 403) return 'the credential may not do this, or has expired';
  if (status === 404 || status === 410) return 'it does not exist, or this credential may not see it';
  return status >= 300 && status < 400 ? 'it redirects to another address' : null;
}

function reasonOfStatus(status: number, code: string | null): SourceError['reason'] {
  if (status === 401 || status === 403 || (code !== null && otherCredentialCodes.has(code))) return 'credential';
  if (status === 404 || status === 410) return 'absent';
  if (status === 408 || status === 425 || status === 429 || status >= 500) return 'temporary';
  return 'refused';
}
