import type { GuardedAnswer, GuardedClient } from '../guarded-client/client.ts';
import { requestFailureOf } from '../guarded-client/failure.ts';
import { SourceFailure, failureOfStatus, sourceFailureFrom } from './failure.ts';
import { checkEtag, startTally } from './version.ts';

/** Which file is read, and how. */
export interface SourceRead {
  /** Where to read, with credentials where the source needs them. */
  address: string;
  /** The registered version: an ETag with its quotes, or `sha256:` and a digest. */
  sourceVersion: string;
  /** Largest file that is read, in bytes. */
  maxBytes: number;
  client: GuardedClient;
  signal?: AbortSignal;
}

/** A part of a file, from `from` on, of the version that the ETag names. */
export interface Continuation {
  from: number;
  etag: string;
}

/** A file whose first bytes are there. */
export interface OpenedSource {
  /** Size that the source declares; null where it does not. */
  declaredBytes: number | null;
  etag: string | null;
  contentType: string | null;
  /** Whether the source says that it serves parts of files. */
  ranges: boolean;
  /**
   * The bytes, once. It ends only when size and version are as declared and registered.
   * @throws SourceFailure, or RequestFailure `aborted`
   */
  body: AsyncIterable<Uint8Array>;
  /** What was read: complete once `body` has ended. */
  readonly result: { bytes: number; sha256: string | null };
  /** Gives the read up. */
  discard(): void;
}

/** Tells failed requests as what they mean for the read. */
export function asSourceFailure(error: unknown): unknown {
  const failure = requestFailureOf(error);
  return failure === null ? error : sourceFailureFrom(failure);
}

/**
 * Asks a source for a file, or for the rest of it. The answer is 200, or 206 for a continuation that the source
 * went along with.
 * @throws SourceFailure, or RequestFailure `aborted`
 */
export async function ask(read: SourceRead, continuation: Continuation | null): Promise<GuardedAnswer> {
  const headers: Record<string, string> = { accept: '*/*' };
  if (continuation !== null) {
    headers['range'] = `bytes=${continuation.from}-`;
    headers['if-match'] = continuation.etag;
  }
  let answer: GuardedAnswer;
  try {
    answer = await read.client.request(read.address, { headers, maxBytes: read.maxBytes, ...(read.signal === undefined ? {} : { signal: read.signal }) });
  } catch (error) {
    throw asSourceFailure(error);
  }
  try {
    const failure = failureOfStatus(answer.status);
    if (failure !== null) throw failure;
    if (answer.status === 206 && continuation === null) throw new SourceFailure('source_unreachable', 'the source sent a part where the whole file was asked for');
    // A part without an ETag was sent under If-Match, so it is of the version that was asked for.
    if (answer.status === 200 || answer.header('etag') !== null) checkEtag(read.sourceVersion, answer.header('etag'));
    const declared = declaredBytes(answer);
    if (declared !== null && declared + (answer.status === 206 ? (continuation?.from ?? 0) : 0) > read.maxBytes) {
      throw new SourceFailure('source_too_large', `the source declares ${declared} bytes; ${read.maxBytes} are read at most`);
    }
  } catch (error) {
    answer.discard();
    throw error;
  }
  return answer;
}

/** The size of an answer's body as its headers declare it; null where they do not. */
export function declaredBytes(answer: GuardedAnswer): number | null {
  const length = answer.header('content-length');
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/**
 * Opens a file of a source for one pass over its bytes. The version is checked before the first byte where it is an
 * ETag, and at the end where it is a digest.
 * @throws SourceFailure, or RequestFailure `aborted`
 */
export async function openSource(read: SourceRead): Promise<OpenedSource> {
  const answer = await ask(read, null);
  const declared = declaredBytes(answer);
  const result: OpenedSource['result'] = { bytes: 0, sha256: null };
  async function* checked(): AsyncGenerator<Uint8Array, void, undefined> {
    const tally = startTally();
    try {
      for await (const piece of answer.body) {
        tally.add(piece);
        result.bytes = tally.bytes;
        yield piece;
      }
    } catch (error) {
      throw asSourceFailure(error);
    }
    if (declared !== null && declared !== tally.bytes) throw new SourceFailure('source_unreachable', `the source declared ${declared} bytes and sent ${tally.bytes}`);
    result.sha256 = tally.finish(read.sourceVersion);
  }
  return {
    declaredBytes: declared,
    etag: answer.header('etag'),
    contentType: answer.header('content-type'),
    ranges: answer.header('accept-ranges')?.toLowerCase() === 'bytes',
    body: checked(),
    result,
    discard: () => answer.discard(),
  };
}
