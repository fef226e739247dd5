import type { GuardedAnswer } from '../guarded-client/client.ts';
import { SourceFailure, sourceFailureOf } from './failure.ts';
import { ask, asSourceFailure, declaredBytes, isThePart, strongEtag, type Part, type SourceRead } from './read.ts';
import { startTally } from './version.ts';

/** A file whose first bytes are there. */
export interface OpenedSource {
  /** Size that the source declares; null where it does not. */
  declaredBytes: number | null;
  etag: string | null;
  contentType: string | null;
  /** How the source says that it keeps the bytes (`Content-Encoding`); null where as they are. They are answered as it sends them. */
  coding: string | null;
  /** Whether the source says that it serves parts of files. */
  ranges: boolean;
  /**
   * The bytes, once. It ends only when size and version are as declared and registered. Where the connection breaks
   * and the source serves parts, it goes on from where it broke, for the same version only (`If-Match`).
   * @throws SourceFailure, or RequestFailure `aborted`
   */
  body: AsyncGenerator<Uint8Array, void, undefined>;
  /** What was read: complete once `body` has ended. The SHA-256 is in lower-case hexadecimal digits. */
  readonly result: { bytes: number; sha256: string | null };
  /**
   * A part of the same file, beside the body; null where the source does not serve it after all. It is asked for
   * with `If-Match` where the source has an ETag to name.
   * @throws SourceFailure, or RequestFailure `aborted`
   */
  part(from: number, to: number): Promise<Uint8Array | null>;
  /** Gives the read up. */
  discard(): void;
}

/** Times that a broken read is taken up again. */
const mostContinuations = 5;

/** What the answers to one read have in common. */
interface Reading {
  read: SourceRead;
  size: number | null;
  /** For asking for parts; null where none can be asked for, or none of a certain version. */
  etag: string | null;
  ranges: boolean;
  result: { bytes: number; sha256: string | null };
  current: GuardedAnswer;
  /** Given up: a broken answer is not followed by another. */
  isOver: boolean;
}

/**
 * Opens a file of a source for one pass over its bytes. The version is checked before the first byte where it is an
 * ETag, and at the end where it is a digest.
 * @throws SourceFailure, or RequestFailure `aborted`
 */
export async function openSource(read: SourceRead): Promise<OpenedSource> {
  const answer = await ask(read, null);
  const ranges = answer.header('accept-ranges')?.toLowerCase() === 'bytes';
  const reading: Reading = { read, size: declaredBytes(answer), etag: strongEtag(answer), ranges, result: { bytes: 0, sha256: null }, current: answer, isOver: false };
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

/** All bytes, over as many answers as that takes. */
async function* body(reading: Reading): AsyncGenerator<Uint8Array, void, undefined> {
  const { read, result } = reading;
  const tally = startTally();
  let before = -1;
  for (let continuations = 0; ; continuations += 1) {
    try {
      for await (const piece of reading.current.body) {
        if (tally.bytes + piece.byteLength > read.maxBytes) throw new SourceFailure('source_too_large', `the source sent more than ${read.maxBytes} bytes`);
        tally.add(piece);
        result.bytes = tally.bytes;
        yield piece;
      }
      if (reading.size !== null && reading.size !== tally.bytes) throw new SourceFailure('source_unreachable', `the source declared ${reading.size} bytes and sent ${tally.bytes}`);
      break;
    } catch (error) {
      const failure = asSourceFailure(error);
      const bytes = tally.bytes;
      // A part that brought nothing new will not do so the next time either.
      const canGoOn = !reading.isOver && reading.ranges && reading.etag !== null && bytes > before && continuations < mostContinuations;
      if (!canGoOn || sourceFailureOf(failure)?.outcome !== 'temporary') throw failure;
      before = bytes;
      reading.current = await goOn(reading, { from: bytes, etag: reading.etag }, failure);
    }
  }
  result.sha256 = tally.finish(read.sourceVersion);
}

async function goOn(reading: Reading, part: Part, cause: unknown): Promise<GuardedAnswer> {
  const answer = await ask(reading.read, part);
  if (isThePart(answer, part, reading.size)) return answer;
  answer.discard();
  throw new SourceFailure('source_unreachable', 'the read broke and the source does not go on from there', { cause });
}

async function readPart(reading: Reading, part: Part & { to: number }): Promise<Uint8Array | null> {
  if (!reading.ranges) return null;
  const answer = await ask(reading.read, part);
  if (!isThePart(answer, part, reading.size)) {
    answer.discard();
    return null;
  }
  const whole = new Uint8Array(part.to - part.from);
  let filled = 0;
  try {
    for await (const piece of answer.body) {
      if (filled + piece.byteLength > whole.byteLength) throw new SourceFailure('source_unreachable', 'the source sent more than the part that was asked for');
      whole.set(piece, filled);
      filled += piece.byteLength;
    }
  } catch (error) {
    throw asSourceFailure(error);
  }
  if (filled < whole.byteLength) throw new SourceFailure('source_unreachable', 'the source sent less than the part that was asked for');
  return whole;
}
