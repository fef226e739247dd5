import type { Blobs } from '../../../adapters/blobs/port.ts';
import { errorCodeOf } from '../../../models/error-code.ts';
import { sendPieces, type Exchange, type Sender } from './exchange.ts';
import type { Performed, StoredAnswer } from './route.ts';

/** Reads at most, where the blob is replaced between the action's answer and the read. */
const attempts = 4;
const newline = 10;

/**
 * JSON lines as the members of a list: line breaks become commas, except for the last. Strings in JSON hold no line
 * breaks, so nothing has to be parsed.
 */
async function* membersOf(lines: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let commaIsDue = false;
  for await (const chunk of lines) {
    const piece = Buffer.from(chunk);
    if (piece.length === 0) continue;
    if (commaIsDue) yield Buffer.from(',');
    commaIsDue = piece.at(-1) === newline;
    const end = commaIsDue ? piece.length - 1 : piece.length;
    for (let at = piece.indexOf(newline); at !== -1 && at < end; at = piece.indexOf(newline, at + 1)) piece[at] = 0x2c;
    yield piece.subarray(0, end);
  }
}

async function* piecesOf(
  { before, after }: StoredAnswer,
  members: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(before);
  yield* members;
  yield Buffer.from(after);
}

/** Opens a blob and reads its first piece, so that a missing one fails before anything is sent. @throws BlobNotFound */
async function opened(blobs: Pick<Blobs, 'read'>, key: string): Promise<AsyncIterable<Uint8Array>> {
  const source = blobs.read(key)[Symbol.asyncIterator]();
  let next = await source.next();
  async function* rest(): AsyncGenerator<Uint8Array> {
    try {
      for (; next.done !== true; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  }
  return rest();
}

function isGone(error: unknown): boolean {
  return error instanceof Error && error.name === 'BlobNotFound';
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/**
 * Sends an answer from the blobs in pieces, whatever its length. Where the blob was replaced between the action's
 * answer and the read, the action is called again.
 * @throws what `perform` throws, or what the blobs throw before the first byte was sent
 */
export async function sendStored(
  exchange: Exchange,
  sender: Sender,
  blobs: Pick<Blobs, 'read'>,
  status: number,
  perform: () => Promise<Performed>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const performed = await perform();
    if (performed.kind !== 'stored') throw new Error('the action did not name a blob');
    const { answer } = performed;
    try {
      const lines = answer.key === null ? nothing() : await opened(blobs, answer.key);
      await sendPieces(exchange, sender, {
        status,
        headers: answer.headers,
        pieces: () => piecesOf(answer, membersOf(lines)),
      });
      return;
    } catch (error) {
      // The client went away.
      if (errorCodeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE') return;
      if (!isGone(error) || exchange.response.headersSent || attempt === attempts) throw error;
    }
  }
}
