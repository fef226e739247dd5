import { SourceError, type SourceClient } from './port.ts';

/** One request of an adapter; its answer is read whole. */
export interface WholeRequest {
  method?: 'GET' | 'HEAD';
  headers?: Readonly<Record<string, string>>;
  /** Largest body that is taken, in bytes. */
  maxBytes: number;
  signal: AbortSignal;
}

/** An answer with all of its body. */
export interface WholeAnswer {
  status: number;
  header(name: string): string | null;
  body: Buffer;
}

/** The failure of a source that an error is; null for every other error. */
export function sourceErrorOf(error: unknown): SourceError | null {
  return error instanceof SourceError ? error : null;
}

/** The `reason` of a failed request of the guarded client; null for every other error. Told by its name: the client belongs to another part. */
function requestReasonOf(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'RequestFailure' || !('reason' in error)) return null;
  return typeof error.reason === 'string' ? error.reason : null;
}

/**
 * Asks the source and reads its answer to the end.
 * @throws SourceError `temporary` where the network is at fault, `refused` where the address may not be asked or the
 * answer is larger than allowed or no HTTP; what aborted the signal
 */
export async function askWhole(client: SourceClient, url: URL, request: WholeRequest): Promise<WholeAnswer> {
  return ask(client, url, request, async (answer) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    return { status: answer.status, header: (name) => answer.header(name), body: Buffer.concat(pieces) };
  });
}

/**
 * Asks the source and hands its answer to `read`, which reads the body to its end or throws.
 * @throws what `askWhole` throws, and what `read` throws
 */
export async function ask<T>(client: SourceClient, url: URL, request: WholeRequest, read: (answer: Awaited<ReturnType<SourceClient['request']>>) => Promise<T>): Promise<T> {
  const { signal } = request;
  signal.throwIfAborted();
  try {
    return await read(await client.request(url, request));
  } catch (error) {
    signal.throwIfAborted();
    const reason = requestReasonOf(error);
    // Messages of the guarded client name the host alone.
    if (reason === null || !(error instanceof Error)) throw error;
    throw new SourceError(reason === 'refused' || reason === 'too_large' || reason === 'malformed' ? 'refused' : 'temporary', error.message, { cause: error });
  }
}

/** Faults by the codes that S3 and Azure give them, in words. Other codes are not told: a source can write anything there. */
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

/** Codes that the sources give a wrong credential with a status other than 401 and 403. */
const otherCredentialCodes: ReadonlySet<string> = new Set(['ExpiredToken', 'InvalidToken', 'InvalidAccessKeyId', 'RequestTimeTooSkewed']);

/**
 * What an answer other than success means: 401 and 403 `credential`, 404 and 410 `absent`, 408, 425, 429 and 5xx
 * `temporary`, everything else (redirects, too) `refused`. The message holds the status and no text of the source.
 * @param code the source's own code of the error, where it has one
 */
export function errorOfStatus(status: number, what: string, code: string | null = null): SourceError {
  const fault = code !== null && Object.hasOwn(faults, code) ? faults[code] : faultOfStatus(status);
  return new SourceError(reasonOfStatus(status, code), `${what} answered ${status}${fault === null ? '' : `: ${fault}`}`);
}

/** What a status alone tells, in words. */
function faultOfStatus(status: number): string | null {
  if (status === 401) return 'the credential is not valid, or has expired';
  if (status === 403) return 'the credential may not do this, or has expired';
  if (status === 404 || status === 410) return 'it is not there, or not for this credential';
  return status >= 300 && status < 400 ? 'it is somewhere else' : null;
}

function reasonOfStatus(status: number, code: string | null): SourceError['reason'] {
  if (status === 401 || status === 403 || (code !== null && otherCredentialCodes.has(code))) return 'credential';
  if (status === 404 || status === 410) return 'absent';
  if (status === 408 || status === 425 || status === 429 || status >= 500) return 'temporary';
  return 'refused';
}
