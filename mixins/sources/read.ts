import type { GuardedAnswer, GuardedClient } from '../guarded-client/client.ts';
import { requestFailureOf } from '../guarded-client/failure.ts';
import { SourceFailure, failureOfStatus, sourceFailureFrom } from './failure.ts';
import { checkEtag } from './version.ts';

/** The file to read, and how to read it. */
export interface SourceRead {
  /** The address, with credentials if the source needs them. */
  address: string;
  /** The registered version: an ETag with its quotes, or `sha256:` and a digest. */
  sourceVersion: string;
  /** Maximum size of the file, in bytes. */
  maxBytes: number;
  client: GuardedClient;
  signal?: AbortSignal;
  /** Whether the issuer of the last answer's address has checked the version: its ETag is not compared then. */
  isVerified?(): boolean;
}

/** A part of a file: from `from` to `to` (exclusive), or to the end. */
export interface Part {
  from: number;
  to?: number;
  /** The required ETag of the part; null if the source sent none for `If-Match`. */
  etag: string | null;
}

/** Maps failed requests to failures of the read. */
export function asSourceFailure(error: unknown): unknown {
  const failure = requestFailureOf(error);
  return failure === null ? error : sourceFailureFrom(failure);
}

function headersFor(part: Part | null): Record<string, string> {
  if (part === null) return { accept: '*/*' };
  const range = `bytes=${part.from}-${part.to === undefined ? '' : part.to - 1}`;
  return { accept: '*/*', range, ...(part.etag === null ? {} : { 'if-match': part.etag }) };
}

/**
 * Requests a file, or a part of it, from a source. The answer is 200, or 206 for a part.
 * @throws SourceFailure, or RequestFailure `aborted`
 */
export async function requestSource(read: SourceRead, part: Part | null): Promise<GuardedAnswer> {
  let answer: GuardedAnswer;
  try {
    answer = await read.client.request(read.address, {
      headers: headersFor(part),
      maxBytes: read.maxBytes,
      ...(read.signal === undefined ? {} : { signal: read.signal }),
    });
  } catch (error) {
    throw asSourceFailure(error);
  }
  try {
    const failure = failureOfStatus(answer.status);
    if (failure !== null) throw failure;
    if (answer.status === 206 && part === null)
      throw new SourceFailure('source_unreachable', 'the source sent a part where the whole file was asked for');
    // A part without an ETag was requested with If-Match, so it has the requested version.
    const mustCompare = !(read.isVerified?.() ?? false) && (answer.status === 200 || answer.header('etag') !== null);
    if (mustCompare) checkEtag(read.sourceVersion, answer.header('etag'));
    const declared = declaredBytes(answer);
    if (declared !== null && declared + (answer.status === 206 ? (part?.from ?? 0) : 0) > read.maxBytes) {
      throw new SourceFailure(
        'source_too_large',
        `the source declares ${declared} bytes; ${read.maxBytes} are read at most`,
      );
    }
  } catch (error) {
    answer.discard();
    throw error;
  }
  return answer;
}

/** The size of an answer's body that its headers declare; null without one. */
export function declaredBytes(answer: GuardedAnswer): number | null {
  const length = answer.header('content-length');
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** An ETag to request parts with; a weak one never matches `If-Match` (RFC 9110, 13.1.1). */
export function strongEtag(answer: GuardedAnswer): string | null {
  const etag = answer.header('etag');
  return etag !== null && etag.startsWith('"') ? etag : null;
}

/** Whether a 206 contains exactly the requested part of a file of `size` bytes (null if unknown). */
export function isRequestedPart(answer: GuardedAnswer, part: Part, size: number | null): boolean {
  const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(answer.header('content-range') ?? '');
  if (answer.status !== 206 || range === null || Number(range[1]) !== part.from) return false;
  if (part.to !== undefined && Number(range[2]) !== part.to - 1) return false;
  if (range[3] !== '*' && size !== null && Number(range[3]) !== size) return false;
  return part.etag === null || answer.header('etag') === null || answer.header('etag') === part.etag;
}
