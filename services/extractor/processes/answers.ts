import { tooComplex, unreadable, type ExtractionFailure } from '../../../models/extraction-failure.ts';
import type { BatchMessage, ChildMessage } from './protocol.ts';

/** No honest batch is longer: a page's or a row's text is far below. */
const longestBatch = 64 * 1024 * 1024;
/** Nor is a message without its blocks. */
const longestMessage = 4 * 1024 * 1024;
const lineFeed = 10;

/** A message of an extraction process, and the stored lines of a batch's blocks; none of the end. */
export interface Answer {
  message: ChildMessage;
  lines: Uint8Array;
}

/** A batch whose lines have not all come. */
interface BegunBatch {
  message: BatchMessage;
  lines: Buffer;
  length: number;
}

/** @throws ExtractionFailure if it is longer than an honest one */
function begin(message: BatchMessage): BegunBatch {
  if (message.bytes > longestBatch) throw endless();
  return { message, lines: Buffer.allocUnsafe(message.bytes), length: 0 };
}

function endless(): ExtractionFailure {
  return tooComplex('the extraction process sent a message without end');
}

/**
 * The answers of an extraction process out of the pieces of its pipe. The blocks are not
 * looked at: the reader of the store checks them.
 * @throws ExtractionFailure if a message or a batch is longer than an honest one, or a batch does not end as a line
 *   does
 */
export async function* answersOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Answer, void, undefined> {
  /** What has come of a message whose end has not. */
  let begun: Buffer[] = [];
  let length = 0;
  let batch: BegunBatch | null = null;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.byteLength;) {
      if (batch === null) {
        const end = piece.indexOf(lineFeed, at);
        const part = piece.subarray(at, end < 0 ? piece.byteLength : end);
        length += part.byteLength;
        if (length > longestMessage) throw endless();
        begun.push(part);
        at += part.byteLength + 1;
        if (end < 0) continue;
        const message = JSON.parse(Buffer.concat(begun).toString('utf8')) as ChildMessage;
        begun = [];
        length = 0;
        if (message.kind === 'batch' && message.bytes > 0) batch = begin(message);
        else yield { message, lines: new Uint8Array() };
      } else {
        const part = piece.subarray(at, at + batch.lines.byteLength - batch.length);
        batch.lines.set(part, batch.length);
        batch.length += part.byteLength;
        at += part.byteLength;
        if (batch.length < batch.lines.byteLength) continue;
        const { message, lines } = batch;
        if (lines.at(-1) !== lineFeed) throw unreadable('the extraction process sent a batch that does not end');
        batch = null;
        yield { message, lines };
      }
    }
  }
}
