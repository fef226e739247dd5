import type { GuardedAnswer } from '../guarded-client/client.ts';
import { SourceFailure, sourceFailureOf } from './failure.ts';
import {
  requestSource,
  asSourceFailure,
  declaredBytes,
  isRequestedPart,
  strongEtag,
  type Part,
  type SourceRead,
} from './read.ts';
import { startTally } from './version.ts';

/** A file whose answer has started. */
export interface OpenedSource {
  /** Size that the source declares; null if it declares none. */
  declaredBytes: number | null;
  etag: string | null;
  contentType: string | null;
  /** The `Content-Encoding` of the answer; null without one. The bytes are not decoded. */
  coding: string | null;
  /** Whether the source declares that it supports ranges. */
  ranges: boolean;
  /**
   * The bytes, to be read once. It ends only when the size is as declared and the version as registered. A broken
   * connection is resumed where the source supports ranges, for the same version only (`If-Match`).
   * @throws SourceFailure, or RequestFailure `aborted`
   */
  body: AsyncGenerator<Uint8Array, void, undefined>;
  /**
   * The count and digest of what was read; complete when `body` has ended. The SHA-256 is in lower-case hexadecimal
   * digits.
   */
  readonly result: { bytes: number; sha256: string | null };
  /**
   * Reads a part of the same file, independently of the body; null if the source does not serve it. It is requested
   * with `If-Match` where the source sent an ETag.
   * @throws SourceFailure, or RequestFailure `aborted`
   */
  part(from: number, to: number): Promise<Uint8Array | null>;
  /** Aborts the read. */
  discard(): void;
}

/** Maximum number of times that a broken read is resumed. */
const maxContinuations = 5;

/** The state of a read over several answers. */
interface Reading {
  read: SourceRead;
  size: number | null;
  /** The ETag for requests of parts; null if parts of a certain version cannot be requested. */
  etag: string | null;
  ranges: boolean;
  result: { bytes: number; sha256: string | null };
  current: GuardedAnswer;
  /** Aborted: a broken answer is not resumed. */
  isOver: boolean;
}

/**
 * Opens a file of a source to read its bytes once. An ETag is checked before the first byte, a digest at the end.
 * @throws SourceFailure, or RequestFailure `aborted`
 */
export async function openSource(read: SourceRead): Promise<OpenedSource> {
  const answer = await requestSource(read, null);
  const ranges = answer.header('accept-ranges')?.toLowerCase() === 'bytes';
  const reading: Reading = {
    read,
    size: declaredBytes(answer),
    etag: strongEtag(answer),
    ranges,
    result: { bytes: 0, sha256: null },
    current: answer,
    isOver: false,
  };
  return {
    declaredBytes: reading.size,
    etag: answer.header('etag'),
    contentType: answer.header('content-type'),
    coding: answer.header('content-encoding'),
    ranges,
    body: body(reading),
    result: reading.result,
    part: (from, to) => readPart(reading, { from, to, etag: reading.etag }),
    discard: () => {
      reading.isOver = true;
      reading.current.discard();
    },
  };
}

/** All bytes, from as many answers as necessary. */
async function* body(reading: Reading): AsyncGenerator<Uint8Array, void, undefined> {
  const { read, result } = reading;
  const tally = startTally();
  let before = -1;
  for (let continuations = 0; ; continuations += 1) {
    try {
      for await (const piece of reading.current.body) {
        if (tally.bytes + piece.byteLength > read.maxBytes)
          throw new SourceFailure('source_too_large', `the source sent more than ${read.maxBytes} bytes`);
        tally.add(piece);
        result.bytes = tally.bytes;
        yield piece;
      }
      if (reading.size !== null && reading.size !== tally.bytes)
        throw new SourceFailure(
          'source_unreachable',
          `the source declared ${reading.size} bytes and sent ${tally.bytes}`,
        );
      break;
    } catch (error) {
      const failure = asSourceFailure(error);
      const bytes = tally.bytes;
      // A part without further bytes would not have any the next time either.
      const canGoOn =
        !reading.isOver &&
        reading.ranges &&
        reading.etag !== null &&
        bytes > before &&
        continuations < maxContinuations;
      if (!canGoOn || sourceFailureOf(failure)?.outcome !== 'temporary') throw failure;
      before = bytes;
      reading.current = await goOn(reading, { from: bytes, etag: reading.etag }, failure);
    }
  }
  result.sha256 = tally.finish(read.sourceVersion);
}

async function goOn(reading: Reading, part: Part, cause: unknown): Promise<GuardedAnswer> {
  const answer = await requestSource(reading.read, part);
  if (isRequestedPart(answer, part, reading.size)) return answer;
  answer.discard();
  throw new SourceFailure('source_unreachable', 'the read broke and the source does not go on from there', { cause });
}

async function readPart(reading: Reading, part: Part & { to: number }): Promise<Uint8Array | null> {
  if (!reading.ranges) return null;
  const answer = await requestSource(reading.read, part);
  if (!isRequestedPart(answer, part, reading.size)) {
    answer.discard();
    return null;
  }
  const whole = new Uint8Array(part.to - part.from);
  let filled = 0;
  try {
    for await (const piece of answer.body) {
      if (filled + piece.byteLength > whole.byteLength)
        throw new SourceFailure('source_unreachable', 'the source sent more than the part that was asked for');
      whole.set(piece, filled);
      filled += piece.byteLength;
    }
  } catch (error) {
    throw asSourceFailure(error);
  }
  if (filled < whole.byteLength)
    throw new SourceFailure('source_unreachable', 'the source sent less than the part that was asked for');
  return whole;
}
