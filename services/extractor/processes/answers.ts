import { tooComplex, unreadable } from '../formats/failure.ts';
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

/**
 * The answers of an extraction process out of the pieces of its pipe. The blocks are not looked at: whoever reads them
 * from the store checks them, and does it elsewhere.
 * @throws ExtractionFailure where a message or a batch is longer than an honest one, or a batch does not end as a line does
 */
export async function* answersOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Answer, void, undefined> {
  /** What has come of a message or a batch whose end has not. */
  let begun: Buffer[] = [];
  let length = 0;
  let batch: BatchMessage | null = null;
  const add = (part: Buffer, most: number): void => {
    begun.push(part);
    length += part.byteLength;
    if (length > most) throw tooComplex('the extraction process sent a message without end');
  };
  const whole = (): Buffer => {
    const [only, ...others] = begun;
    const all = only !== undefined && others.length === 0 ? only : Buffer.concat(begun);
    begun = [];
    length = 0;
    return all;
  };
  for await (const piece of pieces) {
    for (let at = 0; at < piece.byteLength;) {
      if (batch === null) {
        const end = piece.indexOf(lineFeed, at);
        add(piece.subarray(at, end < 0 ? piece.byteLength : end), longestMessage);
        at = end < 0 ? piece.byteLength : end + 1;
        if (end < 0) continue;
        const message = JSON.parse(whole().toString('utf8')) as ChildMessage;
        if (message.kind === 'batch' && message.bytes > 0) batch = message;
        else yield { message, lines: new Uint8Array() };
      } else {
        const part = piece.subarray(at, at + batch.bytes - length);
        add(part, longestBatch);
        at += part.byteLength;
        if (length < batch.bytes) continue;
        const lines = whole();
        if (lines.at(-1) !== lineFeed) throw unreadable('the extraction process sent a batch that does not end');
        const message = batch;
        batch = null;
        yield { message, lines };
      }
    }
  }
}
